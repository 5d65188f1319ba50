import Foundation
import PushStore
import Synchronization
import TestSupport
import Testing

@Suite struct WriteTurnsTests {
    /// The participants that got a turn, in order. Each participant has opened the file separately, as a
    /// separate process would.
    private final class Record: Sendable {
        private let names = Mutex<[String]>([])
        private let present = Mutex(0)
        private let most = Mutex(0)
        var maxAtOnce: Int { most.withLock(\.self) }

        func enter(_ name: String) {
            names.withLock { $0.append(name) }
            let count = present.withLock { present in
                present += 1
                return present
            }
            most.withLock { $0 = max($0, count) }
        }
        func leave() { present.withLock { $0 -= 1 } }
        var order: [String] { names.withLock(\.self) }
    }

    /// Returns the tickets drawn so far, from the service's queue and from the queue of other processes.
    private func drawn(_ path: String) -> (main: Int64, guests: Int64) {
        let bytes = Array(FileManager.default.contents(atPath: path + ".turns") ?? Data())
        func number(at place: Int) -> Int64 {
            guard bytes.count >= place + 8 else { return 0 }
            return bytes[place..<place + 8].reversed().reduce(0) { $0 << 8 | Int64($1) }
        }
        return (number(at: 0), number(at: 8))
    }

    /// Creates turns with a longer time limit than a test lasts.
    private func turns(_ path: String) -> WriteTurns? {
        WriteTurns(forStore: path, patienceMilliseconds: 600_000)
    }

    private func start(
        _ name: String, _ lane: WriteTurns.Lane, _ path: String, _ record: Record, _ group: DispatchGroup
    ) {
        group.enter()
        Thread.detachNewThread {
            let turns = self.turns(path)
            let turn = turns?.wait(in: lane)
            record.enter(name)
            usleep(2_000)
            record.leave()
            if let turn { turns?.giveBack(turn) }
            group.leave()
        }
    }

    @Test func `other processes write in the order of their arrival, one at a time`() throws {
        try TemporaryFolder.with { folder in
            let path = folder + "/store"
            let (record, group) = (Record(), DispatchGroup())
            let first = try #require(turns(path))
            let turn = first.wait(in: .guest)
            let names = (1...12).map { "guest \($0)" }
            for (index, name) in names.enumerated() {
                start(name, .guest, path, record, group)
                try #require(eventually("\(name) waits") { drawn(path).guests == Int64(index) + 2 })
            }
            #expect(record.order.isEmpty)
            first.giveBack(turn)
            #expect(group.wait(timeout: .now() + 30) == .success)
            #expect(record.order == names)
            #expect(record.maxAtOnce == 1)
        }
    }

    @Test func `the service does not wait for other processes, and they wait while the service writes`()
        throws
    {
        try TemporaryFolder.with { folder in
            let path = folder + "/store"
            let (record, group) = (Record(), DispatchGroup())
            let (first, service) = (
                try #require(turns(path)), try #require(turns(path))
            )
            let turn = first.wait(in: .guest)
            // Returns immediately, although another process has its turn.
            let writing = service.wait(in: .service)
            for index in 1...8 {
                start("guest", .guest, path, record, group)
                try #require(eventually("guest \(index) waits") { drawn(path).guests == Int64(index) + 1 })
            }
            first.giveBack(turn)
            // The first waiting process has drawn its ticket behind the service.
            try #require(eventually("a ticket is drawn") { drawn(path).main == 3 })
            #expect(record.order.isEmpty)
            service.giveBack(writing)
            #expect(group.wait(timeout: .now() + 30) == .success)
            #expect(record.order.count == 8 && record.maxAtOnce == 1)
        }
    }

    @Test
    func `a process that dies during its turn, or while waiting for a turn, does not block other processes`()
        throws
    {
        try TemporaryFolder.with { folder in
            let path = folder + "/store"
            let (record, group) = (Record(), DispatchGroup())
            var dead = turns(path)
            _ = dead?.wait(in: .guest)
            start("guest", .guest, path, record, group)
            try #require(eventually("the guest waits") { drawn(path).guests == 2 })
            // The kernel closes the files of a process that ends.
            dead = nil
            #expect(group.wait(timeout: .now() + 30) == .success)
            #expect(record.order == ["guest"])
        }
    }

    @Test func `a process that waits too long for its turn continues without one`() throws {
        try TemporaryFolder.with { folder in
            let path = folder + "/store"
            let holder = try #require(turns(path))
            let held = holder.wait(in: .service)
            let began = Date()
            let other = try #require(WriteTurns(forStore: path, patienceMilliseconds: 100))
            other.giveBack(other.wait(in: .guest))
            #expect(Date().timeIntervalSince(began) >= 0.1)
            holder.giveBack(held)
        }
    }

    @Test func `a corrupt turn file is recreated, and a missing folder is not an error`() throws {
        try TemporaryFolder.with { folder in
            let path = folder + "/store"
            try Data(repeating: 0xFF, count: 16).write(to: URL(filePath: path + ".turns"))
            let turns = try #require(self.turns(path))
            turns.giveBack(turns.wait(in: .guest))
            #expect(drawn(path) == (1, 1))
            #expect(self.turns(folder + "/nowhere/store") == nil)
        }
    }
}
