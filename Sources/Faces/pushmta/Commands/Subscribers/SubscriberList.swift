internal import ArgumentParser
internal import PushAPI
internal import PushModel
internal import PushWire

/// A use case that lists subscribers. Its command prints the list page by page, because there may be millions
/// of subscribers.
protocol SubscriberListing: CommandUseCase where Answer == Page<Entry> {
    associatedtype Entry: View
    var after: Int64? { get set }
    /// The text that is printed instead of the table if there are no entries.
    static var emptyText: String { get }
    static var columns: [String] { get }
    static var numericColumns: [String] { get }
    static func token(of entry: Entry) -> String
    /// - Parameter token: The token in the form that the table shows.
    static func row(_ entry: Entry, token: String) -> [String]
}

/// Returns the command for a list of subscribers. The command is created at a place where the conformance of
/// its type is known: see ``command(_:)``.
@inline(never)
func listCommand(_ request: any SubscriberListing.Type) -> any ParsableCommand.Type { request.listCommand }

extension SubscriberListing {
    fileprivate static var listCommand: any ParsableCommand.Type { SubscriberListCommand<Self>.self }
}

struct SubscriberListCommand<Request: SubscriberListing>: MemberCommand {
    static var configuration: CommandConfiguration { RequestCommand<Request>.configuration }

    @OptionGroup var members: MemberArguments<Request>

    @Flag(help: "Show tokens in full, as other commands take them.")
    var wholeTokens = false

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        var (request, operations) = (try members.request(), try Operations(config))
        var output = SubscriberListOutput<Request>(wholeTokens: wholeTokens, asJSON: json.isWanted)
        repeat {
            let page = try request.carryOut(by: operations)
            try output.append(page.items)
            request.after = page.position
        } while request.after != nil
        try output.finish()
    }
}

private struct SubscriberListOutput<Request: SubscriberListing>: ~Copyable {
    private let wholeTokens: Bool
    private let asJSON: Bool
    private var output = FileWriter()
    private var count = 0

    init(wholeTokens: Bool, asJSON: Bool) {
        self.wholeTokens = wholeTokens
        self.asJSON = asJSON
    }

    mutating func append(_ entries: [Request.Entry]) throws {
        guard !entries.isEmpty else { return }
        if asJSON { try appendJSON(entries) } else { try appendTable(entries) }
        count += entries.count
    }

    mutating func finish() throws {
        if asJSON {
            try output.append(count == 0 ? "[]\n" : "\n]\n")
        } else if count == 0 {
            try output.append("\(Request.emptyText)\n")
        }
        try output.finish()
    }

    private mutating func appendJSON(_ entries: [Request.Entry]) throws {
        let isFirst = count == 0
        let values = try entries.map { try JSONValue(encoding: $0) }
        try output.append { bytes in
            for (place, value) in values.enumerated() {
                bytes.append(contentsOf: (isFirst && place == 0 ? "[\n  " : ",\n  ").utf8)
                value.append(to: &bytes, indentation: 2)
            }
        }
    }

    private mutating func appendTable(_ entries: [Request.Entry]) throws {
        var table = TextTable(Request.columns, numeric: Request.numericColumns)
        for entry in entries {
            let token = Request.token(of: entry)
            table.append(Request.row(entry, token: wholeTokens ? token : Self.shortened(token)))
        }
        // Only the first page has headings. Each page has its own column widths.
        let lines = table.lines.dropFirst(count == 0 ? 0 : 1)
        try output.append(lines.joined(separator: "\n") + "\n")
    }

    private static func shortened(_ token: String) -> String {
        token.count > 8 ? "\(token.prefix(8))…" : token
    }
}
