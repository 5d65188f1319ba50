import Foundation
import Logging
import PushModel
import Testing
import pushmta

struct LogRecordTests {
    private static let hostile = "a \"quoted\" \\ back, two\nlines, \u{1B}[31m\u{2028}\u{85}\u{7F}é"

    private static func record(_ message: String, _ fields: [LogRecord.Field] = []) -> LogRecord {
        LogRecord(
            time: WallMoment(millisecondsSince1970: 1_764_000_000_120), level: .info, message: message,
            fields: fields)
    }

    @Test func `the text form is name=value, with quotes if necessary`() {
        let record = Self.record(
            "child 1 started", [.init("child", "1"), .init("why", "a=b"), .init("none", "")])
        #expect(
            LogFormat.text.line(of: record)
                == "time=2025-11-24T16:00:00.120Z level=info message=\"child 1 started\" child=1 why=\"a=b\" none=\"\"\n"
        )
    }

    @Test(arguments: LogFormat.allCases)
    func `the message can be read from a line, whatever text it contains`(format: LogFormat) {
        for message in [Self.hostile, "begun", "", " message=no", "\\", "\"", "a\\\\\" b"] {
            let fields: [LogRecord.Field] = [.init("about", " message=x"), .init("why", "\"")]
            let line = format.line(of: Self.record(message, fields))
            #expect(LogFormat.message(in: String(line.dropLast())) == message)
        }
    }

    @Test(arguments: [
        "", "{", "{}", #"{"message":1}"#, "time=1", "time=1 level=info message=\"", "Illegal instruction",
        #"time=1 level=info message="\"#, " message=x", #"level=info message="x""#,
    ])
    func `a line that is not from the log has no message`(line: String) {
        #expect(LogFormat.message(in: line) == nil)
    }

    @Test func `a journal line has no time and states its priority`() {
        let levels: [Logger.Level] = [.critical, .error, .warning, .notice, .info, .debug]
        for (priority, level) in zip(2..., levels) {
            var record = Self.record("it began")
            record.level = level
            #expect(
                LogFormat.text.line(of: record, isForJournal: true)
                    == "<\(priority)>level=\(level) message=\"it began\"\n")
            #expect(
                LogFormat.json.line(of: record, isForJournal: true)
                    == "<\(priority)>{\"level\":\"\(level)\",\"message\":\"it began\"}\n")
        }
    }

    @Test func `repetitions of a line are reported`() {
        var record = Self.record("again")
        record.repeats = 12
        record.since = record.time
        let since = "2025-11-24T16:00:00.120Z"
        #expect(LogFormat.text.line(of: record).hasSuffix("message=again repeats=12 since=\(since)\n"))
        #expect(
            LogFormat.json.line(of: record).hasSuffix("\"repeats\":\"12\",\"since\":\"\(since)\"}\n"))
    }

    @Test func `an independent parser can read the JSON form, whatever text it contains`() throws {
        let line = LogFormat.json.line(of: Self.record(Self.hostile, [.init("account", Self.hostile)]))
        let read = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String])
        #expect(read["message"] == Self.hostile && read["account"] == Self.hostile && read["level"] == "info")
        #expect(read["time"] == "2025-11-24T16:00:00.120Z")
    }

    @Test(arguments: LogFormat.allCases)
    func `an event is one line, whatever text it contains`(format: LogFormat) {
        let line = format.line(of: Self.record(Self.hostile, [.init("account", Self.hostile)]))
        #expect(line.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).count == 2)
        #expect(!line.unicodeScalars.dropLast().contains { $0.value < 0x20 || $0.value == 0x7F })
    }
}
