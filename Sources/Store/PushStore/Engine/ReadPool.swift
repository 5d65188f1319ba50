internal import Dispatch
internal import PushSystem
internal import Synchronization

/// Connections that only read, opened as needed. As long as there are few readers, no reader waits for
/// another.
final class ReadPool<Reader: Sendable>: Sendable {
    private let open: @Sendable () throws -> Reader
    private let state: Mutex<State>
    private struct State {
        var idle: [Reader]
        /// The number of connections that could not be opened when they were needed.
        var missing = 0
    }

    /// One permit for each connection that exists or may still be opened.
    private let permits: DispatchSemaphore

    /// The number of file descriptors that the process must be allowed to open for each connection. An SQLite
    /// connection takes only two, but children need descriptors as well.
    private static var filesPerConnection: Int { 16 }

    /// Opens the first connection, so that a problem with the file becomes visible immediately.
    /// - Parameter count: The maximum number of connections; fewer if the process may open few files.
    init(atMost count: Int, _ open: @escaping @Sendable () throws -> Reader) throws {
        self.open = open
        state = Mutex(State(idle: [try open()]))
        // The initial value is 0, because a semaphore traps if, when it is freed, its value is smaller than
        // its initial value.
        permits = DispatchSemaphore(value: 0)
        let affordable = OpenFileLimit.now.map { max($0 / Self.filesPerConnection, 1) } ?? count
        for _ in 0..<min(count, affordable) { permits.signal() }
    }

    /// Lends a connection for exclusive use.
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
            // Descriptors may have run out. Continue with one connection fewer until another reader returns a
            // connection. There is always such a reader, because the first connection is never given up.
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
