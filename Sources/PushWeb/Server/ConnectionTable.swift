internal import NIOCore
internal import PushSystem
internal import Synchronization

/// The connections that are open, and which of them wait for their client: for its next request, or for the
/// rest of one.
///
/// **Promises.** Whoever waits for longer than allowed is let go, however slowly it sends; where there are as
/// many as allowed, the one that waits longest makes way for the next, so that idle ones lock out nobody. It has
/// a moment to ask first: its request may lie in the socket, unread, where many come at once.
final class ConnectionTable: Sendable {
    /// Until a request's head is there, from its head to its end, and between two requests.
    static let longestWaitMilliseconds: Int64 = 20_000
    /// So many more than allowed are open while they make way; beyond, they do so at once.
    private static let mostMakingWay = 256

    private let open = Mutex<[ObjectIdentifier: OpenConnection]>([:])
    private let most: Atomic<Int>

    init(most: Int) { self.most = Atomic(most) }

    /// Connections that are open.
    var count: Int { open.withLock(\.count) }

    /// For those that come from now on.
    func allow(_ most: Int) { self.most.store(most, ordering: .relaxed) }

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

    /// Lets those go whose client has kept them waiting for too long. To be called every second or so.
    func sweep() {
        let latest = Clocks.monotonicNanoseconds() - Self.longestWaitMilliseconds * 1_000_000
        let late = open.withLock { open in
            open.values.filter { $0.waitsSince.map { $0 < latest } ?? false }
        }
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
            var oldest: (connection: OpenConnection, since: Int64)?
            for connection in open.values where connection !== newest && !connection.isClosing {
                guard let since = connection.waitsSince, since < oldest?.since ?? .max else { continue }
                oldest = (connection, since)
            }
            return oldest?.connection
        }
    }
}

/// One connection as its table sees it. What is waited for is said on its loop, and read by anyone.
final class OpenConnection: Sendable {
    /// For a request that was sent before the connection was chosen to make way, and not read yet.
    private static let lastMoment = TimeAmount.milliseconds(100)

    private let channel: any Channel
    /// Monotonic nanoseconds; 0: it waits for the server.
    private let since = Atomic<Int64>(0)
    private let closing = Atomic(false)

    init(_ channel: any Channel) { self.channel = channel }

    /// nil: the client has asked and waits to be answered.
    var waitsSince: Int64? {
        let since = since.load(ordering: .relaxed)
        return since == 0 ? nil : since
    }
    var isClosing: Bool { closing.load(ordering: .relaxed) }

    /// - Parameter wait: nil: nothing changes.
    func become(_ wait: PipelinedRequests.Wait?) {
        switch wait {
        case .forClient: since.store(Clocks.monotonicNanoseconds(), ordering: .relaxed)
        case .forService: since.store(0, ordering: .relaxed)
        case nil: break
        }
    }

    /// Ends unless its client asks for something now.
    func makeWay() {
        let since = waitsSince
        closing.store(true, ordering: .relaxed)
        channel.eventLoop.scheduleTask(in: Self.lastMoment) { [self] in
            guard waitsSince == since else { return closing.store(false, ordering: .relaxed) }
            close()
        }
    }

    func close() {
        closing.store(true, ordering: .relaxed)
        channel.close(promise: nil)
    }
}
