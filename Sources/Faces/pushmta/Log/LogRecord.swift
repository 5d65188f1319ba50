package import Logging
package import PushModel

/// One event of the log, as its line says it.
package struct LogRecord: Equatable, Sendable {
    package var time: WallMoment
    package var level: Logger.Level
    package var message: String
    /// What it is about (`delivery`, `child`, `account`), by name.
    package var fields: [Field]
    /// How often it came within the last minute without being said; 0: this is the first time.
    package var repeats = 0

    package struct Field: Hashable, Sendable {
        package var name: String
        package var value: String
        package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }

    package init(time: WallMoment, level: Logger.Level, message: String, fields: [Field] = []) {
        self.time = time
        self.level = level
        self.message = message
        self.fields = fields
    }
}

/// How the log's lines look: one event, one line, whatever the event's words hold.
package enum LogFormat: String, CaseIterable, Sendable {
    /// `time=2026-11-22T14:39:45.120Z level=info message="child 1 started" child=1`
    case text
    /// `{"time":"2026-11-22T14:39:45.120Z","level":"info","message":"child 1 started","child":"1"}`
    case json

    /// - Parameter isForJournal: systemd's journal has a time of its own, and takes how urgent a line is from
    ///   what it begins with (sd-daemon(3)).
    package func line(of record: LogRecord, isForJournal: Bool = false) -> String {
        var pairs = [("level", record.level.rawValue), ("message", record.message)]
        if !isForJournal { pairs.insert(("time", record.time.utcText), at: 0) }
        pairs += record.fields.map { ($0.name, $0.value) }
        if record.repeats > 0 { pairs.append(("repeats", "\(record.repeats)")) }
        return (isForJournal ? "<\(record.level.syslogPriority)>" : "") + line(of: pairs)
    }

    /// One line of names and values.
    func line(of pairs: [(name: String, value: String)]) -> String {
        opening + members(pairs) + closing
    }

    var opening: String { self == .text ? "" : "{" }
    var separator: String { self == .text ? " " : "," }
    var closing: String { self == .text ? "\n" : "}\n" }

    /// What stands between ``opening`` and ``closing``.
    func members(_ pairs: [(name: String, value: String)]) -> String {
        pairs.map { name, value in
            switch self {
            case .text: "\(name)=\(Self.bare(value) ? value : Self.quoted(value))"
            case .json: "\(Self.quoted(name)):\(Self.quoted(value))"
            }
        }.joined(separator: separator)
    }

    /// What stands around the value of a member that needs no quotation marks, as a number.
    func around(_ name: String) -> (before: String, after: String) {
        self == .text ? ("\(name)=", "") : ("\(Self.quoted(name)):\"", "\"")
    }

    /// Needs no quotation marks: no space, no `=`, nothing that ends a line.
    private static func bare(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x3D && $0 != 0x5C }
    }

    /// A JSON string (RFC 8259, section 7), which logfmt's readers take as well.
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            // Control characters, and the two that end a line for some readers.
            case _
            where scalar.value < 0x20 || 0x7F...0x9F ~= scalar.value || 0x2028...0x2029 ~= scalar.value:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}

extension Logger.Level {
    /// As syslog(3) counts, 0 being the worst.
    fileprivate var syslogPriority: Int {
        switch self {
        case .critical: 2
        case .error: 3
        case .warning: 4
        case .notice: 5
        case .info: 6
        case .debug, .trace: 7
        }
    }
}
