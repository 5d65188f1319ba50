internal import ArgumentParser
internal import PushModel
internal import PushOperations
internal import PushStore
internal import PushWire

struct QuarantineCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quarantine",
        abstract: "Subscribers that are not sent to, because of what gateways said of them.",
        subcommands: [QuarantineList.self, QuarantineRelease.self, StormCommand.self])
}

/// States by the names that operators read and type.
extension QuarantineState: ExpressibleByArgument {
    package init?(argument: String) { self.init(word: argument) }

    package static var allValueStrings: [String] { allCases.map(\.name) }
}

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

/// Subscribers with errors as they are printed, page by page: there may be a million.
struct QuarantineOutput: ~Copyable {
    private let wholeTokens: Bool
    private let asJSON: Bool
    private var output = FileWriter()
    private var count = 0

    init(wholeTokens: Bool, asJSON: Bool) {
        self.wholeTokens = wholeTokens
        self.asJSON = asJSON
    }

    mutating func append(_ entries: [QuarantineView]) throws {
        guard !entries.isEmpty else { return }
        if asJSON { try appendJSON(entries) } else { try appendTable(entries) }
        count += entries.count
    }

    mutating func finish() throws {
        if asJSON {
            try output.append(count == 0 ? "[]\n" : "\n]\n")
        } else if count == 0 {
            try output.append("nobody is in quarantine\n")
        }
        try output.finish()
    }

    private mutating func appendJSON(_ entries: [QuarantineView]) throws {
        let isFirst = count == 0
        let values = try entries.map { try JSONValue(encoding: $0) }
        try output.append { bytes in
            for (place, value) in values.enumerated() {
                bytes.append(contentsOf: (isFirst && place == 0 ? "[\n  " : ",\n  ").utf8)
                value.append(to: &bytes, indentation: 2)
            }
        }
    }

    private mutating func appendTable(_ entries: [QuarantineView]) throws {
        var table = TextTable(
            ["APP", "TOKEN", "USER KEY", "STATE", "ERRORS", "SINCE", "FROM", "REASON", "DELIVERY"],
            numeric: ["ERRORS", "DELIVERY"])
        for entry in entries {
            let token = entry.token
            table.append([
                entry.app ?? "", wholeTokens ? token : Self.shortened(token), entry.userKey, entry.state.name,
                "\(entry.errors)", entry.since.utcText, entry.source.name, entry.reason,
                entry.delivery.map { "\($0)" } ?? "",
            ])
        }
        // The headings stand above the first page; widths are those of each page.
        let lines = table.lines.dropFirst(count == 0 ? 0 : 1)
        try output.append(lines.joined(separator: "\n") + "\n")
    }

    private static func shortened(_ token: String) -> String {
        token.count > 8 ? "\(token.prefix(8))…" : token
    }
}

struct QuarantineRelease: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "release", abstract: "Make subscribers valid again and forget their errors.",
        discussion: """
            Deliveries prepared from now on are sent to them. A gateway that still calls their tokens dead puts them \
            back. Exit status 1 where nobody was there to release.
            """)

    @Option(help: "The application's name.", completion: .appNames)
    var app: String

    @Option(
        name: .customLong("token"),
        help: ArgumentHelp(
            "A registration token, whole; may be repeated.", valueName: "token"))
    var tokens: [String] = []

    @Option(help: ArgumentHelp("All subscribers with this user key.", valueName: "key"))
    var userKey: String?

    @Flag(help: "All subscribers of the application that have errors.")
    var all = false

    @Flag(help: "Do not ask before --all.")
    var yes = false

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func validate() throws {
        let ways = [!tokens.isEmpty, userKey != nil, all].count { $0 }
        guard ways == 1 else { throw ValidationError("Give one of --token, --user-key and --all.") }
        guard tokens.count <= ReleaseFromQuarantine.mostTokens else {
            throw ValidationError("Give at most \(ReleaseFromQuarantine.mostTokens) tokens at once.")
        }
        if yes, !all { throw ValidationError("--yes belongs to --all.") }
    }

    func run() throws {
        let operations = try Operations(config)
        if all, !yes { try Self.confirm(try operations.carryOut(CountSubscribers(app: app))) }
        let subscribers: ReleaseFromQuarantine.Subscribers =
            if let userKey { .userKey(userKey) } else if all { .all } else { .tokens(tokens) }
        var progress = ProgressLine()
        let done = try operations.carryOut(
            ReleaseFromQuarantine(app: app, subscribers: subscribers),
            watchedBy: Watch(report: { done in
                progress.show { "\(Numerals.grouped(done.released)) released" }
            }))
        progress.clear()
        try StandardOutput.answer(
            done, json,
            "\(Numerals.count(done.released, "subscriber")) released, "
                + "errors of \(Numerals.grouped(done.forgiven)) more forgotten")
        if done.released + done.forgiven == 0 { throw Ending.failed }
    }

    private static func confirm(_ counts: [SubscriberCounts]) throws(CommandFailure) {
        guard let counts = counts.first else { return }
        try Confirmation.ask(
            """
            release \(Numerals.grouped(counts.quarantined)) quarantined and \(Numerals.grouped(counts.disabled)) \
            disabled subscribers of \(counts.app)?
            """,
            elsewhere:
                "--all releases every subscriber of \(counts.app) that has errors; add --yes to do that",
            refusal: "nothing was released")
    }
}
