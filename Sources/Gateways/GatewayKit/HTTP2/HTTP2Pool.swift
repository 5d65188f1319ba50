package import PushModel
package import PushPayload
internal import PushSystem
package import PushTransport
package import PushWire

/// The connections of one account to its HTTP/2 gateway.
///
/// **Promises.** A connection that closes is replaced if messages are waiting, but no faster than
/// ``ConnectPace`` allows. If the end of a connection has consequences for the account, they are reported
/// once. **Failures.** If a connection closes before its first answer, the gateway is at fault. If a
/// connection worked before it closed, it is replaced, and the close is only logged. **Neighbours.** The
/// connectors of APNs and FCM, which interpret the answers; ``PooledConnection``.
package final class HTTP2Pool {
    /// The condition for opening another connection for waiting messages.
    package enum GrowthPolicy: Sendable {
        /// Another connection is opened while fewer than this number of connections are in service.
        case always(upTo: Int)
        /// Another connection is opened when all streams of the connections in service are in use.
        case whenFull(upTo: Int)
    }

    package let endpoint: Endpoint
    private let account: AccountID
    private unowned let events: any ConnectorEvents
    /// The owner of the pool.
    package unowned var delegate: (any HTTP2PoolDelegate)?
    private let loop: TransportLoop
    private let identity: TLSIdentity
    private let configuration: HTTP2Configuration
    private let growth: GrowthPolicy
    @usableFromInline var lines: [PooledConnection] = []
    private var pace = ConnectPace()
    /// The response times of closed connections since ``takeAnswerTimes()``.
    private var answerTimes = LatencyCounts()
    /// The number of the connection to which the next message is offered first.
    @usableFromInline var turn = 0

    package init(
        _ account: AccountID, to endpoint: Endpoint, identity: TLSIdentity, configuration: HTTP2Configuration,
        growth: GrowthPolicy, loop: TransportLoop, events: any ConnectorEvents
    ) {
        self.account = account
        self.endpoint = endpoint
        self.identity = identity
        self.configuration = configuration
        self.growth = growth
        self.loop = loop
        self.events = events
    }

    var now: MonotonicTime { MonotonicTime(nanoseconds: loop.now) }

    // MARK: Sending

    /// The number of messages that the pool would accept now.
    package var credit: Int {
        var free = 0
        for line in lines { free += line.credit }
        return free
    }

    package var inFlight: Int { lines.reduce(0) { $0 + $1.connection.inFlight } }
    package var openConnections: Int { lines.count { $0.isOpen } }

    /// Opens another connection if one is due. Called if messages are waiting and there is no credit.
    /// - Throws: An error if a connection cannot be created, for example because a key is unusable.
    package func grow() throws {
        for line in lines { line.connection.requestsWait() }
        guard let delegate, wantsAnother, pace.take(at: now) else { return }
        let connection = try HTTP2Connection(
            loop: loop, endpoint: endpoint, tls: identity, configuration: configuration)
        let line = PooledConnection(connection, of: delegate, in: self)
        connection.delegate = line
        lines.append(line)
    }

    /// Whether another connection is needed. A draining connection is replaced immediately, but the total
    /// number of connections is limited.
    private var wantsAnother: Bool {
        switch growth {
        case .always(let most):
            lines.count(where: \.isInService) < most && lines.count < 4 * most
        case .whenFull(let most):
            lines.allSatisfy { !$0.isInService || $0.isFull } && lines.count < most + Self.maxDraining
        }
    }
    private static let maxDraining = 4

    /// Passes messages to connections that have credit, up to the first message that is not accepted.
    /// - Parameters:
    ///   - limit: The maximum number of messages to pass on.
    ///   - payload: Evaluated only if a message cannot be rendered, because obtaining the payload counts a
    ///     reference.
    ///   - fill: Writes the variable fields, then the body.
    @inlinable @inline(__always)
    package func submit(
        _ run: inout GrantRun, as template: RequestTemplate, atMost limit: Int = .max,
        of payload: @autoclosure () -> PayloadTemplate,
        fill: (inout RequestWriter, GrantEntry) -> PayloadTemplate.Rendering
    ) -> Submission {
        var left = limit
        var withoutCredit = 0
        while withoutCredit < lines.count {
            let line = lines[turn % lines.count]
            let connection = line.connection
            var credit = min(line.credit, left)
            while credit > 0, let entry = run.next, var request = connection.begin(template) {
                let rendering = fill(&request, entry)
                guard case .bytes(let size) = rendering else {
                    return Submission(rendering, of: payload()) ?? .noCredit
                }
                request.setBody(length: size)
                guard connection.submit(request, tag: run.tag) else { break }
                run.advance(past: entry)
                (credit, left, withoutCredit) = (credit - 1, left - 1, 0)
            }
            guard run.next != nil else { return .taken }
            turn += 1
            withoutCredit += 1
        }
        return .noCredit
    }

    package func takeAnswerTimes() -> LatencyCounts {
        var times = answerTimes.take()
        for line in lines { times.add(line.answerTimes.take()) }
        return times
    }

    package func flush() {
        for line in lines { line.connection.flush() }
    }

    /// Closes idle connections; requests in flight may finish.
    package func drain() {
        for line in lines { line.connection.drain() }
    }

    // MARK: Events of lines

    func opened() { events.connected(account, to: endpoint.description) }

    func closed(_ line: PooledConnection, cause: CloseCause) {
        lines.removeAll { $0 === line }
        answerTimes.add(line.answerTimes.take())
        report(cause, of: line)
    }

    private func report(_ cause: CloseCause, of line: PooledConnection) {
        if line.wasReported { return }
        if cause == .local {
            if let farewell = line.farewell, !line.hasAnswered { line.owner.unreachable(farewell) }
        } else if cause.isCertificateFailure {
            line.owner.refused("\(cause)")
        } else if cause == .tooManyOpenFiles, events.makeRoom(for: account) {
            // The next turn opens another connection.
        } else if line.hasAnswered, !cause.isAbuse {
            events.disconnected(account, because: "\(cause)")
        } else {
            // A hostile connection is reported even if it worked before, because the next connection would be
            // hostile in the same way.
            line.owner.unreachable("\(cause)")
        }
    }
}
