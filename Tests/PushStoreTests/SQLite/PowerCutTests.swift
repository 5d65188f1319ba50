import Foundation
import GRDB
import PushModel
import PushStore
import TestSupport
import Testing

/// A power cut, as seen by a disk that keeps everything that was synchronised: the store's file and log as
/// they were at some moment, opened again.
///
/// When a call returns, its commit is in the log, and `synchronous=FULL` has flushed the log to the disk by
/// then. Data after the last synchronisation may be present completely, in part, or not at all. The log is
/// therefore cut at every frame.
@Suite struct PowerCutTests {
    /// SQLite's file format, 4.1: a header of 32 bytes, then frames of 24 bytes and a page.
    private static let logHeader = 32
    private static let frame = 24 + 4_096

    /// Opens a copy of the store's file and of the first bytes of its log, in a separate folder.
    private static func afterCut<Value>(
        of store: String, log: Data, _ story: (String) throws -> Value
    ) throws -> Value {
        try TemporaryFolder.with { folder in
            let path = folder + "/pushmta.db"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: store, toPath: path)
            try log.write(to: URL(filePath: path + "-wal"))
            return try story(path)
        }
    }

    private static func log(of store: String) throws -> Data {
        try Data(contentsOf: URL(filePath: store + "-wal"))
    }

    @Test func `data that a call has committed remains after a power cut`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...200, to: app)
            let delivery = try fixture.submit(apps: [app])
            let part = try #require(try fixture.prepare(delivery).first)
            for (index, message) in part.ids.prefix(20).enumerated() {
                try fixture.accept([message], of: delivery)
                // The store stays open throughout: nothing is copied back or closed for the test.
                try Self.afterCut(of: fixture.path, log: try Self.log(of: fixture.path)) { path in
                    let counts = try #require(try Store.open(path: path).deliveries.summary(of: delivery))
                        .counts
                    #expect(counts.sent == index + 1)
                    #expect(counts.isBalanced)
                }
            }
        }
    }

    @Test func `after a power cut, complete calls are still in the store, and the counts match`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...60, to: app)
            // Data that is in the file itself from now on stays there: the log starts again with the next
            // call.
            try StoreFile.open(fixture.path).writeWithoutTransaction {
                try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
            }
            let delivery = try fixture.submit(apps: [app])
            let part = try #require(try fixture.prepare(delivery).first)
            /// The length of the log after each call, and the number of messages that had their outcomes by
            /// then.
            var commits: [(bytes: Int, sent: Int, failed: Int)] = []
            for message in part.ids.prefix(30) {
                var batch = OutcomeBatch(delivery: delivery)
                if message.rawValue.isMultiple(of: 3) {
                    batch.others = [
                        MessageRecord(
                            message: message,
                            change: .failed(.hard, .userUnknown, providerReason: "Unregistered"),
                            countsAttempt: true)
                    ]
                } else {
                    batch.accepted = [message]
                }
                _ = try fixture.store.outcomes.record([batch], at: TemporaryStore.noon)
                let counts = try fixture.counts(delivery)
                commits.append((try Self.log(of: fixture.path).count, counts.sent, counts.failed))
            }
            let whole = try Self.log(of: fixture.path)
            let first = try #require(commits.first)
            // Nothing was copied back in the meantime; otherwise the lengths would mean nothing.
            #expect(zip(commits, commits.dropFirst()).allSatisfy { $0.bytes < $1.bytes })
            #expect((whole.count - Self.logHeader).isMultiple(of: Self.frame))

            for length in stride(from: first.bytes, through: whole.count, by: Self.frame) {
                // A frame that was being written when the power failed: its bytes are there, but have other
                // values.
                var torn = whole.prefix(length)
                torn.append(
                    contentsOf: [UInt8](repeating: 0xA5, count: min(Self.frame, whole.count - length)))
                let expected = try #require(commits.last { $0.bytes <= length })
                try Self.afterCut(of: fixture.path, log: torn) { path in
                    let store = try Store.open(path: path)
                    let counts = try #require(try store.deliveries.summary(of: delivery)).counts
                    #expect(counts.sent == expected.sent && counts.failed == expected.failed)
                    #expect(counts.isBalanced)
                    #expect(try store.inspection.recount(delivery) == counts)
                    // The delivery continues where it stopped.
                    let waiting = try store.deliveries.log(of: delivery).filter { $0.state == .pending }
                    #expect(waiting.count == 60 - expected.sent - expected.failed)
                }
            }
        }
    }
}
