internal import ArgumentParser
internal import PushConnectors
internal import PushModel
internal import PushStore

struct AppUpdate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "update", abstract: "Change an application; what is not named stays as it is.",
        discussion: """
            Platform, connector and environment cannot be changed: tokens belong to them, so that would be another \
            app. A new credential is checked as 'app create' does.
            """)

    @Argument(help: "The application's name.")
    var name: String

    @Option(help: ArgumentHelp("What the app's SDK calls its mobile app id.", valueName: "key"))
    var integrationKey: ObjectName?

    @Option(help: ArgumentHelp("The app's bundle identifier, APNs' topic; Android has none.", valueName: "id"))
    var bundleID: ObjectName?

    @OptionGroup(title: "Credential") var credential: CredentialOptions

    @Option(name: .customLong("variable"), help: ArgumentHelp(
        "Add an application variable or change its default; may be repeated.", valueName: "name[=default]"))
    var variables: [AppVariable] = []

    @Option(name: .customLong("remove-variable"), help: ArgumentHelp("Remove a variable.", valueName: "name"))
    var removedVariables: [String] = []

    @Option(name: .customLong("sound"), help: ArgumentHelp(
        "Add a sound or change its label; may be repeated.", valueName: "internal=label"))
    var sounds: [AppSound] = []

    @Option(name: .customLong("remove-sound"), help: ArgumentHelp("Remove a sound.", valueName: "internal"))
    var removedSounds: [String] = []

    @Option(name: .customLong("message-id-format"), help: "What _mId looks like, for deliveries from now on.")
    var messageIDFormat: MessageIDFormat?

    @OptionGroup var config: ConfigurationOption

    func run() throws {
        let instance = try Instance(config)
        let store = try instance.openStore()
        let app = try store.catalogue.requireApp(named: name)
        var settings = app.settings
        if credential.kind != .none { try AppRules.check(credential.kind, for: settings.connector) }
        let credential = try credential.intake()
        if let credential { settings.credentialIdentity = credential.identity }
        if let integrationKey { settings.integrationKey = integrationKey.text }
        if let bundleID { settings.bundleID = bundleID.text }
        if let messageIDFormat { settings.messageIDFormat = messageIDFormat }
        settings.variables = try Self.merged(
            settings.variables, with: try AppRules.checked(variables, platform: settings.platform),
            without: removedVariables, name: { $0.name }, kind: "variable")
        settings.sounds = try Self.merged(
            settings.sounds, with: try AppRules.checked(sounds), without: removedSounds, name: { $0.internalName },
            kind: "sound")
        let writer = store.catalogueWriter(key: try store.instanceKey())
        let updated = try writer.updateApp(app.id, to: settings, credential: credential?.opaque)
        try StandardOutput.line("app \(updated.name) updated")
        AppRules.announce(credential)
    }

    /// What is there, changed: an item of the same name is replaced in its place, a new one stands at the end.
    private static func merged<Item>(
        _ present: [Item], with changes: [Item], without removed: [String], name: (Item) -> String, kind: String
    ) throws(CommandFailure) -> [Item] {
        var items = present
        for removedName in removed {
            guard let index = items.firstIndex(where: { name($0) == removedName }) else {
                throw .refused("there is no \(kind) \(removedName) to remove")
            }
            items.remove(at: index)
        }
        for change in changes {
            if let index = items.firstIndex(where: { name($0) == name(change) }) {
                items[index] = change
            } else {
                items.append(change)
            }
        }
        return items
    }
}
