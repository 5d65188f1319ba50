internal import ArgumentParser
internal import PushAPI
internal import PushModel
internal import PushWire

/// Explains an app's account, or why a person did or did not get a push.
struct Explain: PerformingCommand {
    static let useCases: [any UseCase.Type] = [ExplainApp.self, ExplainPush.self]
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explain an app's account, or why a person did not get a push.",
        discussion: """
            With the name of an app: an account is a combination of connector, environment and credential. \
            Each account has its own connections, quota and breaker. Each setting is shown with its source. \
            The current state of the account is known only if a master is running. Instead of an app, you \
            can name an account as "status" shows it.

            With --user-key or --token: the command shows whether devices are registered and included in \
            deliveries, whether the delivery selected them, what the gateway answered and what that means, \
            what the devices reported, and what to do. Without --delivery, it explains the newest messages. \
            Exit status 1 if nothing is known about the person or the device.

            Example: pushmta explain --user-key anna --delivery 17
            """)

    @Argument(help: "The name of an app, or of an account of the running master.", completion: .appNames)
    var name: String?

    @Option(help: ArgumentHelp("Explain the pushes to this person.", valueName: "key"))
    var userKey: String?

    @Option(help: ArgumentHelp("Explain the pushes to the device with this token.", valueName: "token"))
    var token: String?

    @Option(
        help: ArgumentHelp("Explain this delivery.", discussion: "Default: the newest messages."),
        completion: .deliveryIDs, transform: NumberArgument.deliveryID)
    var delivery: DeliveryID?

    @Option(help: "Consider only devices of this app.", completion: .appNames)
    var app: String?

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func validate() throws {
        guard [name, userKey, token].count(where: { $0 != nil }) == 1 else {
            throw ValidationError("Give the name of an app, --user-key or --token.")
        }
        if name != nil, delivery != nil || app != nil {
            throw ValidationError("--delivery and --app require --user-key or --token.")
        }
    }

    func run() throws {
        let operations = try Operations(config)
        if let name {
            let member = JSONMember(key: "name", value: .string(name))
            return try ExplainApp.request(of: [member], { $0 }).run(by: operations, json)
        }
        let who = token.map { SubscriberName.token($0) } ?? .userKey(userKey ?? "")
        try ExplainPush(who, app: app, delivery: delivery).run(by: operations, json)
    }
}

extension ExplainApp: CommandUseCase {
    static func lines(_ explanation: Answer) -> [String] {
        explanation.lines(within: StandardOutput.terminalSize?.columns)
    }
    static func conclude(_ explanation: Answer) {
        if let warning = explanation.credential.warning { StandardError.line("warning: \(warning)") }
    }
}

extension ExplainPush: CommandUseCase {
    static func lines(_ explanation: PushExplanation) -> [String] {
        explanation.lines(within: StandardOutput.terminalSize?.columns)
    }
    static func conclude(_ explanation: PushExplanation) throws {
        if explanation.deviceCount + explanation.removedDevices == 0 { throw CommandExit.failed }
    }
}
