internal import ArgumentParser
internal import PushAPI
internal import PushModel

struct AppTest: MemberCommand {
    static let configuration = CommandConfiguration(
        commandName: "test", abstract: "Test an application's connection to its gateway, or another one.",
        discussion: """
            No device receives anything: the push is addressed to a token that no device has, and FCM only \
            validates it. The old binary gateway may send no answer, which counts as success. Exit status 1 \
            if the gateway cannot be reached or refuses the credential. With a connector, a credential, a \
            bundle id or an environment, the command tests the connection that the application would have \
            with these settings, and changes nothing.

            Example: pushmta app test shop-ios
            """)

    @OptionGroup var members: MemberArguments<TestApp>
    @OptionGroup(title: "Credential") var credential: CredentialOptions
    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        try members.request(with: ["credential": try credential.file()?.json]).run(
            by: Operations(config), json)
    }
}

extension TestApp: CommandUseCase {
    static let form = CommandForm(without: ["credential"])
    static func lines(_ tested: Answer) -> [String] { tested.lines }
    static func conclude(_ tested: Answer) throws { if !tested.succeeded { throw CommandExit.failed } }
}

struct AppSwitch: MemberCommand {
    static let configuration = CommandConfiguration(
        commandName: "switch",
        abstract: "Test another connector or credential, and switch the application to it.",
        discussion: """
            The command first tests the new connection, as 'app test' does. If the gateway does not accept \
            it, nothing is changed, and the exit status is 3. The switch has the effects that 'app update' \
            describes: subscribers and deliveries in progress are kept. The previous connector and \
            credential are kept as well, and 'app switch-back' restores them.

            The example changes from APNs' binary protocol to HTTP/2.

            Example: pushmta app switch shop-ios --connector iosHTTP2 --p8 AuthKey_ABC1234567.p8 \
            --key-id ABC1234567 --team-id DEF1234567
            """)

    @OptionGroup var members: MemberArguments<SwitchApp>
    @OptionGroup(title: "Credential") var credential: CredentialOptions
    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        try members.request(with: ["credential": try credential.file()?.json]).run(
            by: Operations(config), json)
    }
}

extension SwitchApp: CommandUseCase {
    static let form = CommandForm(options: ["skipsTest": "skip-test"], without: ["credential"])
    static func lines(_ change: AppChange) -> [String] { change.switchedLines }
    static func conclude(_ change: AppChange) { change.announce() }
}

extension SwitchAppBack: CommandUseCase {
    static let form = CommandForm(
        discussion: """
            The application gets the connector, the credential and the bundle id that it had before its \
            connector or credential was last changed, with 'app switch' or with 'app update'. 'app show' \
            shows this former connection. The command first tests it; if the gateway does not accept it, \
            nothing is changed, and the exit status is 3. Afterwards, the same command switches the \
            application forth again.

            Example: pushmta app switch-back shop-ios
            """,
        options: ["skipsTest": "skip-test"])
    static func lines(_ change: AppChange) -> [String] { change.switchedLines }
    static func conclude(_ change: AppChange) { change.announce() }
}

extension AppChange {
    /// The lines of the test, if there was one, and a line that states the app's new connection.
    fileprivate var switchedLines: [String] {
        let credential = app.credential.map { " with \($0)" } ?? ""
        return (test ?? []) + [
            "app \(app.name) now uses \(app.connector) in \(app.environment.rawValue)\(credential)"
        ]
    }
}

extension FormerConnectionView {
    /// A text such as `iosHTTP2 production with token:DEF1234567:ABC1234567, until 2026-11-21 10:00:00 UTC`.
    var text: String {
        let credential = credential.map { " with \($0)" } ?? ""
        return "\(connector) \(environment.rawValue)\(credential), until \(replacedAt.utcText)"
    }
}
