internal import ArgumentParser
internal import PushModel
internal import PushStore
internal import PushWire

struct QuarantineList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List subscribers with errors.",
        discussion: """
            States: 'quarantined', its token's errors were enough; 'disabled', a feedback service said that the app is \
            gone from the device; 'counting', still sent to, with errors that count. A new registration ends each.

            The table shortens tokens; --whole-tokens and --json do not.
            """)

    @Option(help: "Only those of this application.")
    var app: String?

    @Option(help: "Only those in this state.")
    var state: QuarantineState?

    @Flag(help: "Show tokens as 'quarantine release --token' takes them.")
    var wholeTokens = false

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let store = try Instance(config).openStore()
        let wanted = try app.map { try store.catalogue.requireApp(named: $0).id }
        let names = Dictionary(try store.catalogue.apps().map { ($0.id, $0.name) }) { first, _ in first }
        var output = QuarantineListing(names: names, wholeTokens: wholeTokens, asJSON: json.isWanted)
        var next: SubscriptionID?
        repeat {
            let page = try store.quarantine.list(app: wanted, state: state, after: next)
            try output.append(page.entries)
            next = page.next
        } while next != nil
        try output.finish()
    }
}
