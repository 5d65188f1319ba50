internal import ArgumentParser
internal import PushConnectors
internal import PushModel
internal import PushOperations

struct AppCreate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Create an application with its connection settings.",
        discussion: """
            The credential is checked before anything is stored: a key that does not parse, a wrong password, an \
            expired certificate or one that the connector has no use for ends with status 3.
            """)

    @Argument(help: "The application's name, unique in the instance.")
    var name: ObjectName

    @Option(help: "The service that it belongs to.", completion: .serviceNames)
    var service: String

    @Option(help: "Whose devices it runs on.")
    var platform: Platform

    @Option(
        help: ArgumentHelp("What the app's SDK calls its mobile app id: any text, unique.", valueName: "key"))
    var integrationKey: ObjectName

    @Option(
        help: ArgumentHelp(
            "How its messages leave: \(ConnectorCatalogue.names.map(\.rawValue).joined(separator: ", ")).",
            discussion: "stub accepts everything and sends nothing.", valueName: "name"),
        completion: .list(ConnectorCatalogue.names.map(\.rawValue)))
    var connector: String

    @Option(help: "Which of the gateway's worlds its tokens belong to.")
    var environment: PushEnvironment = .production

    @Option(
        help: ArgumentHelp(
            "The app's bundle identifier, APNs' topic; Android has none.",
            discussion: "Default: what the certificate names.",
            valueName: "id"))
    var bundleID: ObjectName?

    @OptionGroup(title: "Credential") var credential: CredentialOptions

    @Option(
        name: .customLong("variable"),
        help: ArgumentHelp(
            "An application variable; may be repeated.",
            discussion: "One without a default must be given by each delivery.",
            valueName: "name[=default]"))
    var variables: [AppVariable] = []

    @Option(
        name: .customLong("sound"),
        help: ArgumentHelp(
            "A sound by the name that devices know and the one that people read; may be repeated.",
            valueName: "internal=label"))
    var sounds: [AppSound] = []

    @Option(
        name: .customLong("parameter"),
        help: ArgumentHelp(
            "A subscription parameter that devices register with; may be repeated.",
            discussion: """
                Kinds are text, number, date and boolean; text unless said otherwise. Where an app has any, devices \
                register with these alone, and with no value of another kind.
                """,
            valueName: "name[:kind]"))
    var parameters: [ParameterDeclaration] = []

    @Option(
        name: .customLong("message-id-format"),
        help: ArgumentHelp(
            "What _mId looks like.", discussion: "Default: tracking/@messageIdFormat of the configuration."))
    var messageIDFormat: MessageIDFormat?

    @Option(help: ArgumentHelp("What people call it.", valueName: "text"))
    var label: String?

    @Option(
        help: ArgumentHelp(
            "A picture of it: a PNG of at least 48 by 48 pixels and at most 256 KiB.", valueName: "file"),
        completion: .file(extensions: ["png"]))
    var icon: String?

    @Flag(
        help: ArgumentHelp(
            "Make another app for sandbox tokens beside it, NAME-sandbox.",
            discussion: """
                Of iOS, with the same token key; its integration key is KEY-sandbox, which builds of the app that are \
                not from the store register with. Both are made, or neither.
                """))
    var pair = false

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let change = try Operations(config).carryOut(
            CreateApp(
                name: name.text, service: service, platform: platform, integrationKey: integrationKey.text,
                connector: connector, environment: environment, bundleId: bundleID?.text,
                credential: try credential.file(), variables: variables, sounds: sounds,
                parameters: parameters,
                messageIdFormat: messageIDFormat, label: label, icon: try icon.map(AppIconFile.image),
                pair: pair))
        let names = [change.app.name] + (change.sandbox.map { [$0.name] } ?? [])
        let text = names.map { "app \($0) created" }.joined(separator: "\n")
        try StandardOutput.answer(change, json, text)
        change.announce()
    }
}
