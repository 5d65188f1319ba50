import Foundation
import Logging
import PushMaster
import PushModel
import PushSystem
import Synchronization
import TestSupport
import Testing
import pushmta

struct AttemptLogFileTests {
    private static func group(_ messages: Int, first: Int64 = 1, reason: String = "") -> AttemptGroup {
        AttemptGroup(
            delivery: DeliveryID(rawValue: 7), app: "shop-ios", account: "iosHTTP2 production KEY",
            outcome: reason.isEmpty ? .sent : .failed, reason: reason,
            messages: (0..<Int64(messages)).map { MessageID(rawValue: first + $0) }, attempts: [1])
    }

    private static func lines(of group: AttemptGroup, at time: WallMoment, as format: LogFormat) -> [String] {
        let lines = AttemptLines(of: group, at: time, as: format)
        return lines.indices.map { index in
            var line: [UInt8] = []
            lines.append(index, to: &line)
            return String(decoding: line, as: UTF8.self)
        }
    }

    @Test func `each attempt is written as one line with all known values`() throws {
        let time = WallMoment(millisecondsSince1970: 1_764_000_000_120)
        var group = Self.group(2, first: 41)
        group.attempts = [3, nil]
        #expect(
            Self.lines(of: group, at: time, as: .text) == [
                "time=2025-11-24T16:00:00.120Z delivery=7 app=shop-ios account=\"iosHTTP2 production KEY\" "
                    + "outcome=sent message=41 attempts=3\n",
                "time=2025-11-24T16:00:00.120Z delivery=7 app=shop-ios account=\"iosHTTP2 production KEY\" "
                    + "outcome=sent message=42\n",
            ])
        let hostile = Self.group(1, reason: "no \"such\"\ndevice")
        let line = try #require(Self.lines(of: hostile, at: time, as: .json).first)
        let read = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String]
        #expect(
            read == [
                "time": "2025-11-24T16:00:00.120Z", "delivery": "7", "app": "shop-ios",
                "account": "iosHTTP2 production KEY", "outcome": "failed", "reason": "no \"such\"\ndevice",
                "message": "1", "attempts": "1",
            ])
    }

    @Test func `the number of waiting entries is limited, and surplus entries are counted`() {
        var queue = AttemptLogQueue()
        let time = WallMoment(millisecondsSince1970: 0)
        queue.append([Self.group(AttemptLogQueue.maxMessages), Self.group(3)], at: time)
        queue.append([Self.group(4)], at: time)
        var taken = queue.take()
        #expect(taken.entries.count == 1 && taken.dropped == 7)
        queue.append([Self.group(4)], at: time)
        taken = queue.take()
        #expect(taken.entries.map(\.group.messages.count) == [4] && taken.dropped == 0)
    }

    @Test func `no entry is kept while there is no file, and another file receives the later entries`() throws
    {
        try TemporaryFolder.with { folder in
            let log = AttemptLogFile(.text, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            log.append([Self.group(1, first: 1)])
            log.write(to: try log.prepare(folder + "/one"))
            log.append([Self.group(2, first: 2)])
            try eventually("the first file to be written") {
                try String(contentsOfFile: folder + "/one", encoding: .utf8).split(separator: "\n").count == 2
            }
            log.write(to: try log.prepare(folder + "/two"))
            log.append([Self.group(1, first: 4)])
            #expect(log.drain(until: Clocks.monotonic().advanced(bySeconds: 1)))
            #expect(try String(contentsOfFile: folder + "/two", encoding: .utf8).contains("message=4"))
            #expect(throws: (any Error).self) { try log.prepare(folder + "/nowhere/at/all") }
        }
    }

    @Test func `reopening releases a file that was moved, even if nothing is logged`() throws {
        try TemporaryFolder.with { folder in
            let log = AttemptLogFile(.text, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            let (path, moved) = (folder + "/attempts", folder + "/attempts-20261125")
            log.write(to: try log.prepare(path))
            log.append([Self.group(1, first: 1)])
            try eventually("the file to be written") {
                try !String(contentsOfFile: path, encoding: .utf8).isEmpty
            }
            try FileManager.default.moveItem(atPath: path, toPath: moved)
            log.reopen()
            eventually("another file") { FileManager.default.fileExists(atPath: path) }
            log.append([Self.group(1, first: 2)])
            #expect(log.drain(until: Clocks.monotonic().advanced(bySeconds: 1)))
            #expect(try String(contentsOfFile: path, encoding: .utf8).contains("message=2"))
            #expect(try !String(contentsOfFile: moved, encoding: .utf8).contains("message=2"))
        }
    }

    @Test
    func `entries that cannot be written to a file are counted and reported, and no caller waits for them`()
        throws
    {
        let told = RememberedLines()
        let log = AttemptLogFile(.text, logger: told.logger)
        log.write(to: try log.prepare("/dev/full"))
        for number in 1...100 { log.append([Self.group(10, first: Int64(number))]) }
        eventually("the operator is notified") {
            told.lines.contains { $0.contains("delivery log were dropped: writing to /dev/full") }
        }
        _ = log.drain(until: Clocks.monotonic().advanced(bySeconds: 1))
    }
}

/// A log that the test can inspect.
private final class RememberedLines: Sendable {
    private let kept = Mutex<[String]>([])
    var lines: [String] { kept.withLock(\.self) }
    var logger: Logger { Logger(label: "test") { [self] _ in Handler(log: self) } }

    private struct Handler: LogHandler {
        let log: RememberedLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace
        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }
        func log(event: LogEvent) { log.kept.withLock { $0.append("\(event.message)") } }
    }
}
