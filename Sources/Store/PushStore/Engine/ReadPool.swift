internal import Dispatch
internal import PushSystem
internal import Synchronization

/// Connections that only read, opened as they are needed: whoever reads waits for no other reader while there
/// are few.
final class ReadPool<Reader: Sendable>: Sendable {
    private let open: @Sendable () throws -> Reader
    private let state: Mutex<State>
    private struct State {
        var idle: [Reader]
        /// Connections that could not be opened when they were needed.
        var missing = 0
    }

    /// One for each connection that there is, or may yet be.
    private let permits: DispatchSemaphore

    /// Children need descriptors, too: there is at most one connection for each so many that the process may
    /// have. One of SQLite's takes two.
    private static var filesPerConnection: Int { 16 }

    /// Opens the first, so that what is wrong with the file shows at once.
    /// - Parameter count: how many there are at most; fewer if the process may open few files.
    init(atMost count: Int, _ open: @escaping @Sendable () throws -> Reader) throws {
        self.open = open
        state = Mutex(State(idle: [try open()]))
        // Of 0: one that is freed with fewer than it began with is a trap.
        permits = DispatchSemaphore(value: 0)
        let affordable = OpenFileLimit.now.map { max($0 / Self.filesPerConnection, 1) } ?? count
        for _ in 0..<min(count, affordable) { permits.signal() }
    }

    /// Lends a connection that nobody else has meanwhile.
    func use<Value>(_ body: (Reader) throws -> Value) throws -> Value {
        let reader = take()
        defer {
            let missing = state.withLock { state in
                state.idle.append(reader)
                defer { state.missing = 0 }
                return state.missing
            }
            for _ in 0...missing { permits.signal() }
        }
        return try body(reader)
    }

    private func take() -> Reader {
        while true {
            permits.wait()
            if let reader = state.withLock({ $0.idle.popLast() }) { return reader }
            if let reader = try? open() { return reader }
            // Descriptors may be short: one connection fewer, until somebody comes back with another.
            // Somebody does: the first one is never given up.
            let isAlone = state.withLock { state in
                if !state.idle.isEmpty { return true }
                state.missing += 1
                return false
            }
            if isAlone { permits.signal() }
        }
    }

    func close(_ leave: (Reader) -> Void) {
        for reader in state.withLock(\.idle) { leave(reader) }
    }
}
