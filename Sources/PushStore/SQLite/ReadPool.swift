internal import Dispatch
internal import GRDB
internal import Synchronization

/// Connections that only read, opened as they are needed: whoever reads waits for no other reader while there are few.
final class ReadPool: Sendable {
    private let open: @Sendable () throws -> DatabaseQueue
    private let state: Mutex<State>
    private struct State {
        var idle: [DatabaseQueue]
        /// Connections that could not be opened when they were needed.
        var missing = 0
    }

    /// One for each connection that there is, or may yet be.
    private let permits: DispatchSemaphore

    /// Opens the first, so that what is wrong with the file shows at once.
    init(atMost count: Int, _ open: @escaping @Sendable () throws -> DatabaseQueue) throws {
        self.open = open
        state = Mutex(State(idle: [try open()]))
        // Of 0: one that is freed with fewer than it began with is a trap.
        permits = DispatchSemaphore(value: 0)
        for _ in 0..<count { permits.signal() }
    }

    func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        let queue = take()
        defer {
            let missing = state.withLock { state in
                state.idle.append(queue)
                defer { state.missing = 0 }
                return state.missing
            }
            for _ in 0...missing { permits.signal() }
        }
        return try queue.unsafeRead { try Self.transaction($0, body) }
    }

    /// Statements that are kept: GRDB's savepoints are prepared anew each time, which takes longer than most reads.
    private static func transaction<Value>(_ db: Database, _ body: (Database) throws -> Value) throws -> Value {
        let session = SQLiteSession(db)
        try session.statement("BEGIN").run()
        defer {
            do { try session.statement("COMMIT").run() } catch {
                // After some errors SQLite has ended it already.
                if db.isInsideTransaction { try? session.statement("ROLLBACK").run() }
            }
        }
        return try body(db)
    }

    private func take() -> DatabaseQueue {
        while true {
            permits.wait()
            if let queue = state.withLock({ $0.idle.popLast() }) { return queue }
            if let queue = try? open() { return queue }
            // Descriptors may be short: one connection fewer, until somebody comes back with another. Somebody does: the
            // first one is never given up.
            let isAlone = state.withLock { state in
                if !state.idle.isEmpty { return true }
                state.missing += 1
                return false
            }
            if isAlone { permits.signal() }
        }
    }

    func close() {
        for queue in state.withLock(\.idle) { queue.leave() }
    }
}

extension DatabaseQueue {
    /// Closes SQLite's connection and keeps what GRDB has around it: to give back its dispatch queue takes a thread of
    /// Dispatch, and where none can be started Dispatch tries for ever. A process has few connections.
    func leave() {
        try? close()
        unsafe _ = Unmanaged.passRetained(self)
    }
}
