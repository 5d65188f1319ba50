internal import NIOCore
internal import PushSystem
internal import Synchronization

/// A table of the open connections, which also records which of them wait for their client. A connection may
/// wait for a request, for the rest of a request, or for the client to read its answers.
///
/// **Promises.** A connection is closed if its client keeps it waiting for longer than allowed, even if the
/// client sends or reads something from time to time. When the maximum number of connections is open, the
/// connection that has waited longest is closed to make room for the next connection. Idle clients and
/// clients that do not read therefore cannot lock out other clients. The chosen connection is closed after a
/// short delay, because its next request may already be waiting in the socket if many requests arrive at the
/// same time. If no connection waits for its client, the table chooses a connection whose client sends
/// further requests without waiting for answers. Such a client might not read its answers, which the system's
/// buffers can hide for a long time.
package final class ConnectionTable: Sendable {
    /// The maximum number of excess connections that stay open during the short delay before they are closed.
    /// If there are more, connections are closed immediately.
    private static let mostMakingWay = 256

    private let open = Mutex<[ObjectIdentifier: OpenConnection]>([:])
    private let most: Atomic<Int>
    private let keepAliveNanoseconds: Atomic<Int64>
    /// The maximum time that a client may take to send a request.
    let requestLimit: Duration

    package init(most: Int, keepAlive: Duration, requestLimit: Duration = .seconds(20)) {
        self.requestLimit = requestLimit
        self.most = Atomic(most)
        keepAliveNanoseconds = Atomic(keepAlive.nanoseconds)
    }

    /// The number of open connections.
    var count: Int { open.withLock(\.count) }

    /// The maximum time that a connection stays open between two requests.
    var keepAlive: Duration { .nanoseconds(keepAliveNanoseconds.load(ordering: .relaxed)) }

    /// Sets the limits for connections and waits that begin from now on.
    func allow(_ most: Int, keepAlive: Duration) {
        self.most.store(most, ordering: .relaxed)
        keepAliveNanoseconds.store(keepAlive.nanoseconds, ordering: .relaxed)
    }

    /// Closes the connections that wait for their client. From now on, no connection is kept open between two
    /// requests.
    func end() {
        keepAliveNanoseconds.store(0, ordering: .relaxed)
        while let waiting = longestWaiting(but: nil) { waiting.close() }
    }

    /// - Returns: Whether the connection may stay open.
    func add(_ connection: OpenConnection) -> Bool {
        open.withLock { $0[ObjectIdentifier(connection)] = connection }
        let (excess, isCrowded) = excess()
        guard excess > 0 else { return true }
        guard let oldest = longestWaiting(but: connection) else { return false }
        if isCrowded { oldest.close() } else { oldest.makeWay() }
        return true
    }

    func remove(_ connection: OpenConnection) {
        open.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(connection)) }
    }

    /// Closes connections whose client has kept them waiting for too long. Must be called about once a
    /// second.
    func sweep() {
        let now = Clocks.monotonicNanoseconds()
        let late = open.withLock { open in open.values.filter { $0.waitsUntil < now } }
        for connection in late { connection.close() }
        // Too many connections may still be open, because some of the chosen connections received a request
        // before they were closed.
        for _ in 0..<max(excess().count, 0) { longestWaiting(but: nil)?.makeWay() }
    }

    /// Returns how many more connections must be closed to make room, and whether so many excess connections
    /// are open that they must be closed without a delay.
    private func excess() -> (count: Int, isCrowded: Bool) {
        let most = most.load(ordering: .relaxed)
        return open.withLock { open in
            guard open.count > most else { return (0, false) }
            return (open.values.count { !$0.isClosing } - most, open.count > most + Self.mostMakingWay)
        }
    }

    private func longestWaiting(but newest: OpenConnection?) -> OpenConnection? {
        open.withLock { open in
            let others = open.values.filter { $0 !== newest && !$0.isClosing }
            return Self.oldest(of: others, by: \.waitsSince)
                ?? Self.oldest(of: others, by: \.pipelinesSince)
        }
    }
}

extension ConnectionTable {
    private static func oldest(
        of connections: [OpenConnection], by since: (OpenConnection) -> Int64?
    ) -> OpenConnection? {
        var oldest: (connection: OpenConnection, since: Int64)?
        for connection in connections {
            guard let since = since(connection), since < oldest?.since ?? .max else { continue }
            oldest = (connection, since)
        }
        return oldest?.connection
    }
}

/// A connection in the ``ConnectionTable``. The connection's loop records what the connection waits for, and
/// any thread may read this record.
final class OpenConnection: Sendable {
    enum Wait {
        /// The connection waits for its first request or for the rest of a request.
        case forRequest(Duration)
        case forNextRequest(Duration)
        /// The connection waits for the client to read.
        case forReader
        /// The client has sent a request and waits for the answer.
        case forService

        /// The maximum wait; `nil` if the connection does not wait for its client.
        fileprivate var limit: Duration? {
            switch self {
            case .forRequest(let limit), .forNextRequest(let limit): limit
            case .forReader: .seconds(10)
            case .forService: nil
            }
        }
    }

    /// The delay before a chosen connection is closed. A request that was sent before the connection was
    /// chosen may arrive within this delay.
    private static let lastMoment = TimeAmount.milliseconds(100)

    private let channel: any Channel
    /// The start of the wait, in monotonic nanoseconds; 0 if the connection waits for the service.
    private let since = Atomic<Int64>(0)
    private let until = Atomic<Int64>(.max)
    /// The time at which the client began to pipeline, in monotonic nanoseconds; 0 if the client is not
    /// pipelining.
    private let pipelining = Atomic<Int64>(0)
    private let closing = Atomic(false)

    init(_ channel: any Channel) { self.channel = channel }

    /// The start of the wait; `nil` if the connection does not wait for its client.
    var waitsSince: Int64? {
        let since = since.load(ordering: .relaxed)
        return since == 0 ? nil : since
    }
    /// The time since which the client has had several unanswered requests; `nil` if it has at most one.
    var pipelinesSince: Int64? {
        let since = pipelining.load(ordering: .relaxed)
        return since == 0 ? nil : since
    }
    /// The time at which the connection must be closed, in monotonic nanoseconds.
    var waitsUntil: Int64 { until.load(ordering: .relaxed) }
    var isClosing: Bool { closing.load(ordering: .relaxed) }

    func become(_ wait: Wait) {
        guard let limit = wait.limit else {
            since.store(0, ordering: .relaxed)
            return until.store(.max, ordering: .relaxed)
        }
        let now = Clocks.monotonicNanoseconds()
        until.store(now + limit.nanoseconds, ordering: .relaxed)
        since.store(now, ordering: .relaxed)
    }

    func became(pipelining isPipelining: Bool) {
        guard isPipelining != (pipelinesSince != nil) else { return }
        pipelining.store(isPipelining ? Clocks.monotonicNanoseconds() : 0, ordering: .relaxed)
    }

    /// Closes the connection unless its client sends or reads something within a short delay.
    func makeWay() {
        let (since, pipelinedSince) = (waitsSince, pipelinesSince)
        closing.store(true, ordering: .relaxed)
        channel.eventLoop.scheduleTask(in: Self.lastMoment) { [self] in
            guard waitsSince == since, since != nil || pipelinesSince == pipelinedSince else {
                return closing.store(false, ordering: .relaxed)
            }
            close()
        }
    }

    func close() {
        closing.store(true, ordering: .relaxed)
        channel.close(promise: nil)
    }
}

extension Duration {
    fileprivate var nanoseconds: Int64 {
        components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    }
}
