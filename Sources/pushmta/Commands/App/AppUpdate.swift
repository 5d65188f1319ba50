internal import ArgumentParser
internal import PushConnectors
internal import PushModel
internal import PushOperations

struct AppUpdate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "update", abstract: "Change an application; what is not named stays as it is.",
        discussion: """
            The platform cannot be changed, nor the environment once the app has subscribers: tokens belong to them, so \
            that would be another app. Connector and credential apply to deliveries in progress as well: messages in \
            flight finish through the old connector, and all others, retries included, go through the new one. \
            Subscribers, their states and the quarantine stay as they are. A new credential is checked as 'app create' \
            does. Bundle id, variables and message ids apply to deliveries that are submitted from now on, unless \
            --live-deliveries is given.

            For example, from APNs' binary protocol to HTTP/2:

              pushmta app update shop-ios --connector iosHTTP2 --p8 AuthKey_ABC1234567.p8 --key-id ABC1234567 \
            --team-id DEF1234567
            """)

    @Argument(help: "The application's name.", completion: .appNames)
    var name: String

    @Option(help: ArgumentHelp("What the app's SDK calls its mobile app id.", valueName: "key"))
    var integrationKey: ObjectName?

    @Option(
        help: ArgumentHelp("The app's bundle identifier, APNs' topic; Android has none.", valueName: "id"))
    var bundleID: ObjectName?

    @Option(
        help: ArgumentHelp(
            "Send through another connector of the platform: \(ConnectorCatalogue.names.map(\.rawValue).joined(separator: ", ")).",
            discussion: """
                If it cannot use the app's credential, give another one in the same command. Refused while a delivery is \
                in progress whose content the connector cannot send. With stub the app keeps its credential.
                """,
            valueName: "name"),
        completion: .list(ConnectorCatalogue.names.map(\.rawValue)))
    var connector: String?

    @Option(help: "Which of the gateway's worlds its tokens belong to; only while it has no subscribers.")
    var environment: PushEnvironment?

    @OptionGroup(title: "Credential") var credential: CredentialOptions

    @Option(
        name: .customLong("variable"),
        help: ArgumentHelp(
            "Add an application variable or change its default; may be repeated.", valueName: "name[=default]"
        ))
    var variables: [AppVariable] = []

    @Option(name: .customLong("remove-variable"), help: ArgumentHelp("Remove a variable.", valueName: "name"))
    var removedVariables: [String] = []

    @Option(
        name: .customLong("sound"),
        help: ArgumentHelp(
            "Add a sound or change its label; may be repeated.", valueName: "internal=label"))
    var sounds: [AppSound] = []

    @Option(name: .customLong("remove-sound"), help: ArgumentHelp("Remove a sound.", valueName: "internal"))
    var removedSounds: [String] = []

    @Option(
        name: .customLong("parameter"),
        help: ArgumentHelp(
            "Add a subscription parameter or change its kind; may be repeated.",
            discussion: """
                Kinds are text, number, date and boolean; text unless said otherwise. Where an app has any, devices \
                register with these alone, and with no value of another kind.
                """,
            valueName: "name[:kind]"))
    var parameters: [ParameterDeclaration] = []

    @Option(
        name: .customLong("remove-parameter"), help: ArgumentHelp("Remove a parameter.", valueName: "name"))
    var removedParameters: [String] = []

    @Option(name: .customLong("message-id-format"), help: "What _mId looks like, for deliveries from now on.")
    var messageIDFormat: MessageIDFormat?

    @Flag(
        help: ArgumentHelp(
            "Bind deliveries that have not ended to the app as it is now.",
            discussion: "For a bundle id that was wrong, so that messages wait for it."))
    var liveDeliveries = false

    @Option(help: ArgumentHelp("What people call it; an empty one takes it away.", valueName: "text"))
    var label: String?

    @Option(
        help: ArgumentHelp(
            "A picture of it: a PNG of at least 48 by 48 pixels and at most 256 KiB.", valueName: "file"),
        completion: .file(extensions: ["png"]))
    var icon: String?

    @Flag(help: "Take its icon away.")
    var removeIcon = false

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func validate() throws {
        guard icon == nil || !removeIcon else {
            throw ValidationError("Give one of --icon and --remove-icon.")
        }
    }

    func run() throws {
        let change = try Operations(config).carryOut(
            UpdateApp(
                name: name, integrationKey: integrationKey?.text, bundleId: bundleID?.text,
                environment: environment, credential: try credential.file(), variables: variables,
                removedVariables: removedVariables, sounds: sounds, removedSounds: removedSounds,
                parameters: parameters, removedParameters: removedParameters,
                messageIdFormat: messageIDFormat, liveDeliveries: liveDeliveries, label: label,
                icon: try icon.map(AppIconFile.image), removesIcon: removeIcon, connector: connector))
        try StandardOutput.answer(change, json, "app \(change.app.name) updated")
        change.announce()
    }
}
