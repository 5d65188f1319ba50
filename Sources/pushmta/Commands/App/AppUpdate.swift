internal import ArgumentParser
internal import PushModel
internal import PushOperations

struct AppUpdate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "update", abstract: "Change an application; what is not named stays as it is.",
        discussion: """
            Platform and connector cannot be changed, nor the environment once the app has subscribers: tokens belong \
            to them, so that would be another app. A new credential is checked as 'app create' does, and \
            holds for all that is under way. Bundle id, variables and message ids hold for what is submitted from now \
            on; what was submitted before goes out as it was, unless --live-deliveries is given.
            """)

    @Argument(help: "The application's name.", completion: .appNames)
    var name: String

    @Option(help: ArgumentHelp("What the app's SDK calls its mobile app id.", valueName: "key"))
    var integrationKey: ObjectName?

    @Option(
        help: ArgumentHelp("The app's bundle identifier, APNs' topic; Android has none.", valueName: "id"))
    var bundleID: ObjectName?

    @Option(help: "Which of the gateway's worlds its tokens belong to; only while it has no subscribers.")
    var environment: PushEnvironment?

    @OptionGroup(title: "Credential") var credential: CredentialOptions

    @Option(
        name: .customLong("variable"),
        help: ArgumentHelp(
            "Add an application variable or change its default; may be repeated.", valueName: "name[=default]"
        ))
    var variables: [AppView.Variable] = []

    @Option(name: .customLong("remove-variable"), help: ArgumentHelp("Remove a variable.", valueName: "name"))
    var removedVariables: [String] = []

    @Option(
        name: .customLong("sound"),
        help: ArgumentHelp(
            "Add a sound or change its label; may be repeated.", valueName: "internal=label"))
    var sounds: [AppView.Sound] = []

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
    var parameters: [AppView.Parameter] = []

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
                icon: try icon.map(AppIconFile.image), removesIcon: removeIcon))
        try StandardOutput.answer(change, json, "app \(change.app.name) updated")
        change.announce()
    }
}
