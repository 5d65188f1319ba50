package import PushModel
package import PushStore
internal import PushWire

/// The role of a person and the services to which the person is restricted.
package struct RoleFields: Members, Equatable {
    package var role = Role.viewer
    package var services: [String] = []

    package init() {}

    package init(role: Role, services: [String] = []) { (self.role, self.services) = (role, services) }

    package static let members: [Member<Self>] = [
        .field(\.role, "role", "The person's role."),
        .field(
            \.services, "services",
            """
            The name of a service to which a viewer or a marketer is restricted. Default: all services.
            """, default: []),
    ]

    var auditText: String {
        ([role.rawValue] + (services.isEmpty ? [] : ["of \(services.joined(separator: ", "))"])).joined(
            separator: " ")
    }

    func check(in operations: Operations) throws {
        guard services.isEmpty || role.takesServices else {
            let roles = Role.allCases.filter(\.takesServices).map(\.rawValue).joined(separator: " or ")
            throw OperationError.refused(
                "services: the role \(role.rawValue) applies to all services; omit them, or choose \(roles)")
        }
        guard services.count <= Self.maxServices, Set(services).count == services.count else {
            throw OperationError.refused(
                "services: give each service once, and at most \(Self.maxServices) services")
        }
        for service in services { _ = try operations.requireService(named: service) }
    }

    private static let maxServices = 100
}

/// Lists all people, ordered by name.
package struct ListPeople: ShortOperation, UseCase {
    package static let name = "user.list"
    package static let operation = Operation(.get, "/people", .people, "Lists the people who use the console.")
    package static let members: [Member<Self>] = []

    package init() {}

    package func perform(in operations: Operations) throws -> [PersonView] {
        try operations.store.people.list().map(PersonView.init)
    }
}

/// Shows one person. Refuses a name that nobody has.
package struct ShowPerson: ShortOperation, UseCase {
    package static let name = "user.show"
    package static let operation = Operation(.get, "/people/{name}", .people, "Returns a person.")
    package static let members: [Member<Self>] = [.person(\.name)]

    package var name = ""

    package init() {}

    package func perform(in operations: Operations) throws -> PersonView {
        PersonView(try operations.requirePerson(named: name))
    }
}

/// Creates a person. The answer contains a link with which the person sets a password. No other answer
/// contains the link.
package struct CreatePerson: Change, UseCase {
    package static let name = "user.create"
    package static let operation = Operation(
        .post, "/people", .people,
        "Creates a person, and a link with which the person sets a password. Only this response contains it.",
        status: 201)
    package static let example = #"{"name": "anna", "role": "marketer", "services": ["neotrips"]}"#
    package static let members: [Member<Self>] =
        [.field(\.name, "name", "The name with which the person signs in, without regard to case.")]
        + Member.all(of: \.fields)
    package var followUpCommand: String { "user list" }
    package var auditText: AuditText? { .of("\(name): \(fields.auditText)") }

    package var name = ""
    package var fields = RoleFields()

    package init() {}

    package func prepare(in operations: Operations) throws -> Step<PersonLinkView> {
        guard let name = PersonName(name) else {
            throw OperationError.refused("name: must consist of \(PersonName.allowed)")
        }
        try fields.check(in: operations)
        let (link, now) = (PersonSecret.make(), operations.clock.moment())
        return Step { store in
            let person = try store.personWriter.create(
                name, fields.role, services: fields.services, link: link, at: now)
            return PersonLinkView(person, link, at: now)
        }
    }

    package func location(of answer: PersonLinkView) -> String? {
        "\(Self.operation.path)/\(APIAddress.encoded(answer.person.name))"
    }
}

/// Sets a person's role and services. Sessions of the person continue with the new role, within one second.
package struct SetPersonRole: Change, UseCase {
    package static let name = "user.role"
    package static let operation = Operation(
        .put, "/people/{name}/role", .people, "Sets a person's role and services.")
    package static let example = #"{"role": "viewer", "services": ["neotrips"]}"#
    package static let members: [Member<Self>] =
        [.person(\.name)] + Member.all(of: \.fields) + [.inner(\.isForced, "force", default: false)]
    package var followUpCommand: String { "user list" }
    package var auditText: AuditText? { .of("\(name): \(fields.auditText)") }

    package var name = ""
    package var fields = RoleFields()
    /// Whether the last admin can lose the role. Only a command can choose this.
    package var isForced = false

    package init() {}

    package func prepare(in operations: Operations) throws -> Step<PersonView> {
        let name = try operations.requirePerson(named: name).personName
        try fields.check(in: operations)
        return Step(effects: operations.forgetSessions) { store in
            let result = try store.personWriter.setRole(
                of: name, fields.role, services: fields.services, isForced: isForced)
            return PersonView(try result.person(named: name))
        }
    }
}

/// Creates a new link for a person who has forgotten the password or has not used the first link in time. The
/// former password and the former link are void, and all sessions end.
package struct ResetPerson: Change, UseCase {
    package static let name = "user.reset"
    package static let operation = Operation(
        .post, "/people/{name}/reset", .people,
        """
        Deletes a person's password, ends all sessions of the person, and creates a link with which the \
        person sets a new password. Only this response contains it.
        """)
    package static let members: [Member<Self>] = [.person(\.name)]
    package var followUpCommand: String { "user list" }
    package var auditText: AuditText? { .of(name) }

    package var name = ""

    package init() {}

    package func prepare(in operations: Operations) throws -> Step<PersonLinkView> {
        let name = try operations.requirePerson(named: name).personName
        let (link, now) = (PersonSecret.make(), operations.clock.moment())
        let forget = operations.forgetSessions
        return Step(effects: { forget($0.person) }) { store in
            PersonLinkView(try store.personWriter.reset(name, link: link, at: now), link, at: now)
        }
    }
}

/// Removes a person and ends all sessions of the person. The audit trail keeps the name.
package struct RemovePerson: Change, UseCase {
    package static let name = "user.remove"
    package static let operation = Operation(
        .delete, "/people/{name}", .people, "Removes a person and ends all sessions of the person.")
    package static let members: [Member<Self>] = [
        .person(\.name), .inner(\.isForced, "force", default: false),
    ]
    package var followUpCommand: String { "user list" }
    package var auditText: AuditText? { .of(name) }

    package var name = ""
    /// Whether the last admin can be removed. Only a command can choose this.
    package var isForced = false

    package init() {}

    package func prepare(in operations: Operations) throws -> Step<PersonView> {
        let name = try operations.requirePerson(named: name).personName
        return Step(effects: operations.forgetSessions) { store in
            let result = try store.personWriter.remove(name, isForced: isForced)
            return PersonView(try result.person(named: name))
        }
    }
}

/// Lists the sessions of a person that have not ended.
package struct ListSessions: ShortOperation, UseCase {
    package static let name = "session.list"
    package static let operation = Operation(
        .get, "/people/{name}/sessions", .people,
        "Lists the sessions of a person in the console, the last used first.")
    package static let members: [Member<Self>] = [.person(\.name)]
    package static let commandPath = "user sessions"

    package var name = ""

    package init() {}

    package func perform(in operations: Operations) throws -> [PersonSessionView] {
        let person = try operations.requirePerson(named: name)
        return try operations.store.sessions.list(of: person, at: operations.clock.moment()).map(
            PersonSessionView.init)
    }
}

/// Ends one or all sessions of a person, on all hosts within about one second.
package struct EndSessions: Change, UseCase {
    package static let name = "session.end"
    package static let operation = Operation(
        .delete, "/people/{name}/sessions", .people,
        "Ends sessions of a person. Another host accepts them for up to one more second.")
    package static let members: [Member<Self>] = [
        .person(\.name),
        .query(
            \.session, "session", "The id of the session to end. Default: all sessions.", in: 1...Int.max),
    ]
    package static let commandPath = "user sign-out"
    package var followUpCommand: String { "user sessions \(name)" }
    package var auditText: AuditText? { .of(name) }

    package var name = ""
    package var session: Int64?

    package init() {}

    package func prepare(in operations: Operations) throws -> Step<EndedSessions> {
        let person = try operations.requirePerson(named: name)
        let sessions = operations.people.sessions
        return Step(effects: { _ in sessions.forgetAll() }) { store in
            let ended = try store.sessionWriter.end(of: person, id: session)
            guard ended > 0 || session == nil else {
                throw OperationError.absent(
                    "\(person.name) has no such session; see \(see: ListSessions.self)")
            }
            return EndedSessions(ended: ended)
        }
    }
}

package struct EndedSessions: View, Equatable {
    package static let about = ["ended": "the number of the sessions that were ended"]
    package var ended: Int
}

extension Member {
    fileprivate static func person(_ path: any WritableKeyPath<Root, String> & Sendable) -> Self {
        .path(path, "name", "The person's name.")
    }
}

extension Person {
    /// The name by which the store finds the person.
    fileprivate var personName: PersonName {
        get throws {
            guard let name = PersonName(name) else {
                throw OperationError.failed("the name of the person \(name) cannot be read")
            }
            return name
        }
    }
}

extension PersonWriter.Result {
    /// - Throws: `conflict` if the person is the last admin.
    fileprivate func person(named name: PersonName) throws(OperationError) -> Person {
        switch self {
        case .done(let person): return person
        case .lastAdmin:
            throw .conflict(
                """
                \(name.text) is the last person with the role \(Role.admin.rawValue); give the role to \
                another person first\(command: ", or repeat the command with --force", api: "")
                """)
        }
    }
}

extension Operations {
    func requirePerson(named name: String) throws -> Person {
        if let person = try PersonName(name).flatMap({ try store.people.find($0) }) { return person }
        throw Self.absence(
            "person", name, existing: try store.people.list().map(\.name), CreatePerson.self)
    }

    /// Makes the next use of each session read it again.
    fileprivate var forgetSessions: @Sendable (PersonView) -> Void {
        let sessions = people.sessions
        return { _ in sessions.forgetAll() }
    }
}
