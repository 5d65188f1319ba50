internal import ArgumentParser
internal import PushMaster
internal import PushModel
internal import PushStore
internal import PushWire

struct Explain: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Say which settings hold for an application's account and why, and how it does.",
        discussion: """
            An account is a connector, an environment and a credential: what has its own connections, quota and \
            breaker. Each setting is shown with the place that it comes from. What the account does now is known \
            where a master runs.
            """)

    @Argument(help: "The application's name.")
    var app: String

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let instance = try Instance(config)
        let store = try instance.openStore()
        let app = try store.catalogue.requireApp(named: app)
        let account = try AppAccount(of: app, in: store, of: instance)
        let now = Clocks.moment()
        let credential = CredentialFacts(
            account.order, given: try store.catalogue.credentialGiven(to: app.id), at: now.time)
        let master = try ControlClient.status(storePath: instance.storePath)
        let settings = AccountSettings(
            app: app, service: try store.catalogue.service(app.service)?.name ?? "", account: account,
            credential: credential, configuration: instance.configuration,
            lastPoll: try store.catalogue.lastFeedbackPoll(of: app.id))
        let state = AccountState(
            account: account, app: app.name, master: master, trust: try store.trust.trust(of: account.mark.part(of: app.id)))
        if let warning = credential.warning { StandardError.line("warning: \(warning)") }
        guard !json.isWanted else {
            return try StandardOutput.json([
                "app": .string(app.name), "account": .string(account.definition.name),
                "mark": .string(account.mark.rawValue), "settings": .array((settings.identity + settings.rows).map(\.json)),
                "credential": credential.json, "answers": state.answersJSON, "master": state.json,
            ])
        }
        var table = TextTable(["SETTING", "VALUE", "WHY"])
        for row in settings.rows { table.append([row.name, row.value, row.why]) }
        let identity = FieldList(
            settings.identity.map { ($0.name, $0.why.isEmpty ? $0.value : "\($0.value) (\($0.why))") })
        try StandardOutput.lines(identity.lines + [""] + table.lines + [""] + state.lines)
    }
}
