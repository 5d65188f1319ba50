internal import ArgumentParser
internal import PushConfig
internal import PushConnectors
internal import PushMaster
internal import PushModel
internal import PushStore
internal import PushWire

struct PollFeedback: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "poll", abstract: "Read an application's feedback service now, and apply what it tells.",
        discussion: """
            The service names devices from which the app is gone, and since when. A subscriber is disabled only where \
            it did not register after that. Each change is printed with its evidence.

            A running master does the same every nmac/iosBinary/@feedbackPeriodSec; asking in between does no harm. \
            Exit status 1 where the service cannot be read to its end: what it told before that is applied.
            """)

    @Argument(help: "The application's name.")
    var app: String

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let instance = try Instance(config)
        let store = try instance.openStore()
        let app = try store.catalogue.requireApp(named: app)
        try Self.check(app, of: instance)
        let credential = try store.credentials(key: try store.instanceKey()).credential(of: app.id)
        let gateway = try GatewaySettings(instance.settings).gateway(of: app.settings.connector)
        var application = FeedbackApplication(
            writer: store.feedback, app: app.id, storePath: instance.storePath, printsChanges: !json.isWanted)
        let end = FeedbackPoll.run(settings: app.settings, credential: credential, gateway: gateway) { tuples in
            application.take(tuples)
        }
        let totals = application.totals
        let trouble = end.trouble.map { "the feedback service of \(app.name) could not be read to its end: \($0)" }
        if trouble == nil, application.failure == nil { try store.feedback.notePoll(of: app.id, at: Clocks.moment()) }
        if json.isWanted { try StandardOutput.json(totals.json(app: app.name, isComplete: trouble == nil)) }
        if !json.isWanted, trouble == nil || totals.told > 0 { try StandardOutput.line(totals.text) }
        if let failure = application.failure { throw failure }
        guard let trouble else { return }
        let kept = switch totals.told {
        case 0: ""
        case 1: "; the 1 device told of before is dealt with"
        default: "; the \(Numerals.grouped(totals.told)) devices told of before are dealt with"
        }
        throw CommandFailure.failed(trouble + kept)
    }

    private static func check(_ app: App, of instance: Instance) throws(CommandFailure) {
        let connector = app.settings.connector
        guard connector == .ios else {
            throw .refused(
                "app \(app.name) has connector \(connector) and so no feedback service: its gateway tells at once, "
                    + "with its answer, that a device is gone; 'quarantine list --app \(app.name)' shows which are")
        }
        if instance.settings.mta.verifyMode {
            throw .refused("mta/@verifyMode is true, so no gateway is spoken to; set it to false to ask the service")
        }
    }
}
