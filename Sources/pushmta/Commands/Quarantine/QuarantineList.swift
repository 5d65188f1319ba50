internal import ArgumentParser
internal import PushOperations
internal import PushStore

struct QuarantineList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List subscribers with errors.",
        discussion: """
            States: 'quarantined', its token's errors were enough; 'disabled', a feedback service said that the app is \
            gone from the device; 'counting', still sent to, with errors that count. A new registration ends each.

            The table shortens tokens; --whole-tokens and --json do not.
            """)

    @Option(help: "Only those of this application.", completion: .appNames)
    var app: String?

    @Option(help: "Only those in this state, as above; without it those in any.")
    var state: QuarantineState?

    @Flag(help: "Show tokens as 'quarantine release --token' takes them.")
    var wholeTokens = false

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let operations = try Operations(config)
        var output = QuarantineOutput(wholeTokens: wholeTokens, asJSON: json.isWanted)
        var page = ListQuarantine(app: app, state: state)
        repeat {
            let listing = try operations.carryOut(page)
            try output.append(listing.items)
            page.after = listing.cursor
        } while page.after != nil
        try output.finish()
    }
}
