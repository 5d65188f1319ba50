internal import ArgumentParser
internal import PushAPI
internal import PushModel
internal import PushWire

struct UserCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user", abstract: "Manage the people who use the console, and their roles.",
        discussion: """
            A person sets the password in the browser, with a link that is valid once and for 24 hours. \
            'user create' and 'user reset' print the link. Roles: \(Role.allText)
            """,
        subcommands: [
            command(CreatePerson.self), command(ListPeople.self), command(ShowPerson.self), UserRole.self,
            command(ResetPerson.self), UserRemove.self, command(ListSessions.self),
            command(EndSessions.self),
        ])
}

extension Role {
    /// All roles with their descriptions, as one line.
    fileprivate static var allText: String {
        allCases.map { "'\($0.rawValue)': \($0.about)" }.joined(separator: " ")
    }
}

extension CreatePerson: CommandUseCase {
    static let form = CommandForm(
        abstract: "Create a person, and print a link with which the person sets a password.",
        discussion: """
            The link is a path below the console's address, which 'pushmta status' prints. The command never \
            takes a password. A viewer or a marketer can be restricted to services.

            Example: pushmta user create anna --role marketer --service shop
            """)
    static func lines(_ created: Answer) -> [String] { created.lines }
}

extension PersonLinkView {
    /// The link is alone on the last line, so that scripts can read it.
    fileprivate var lines: [String] {
        [
            """
            \(person.name) (\(person.role.rawValue)) sets a password with this link before \
            \(expiresAt.utcText):
            """, link,
        ]
    }
}

extension ListPeople: CommandUseCase {
    static let form = CommandForm(discussion: "Example: pushmta user list")
    static func lines(_ people: [PersonView]) -> [String] {
        var table = TextTable(["NAME", "ROLE", "SERVICES", "PASSWORD", "CREATED", "LAST LOGIN"])
        for person in people {
            table.append([
                person.name, person.role.rawValue, person.servicesText, person.hasPassword ? "set" : "not set",
                person.createdAt.utcText, person.lastLoginAt?.utcText ?? "",
            ])
        }
        return table.lines
    }
}

extension PersonView {
    fileprivate var servicesText: String {
        services.isEmpty ? "all" : services.joined(separator: ", ")
    }

    fileprivate var roleText: String { "\(name) has the role \(role.rawValue), services: \(servicesText)" }
}

extension ShowPerson: CommandUseCase {
    static let form = CommandForm(discussion: "Example: pushmta user show anna")
}

struct UserRole: MemberCommand {
    static let configuration = CommandConfiguration(
        commandName: "role", abstract: SetPersonRole.operation.summary,
        discussion: """
            The services that you do not name are removed. Sessions of the person continue with the new role.

            Example: pushmta user role anna --role viewer --service shop
            """)

    @OptionGroup var members: MemberArguments<SetPersonRole>
    @OptionGroup var force: LastAdminOption
    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        try members.request(with: ["force": force.value]).run(by: Operations(config), json)
    }
}

extension SetPersonRole: CommandUseCase {
    static func lines(_ person: PersonView) -> [String] { [person.roleText] }
}

extension ResetPerson: CommandUseCase {
    static let form = CommandForm(
        abstract: "Delete a person's password, end all sessions, and print a link to set a new password.",
        discussion: """
            Use this if a person has forgotten the password or did not use the first link in time. The \
            former link is void.

            Example: pushmta user reset anna
            """)
    static func lines(_ reset: Answer) -> [String] { reset.lines }
}

struct UserRemove: MemberCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: RemovePerson.operation.summary,
        discussion: """
            The audit trail keeps the name.

            Example: pushmta user remove anna
            """)

    @OptionGroup var members: MemberArguments<RemovePerson>
    @OptionGroup var force: LastAdminOption
    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        try members.request(with: ["force": force.value]).run(by: Operations(config), json)
    }
}

extension RemovePerson: CommandUseCase {
    static func lines(_ person: PersonView) -> [String] { ["person \(person.name) removed"] }
}

struct LastAdminOption: ParsableArguments {
    @Flag(help: "Allow this for the last person with the role admin.")
    var force = false

    var value: JSONValue? { force ? .boolean(true) : nil }
}

extension ListSessions: CommandUseCase {
    static let form = CommandForm(name: "sessions", discussion: "Example: pushmta user sessions anna")
    static func lines(_ sessions: [PersonSessionView]) -> [String] {
        var table = TextTable(["ID", "SINCE", "LAST USED", "ENDS", "ADDRESS"], numeric: ["ID"])
        for session in sessions {
            table.append([
                "\(session.id)", session.createdAt.utcText, session.lastUsedAt.utcText,
                session.endsAt.utcText, session.address,
            ])
        }
        return table.lines
    }
}

extension EndSessions: CommandUseCase {
    static let form = CommandForm(
        name: "sign-out",
        discussion: """
            The person can sign in again. 'pushmta user sessions' lists the ids.

            Example: pushmta user sign-out anna
            """)
    static func lines(_ answer: EndedSessions) -> [String] {
        ["\(Numerals.count(answer.ended, "session")) ended"]
    }
}
