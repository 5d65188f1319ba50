package import Logging
package import PushModel
internal import PushWire

/// One event of the log, with the contents of its line.
package struct LogRecord: Equatable, Sendable {
    package var time: WallMoment
    package var level: Logger.Level
    package var message: String
    /// The objects that the event concerns (`delivery`, `child`, `account`), with their names.
    package var fields: [Field]
    /// The number of equal events that were counted instead of logged; 0 for the first event.
    package var repeats = 0
    /// The time of the last logged event before those that were counted; `nil` if none were counted.
    package var since: WallMoment?

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

/// The format of the log's lines: each event is one line, whatever text it contains.
package enum LogFormat: String, CaseIterable, Sendable {
    /// The format of lines such as `time=2026-11-22T14:39:45.120Z level=info message="child 1 started"
    /// child=1`.
    case text
    /// The format of lines such as `{"time":"2026-11-22T14:39:45.120Z","level":"info","message":"child 1
    /// started","child":"1"}`.
    case json

    /// - Parameter isForJournal: Whether the line is for systemd's journal, which records the time itself and
    ///   reads the priority from the beginning of the line (sd-daemon(3)).
    package func line(of record: LogRecord, isForJournal: Bool = false) -> String {
        var pairs = [("level", record.level.rawValue), ("message", record.message)]
        if !isForJournal { pairs.insert(("time", record.time.utcText), at: 0) }
        pairs += record.fields.map { ($0.name, $0.value) }
        if record.repeats > 0 { pairs.append(("repeats", "\(record.repeats)")) }
        if let since = record.since { pairs.append(("since", since.utcText)) }
        return (isForJournal ? "<\(record.level.syslogPriority)>" : "") + line(of: pairs)
    }

    /// Returns one line of names and values.
    func line(of pairs: [(name: String, value: String)]) -> String {
        opening + members(pairs) + closing
    }

    var opening: String { self == .text ? "" : "{" }
    var separator: String { self == .text ? " " : "," }
    var closing: String { self == .text ? "\n" : "}\n" }

    /// Returns the part between ``opening`` and ``closing``.
    func members(_ pairs: [(name: String, value: String)]) -> String {
        pairs.map { name, value in
            switch self {
            case .text: "\(name)=\(Self.bare(value) ? value : Self.quoted(value))"
            case .json: "\(Self.quoted(name)):\(Self.quoted(value))"
            }
        }.joined(separator: separator)
    }

    /// Returns the text before and after the value of a member that needs no quotation marks, such as a
    /// number.
    func around(_ name: String) -> (before: String, after: String) {
        self == .text ? ("\(name)=", "") : ("\(Self.quoted(name)):\"", "\"")
    }

    /// Reports whether a text needs no quotation marks: it is not empty, and consists of visible ASCII
    /// characters other than `=`, `"` and `\`.
    private static func bare(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x3D && $0 != 0x5C }
    }

    /// Returns a JSON string (RFC 8259, section 7), which logfmt readers accept as well.
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            // Control characters, and the two characters that some readers treat as line endings.
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

extension LogFormat {
    /// Returns the message in a line that ``line(of:isForJournal:)`` returned; `nil` for any other line.
    package static func message(in line: String) -> String? {
        if line.hasPrefix(json.opening) {
            guard case .string(let message)? = (try? JSONParser.parse(Array(line.utf8)))?["message"] else {
                return nil
            }
            return message
        }
        guard line.hasPrefix("time="), let name = line.firstRange(of: " message=") else { return nil }
        let value = Array(line[name.upperBound...].utf8)
        guard value.first == UInt8(ascii: "\"") else {
            return String(line[name.upperBound...].prefix { $0 != " " })
        }
        var isEscaped = false
        for end in value.indices.dropFirst() {
            if value[end] == UInt8(ascii: "\""), !isEscaped {
                guard case .string(let message)? = try? JSONParser.parse(Array(value[...end])) else {
                    return nil
                }
                return message
            }
            isEscaped = value[end] == UInt8(ascii: "\\") && !isEscaped
        }
        return nil
    }
}

extension Logger.Level {
    /// The priority as defined in syslog(3); 0 is the most severe.
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
