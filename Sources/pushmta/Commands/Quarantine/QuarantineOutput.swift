internal import PushModel
internal import PushOperations
internal import PushWire

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
            let token = entry.registrationToken
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
