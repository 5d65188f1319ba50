internal import NIOCore
internal import PushSystem
internal import Synchronization

/// The connections that are open, and which of them wait for their client: for a request, for the rest of
/// one, or for it to read its answers.
///
/// **Promises.** A connection whose client keeps it waiting for longer than allowed is closed, however slowly
/// the client sends or reads. When as many are open as allowed, the one that has waited longest makes way for
/// the next, so that idle clients, and clients that do not read, lock out no other. It is closed a moment
/// later: its next request may be in the socket, unread, when many come at once. If none waits for its
/// client, one makes way whose client asks on without waiting for answers: the system's buffers may take
/// unread answers for long before it shows that the client does not read.
package final class ConnectionTable: Sendable {
    /// So many more than allowed are open while they make way; beyond, they do so at once.
    private static let mostMakingWay = 256

    private let open = Mutex<[ObjectIdentifier: OpenConnection]>([:])
    private let most: Atomic<Int>
    private let keepAliveNanoseconds: Atomic<Int64>
    /// How long a client may take for a request.
    let requestLimit: Duration

    package init(most: Int, keepAlive: Duration, requestLimit: Duration = .seconds(20)) {
        self.requestLimit = requestLimit
        self.most = Atomic(most)
        keepAliveNanoseconds = Atomic(keepAlive.nanoseconds)
    }

    /// Connections that are open.
    var count: Int { open.withLock(\.count) }

    /// How long a connection is kept between two requests.
    var keepAlive: Duration { .nanoseconds(keepAliveNanoseconds.load(ordering: .relaxed)) }

    /// For connections, and waits, that begin from now on.
    func allow(_ most: Int, keepAlive: Duration) {
        self.most.store(most, ordering: .relaxed)
        keepAliveNanoseconds.store(keepAlive.nanoseconds, ordering: .relaxed)
    }

    /// Closes those that wait for their client, now and from now on.
    func end() {
        keepAliveNanoseconds.store(0, ordering: .relaxed)
        while let waiting = longestWaiting(but: nil) { waiting.close() }
    }

    /// - Returns: whether it may stay.
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

    /// Closes those whose client has kept them waiting for too long. Must be called every second or so.
    func sweep() {
        let now = Clocks.monotonicNanoseconds()
        let late = open.withLock { open in open.values.filter { $0.waitsUntil < now } }
        for connection in late { connection.close() }
        // Those that were to make way and then asked have left too many open.
        for _ in 0..<max(excess().count, 0) { longestWaiting(but: nil)?.makeWay() }
    }

    /// How many more are to make way, and whether so many do that there is no time for it.
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

/// One connection as its table sees it. Its loop notes what it waits for; any thread may read that.
final class OpenConnection: Sendable {
    enum Wait {
        /// For a first request, or for the rest of one.
        case forRequest(Duration)
        case forNextRequest(Duration)
        /// For the client to read.
        case forReader
        /// The client has asked and waits for its answer.
        case forService

        /// nil: it does not wait for its client.
        fileprivate var limit: Duration? {
            switch self {
            case .forRequest(let limit), .forNextRequest(let limit): limit
            case .forReader: .seconds(10)
            case .forService: nil
            }
        }
    }

    /// For a request that was sent before the connection was chosen to make way, and not read yet.
    private static let lastMoment = TimeAmount.milliseconds(100)

    private let channel: any Channel
    /// Monotonic nanoseconds; 0: it waits for the service.
    private let since = Atomic<Int64>(0)
    private let until = Atomic<Int64>(.max)
    /// Monotonic nanoseconds; 0: not now.
    private let pipelining = Atomic<Int64>(0)
    private let closing = Atomic(false)

    init(_ channel: any Channel) { self.channel = channel }

    /// nil: it does not wait for its client.
    var waitsSince: Int64? {
        let since = since.load(ordering: .relaxed)
        return since == 0 ? nil : since
    }
    /// Since when the client has had several requests unanswered; nil: it has not.
    var pipelinesSince: Int64? {
        let since = pipelining.load(ordering: .relaxed)
        return since == 0 ? nil : since
    }
    /// When it is to be closed, in monotonic nanoseconds.
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

    /// Ends unless its client asks for something, or reads something, within a moment.
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
