internal import PushModel
internal import PushStore
internal import PushWire

/// Subscribers with errors as they are printed, page by page: there may be a million.
struct QuarantineListing: ~Copyable {
    private let names: [AppID: String]
    private let wholeTokens: Bool
    private let asJSON: Bool
    private var output = FileWriter()
    private var count = 0

    init(names: [AppID: String], wholeTokens: Bool, asJSON: Bool) {
        self.names = names
        self.wholeTokens = wholeTokens
        self.asJSON = asJSON
    }

    mutating func append(_ entries: [QuarantineEntry]) throws(CommandFailure) {
        guard !entries.isEmpty else { return }
        if asJSON { try appendJSON(entries) } else { try appendTable(entries) }
        count += entries.count
    }

    mutating func finish() throws(CommandFailure) {
        if asJSON {
            try output.append(count == 0 ? "[]\n" : "\n]\n")
        } else if count == 0 {
            try output.append("nobody is in quarantine\n")
        }
        try output.finish()
    }

    private mutating func appendJSON(_ entries: [QuarantineEntry]) throws(CommandFailure) {
        let isFirst = count == 0
        let values = Self.json(of: entries, names: names)
        try output.append { bytes in
            for (place, value) in values.enumerated() {
                bytes.append(contentsOf: (isFirst && place == 0 ? "[\n  " : ",\n  ").utf8)
                value.append(to: &bytes, indentation: 2)
            }
        }
    }

    private mutating func appendTable(_ entries: [QuarantineEntry]) throws(CommandFailure) {
        var table = TextTable(
            ["APP", "TOKEN", "USER KEY", "STATE", "ERRORS", "SINCE", "FROM", "REASON", "DELIVERY"],
            numeric: ["ERRORS", "DELIVERY"])
        for entry in entries {
            table.append([
                names[entry.app] ?? "", wholeTokens ? entry.token : Self.shortened(entry.token), entry.userKey,
                entry.state.name, Numerals.grouped(entry.errors), entry.since.utcText, Self.name(of: entry.source),
                entry.reason, entry.delivery.map { "\($0)" } ?? "",
            ])
        }
        // The headings stand above the first page; widths are those of each page.
        let lines = table.lines.dropFirst(count == 0 ? 0 : 1)
        try output.append(lines.joined(separator: "\n") + "\n")
    }

    private static func json(of entries: [QuarantineEntry], names: [AppID: String]) -> [JSONValue] {
        entries.map { json($0, app: names[$0.app]) }
    }

    private static func json(_ entry: QuarantineEntry, app: String?) -> JSONValue {
        [
            "app": .string(app), "registrationToken": .string(entry.token),
            "userKey": .string(entry.userKey), "state": .string(entry.state.name), "errors": .integer(entry.errors),
            "since": .string(entry.since.utcText), "lastErrorAt": .string(entry.lastError.utcText),
            "source": .string(name(of: entry.source)), "reason": .string(entry.reason),
            "delivery": entry.delivery.map { .integer($0.rawValue) } ?? .null,
        ]
    }

    private static func name(of source: QuarantineSource) -> String {
        switch source {
        case .answer: "answer"
        case .feedback: "feedback"
        }
    }

    private static func shortened(_ token: String) -> String { token.count > 8 ? "\(token.prefix(8))…" : token }
}
