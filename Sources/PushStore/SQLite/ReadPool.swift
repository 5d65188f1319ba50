internal import Dispatch
internal import GRDB
internal import Synchronization

/// Connections that only read, opened as they are needed: whoever reads waits for no other reader while there are few.
final class ReadPool: Sendable {
    private let open: @Sendable () throws -> DatabaseQueue
    private let idle: Mutex<[DatabaseQueue]>
    /// One for each connection that there is, or may yet be.
    private let permits: DispatchSemaphore

    /// Opens the first, so that what is wrong with the file shows at once.
    init(atMost count: Int, _ open: @escaping @Sendable () throws -> DatabaseQueue) throws {
        self.open = open
        idle = Mutex([try open()])
        permits = DispatchSemaphore(value: count)
    }

    func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        let queue = take()
        defer {
            idle.withLock { $0.append(queue) }
            permits.signal()
        }
        return try queue.read(body)
    }

    private func take() -> DatabaseQueue {
        while true {
            permits.wait()
            if let queue = idle.withLock({ $0.popLast() }) { return queue }
            // Descriptors may be short: one connection fewer then. The first one is never given up, so its user comes
            // back.
            if let queue = try? open() { return queue }
        }
    }

    func close() {
        for queue in idle.withLock(\.self) { queue.leave() }
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
