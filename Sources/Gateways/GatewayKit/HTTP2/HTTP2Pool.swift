package import PushModel
package import PushPayload
internal import PushSystem
package import PushTransport
package import PushWire

/// One account's connections to its HTTP/2 gateway.
///
/// **Promises.** A connection that goes away is replaced when messages wait, no faster than ``ConnectPace``
/// allows. What a connection's end means for the account is told once. **Failures.** A connection that never
/// answered is the gateway's trouble; one that served and goes is replaced without a word to anybody but the
/// log.
/// **Neighbours.** The connectors of APNs and FCM, which know what answers mean; ``HTTP2Line``.
package final class HTTP2Pool {
    /// When another connection is opened for messages that wait.
    package enum Growth: Sendable {
        /// While fewer than so many are in service.
        case always(upTo: Int)
        /// Once every stream of those in service is taken.
        case whenFull(upTo: Int)
    }

    package let endpoint: Endpoint
    private let account: AccountID
    private unowned let events: any ConnectorEvents
    /// Whose pool it is.
    package unowned var delegate: (any HTTP2PoolDelegate)?
    private let loop: TransportLoop
    private let identity: TLSIdentity
    private let configuration: HTTP2Configuration
    private let growth: Growth
    @usableFromInline var lines: [HTTP2Line] = []
    private var pace = ConnectPace()
    /// How long answers took since ``takeAnswerTimes()``, of connections that have closed.
    private var answerTimes = LatencyCounts()
    /// Where the next message goes first.
    @usableFromInline var turn = 0

    package init(
        _ account: AccountID, to endpoint: Endpoint, identity: TLSIdentity, configuration: HTTP2Configuration,
        growth: Growth, loop: TransportLoop, events: any ConnectorEvents
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

    /// Messages that would be taken now.
    package var credit: Int {
        var free = 0
        for line in lines { free += line.credit }
        return free
    }

    package var inFlight: Int { lines.reduce(0) { $0 + $1.connection.inFlight } }
    package var openConnections: Int { lines.count { $0.isOpen } }

    /// Messages wait and there is no credit: opens another connection if it is time for one.
    /// - Throws: where no connection can be made, for instance with an unusable key.
    package func grow() throws {
        for line in lines { line.connection.requestsWait() }
        guard let delegate, wantsAnother, pace.take(at: now) else { return }
        let connection = try HTTP2Connection(
            loop: loop, endpoint: endpoint, tls: identity, configuration: configuration)
        let line = HTTP2Line(connection, of: delegate, in: self)
        connection.delegate = line
        lines.append(line)
    }

    /// One that drains is replaced at once, but not without bound.
    private var wantsAnother: Bool {
        switch growth {
        case .always(let most):
            lines.count(where: \.isInService) < most && lines.count < 4 * most
        case .whenFull(let most):
            lines.allSatisfy { !$0.isInService || $0.isFull } && lines.count < most + Self.mostDraining
        }
    }
    private static let mostDraining = 4

    /// Hands messages to connections that have credit, up to the first that is not taken.
    /// - Parameters:
    ///   - limit: takes no more than so many.
    ///   - payload: asked for where a message cannot be rendered; to have it costs a count of its references.
    ///   - fill: writes the variable fields, then the body.
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

    /// Closes connections that are idle; what is in flight may finish.
    package func drain() {
        for line in lines { line.connection.drain() }
    }

    // MARK: What lines tell

    func opened() { events.connected(account, to: endpoint.description) }

    func closed(_ line: HTTP2Line, cause: CloseCause) {
        lines.removeAll { $0 === line }
        answerTimes.add(line.answerTimes.take())
        tell(cause, of: line)
    }

    private func tell(_ cause: CloseCause, of line: HTTP2Line) {
        if line.wasReported { return }
        if cause == .local {
            if let farewell = line.farewell, !line.hasAnswered { line.owner.unreachable(farewell) }
        } else if cause.isCertificateTrouble {
            line.owner.refused("\(cause)")
        } else if cause == .tooManyOpenFiles, events.makeRoom(for: account) {
            // The next turn tries again.
        } else if line.hasAnswered, !cause.isAbuse {
            events.disconnected(account, because: "\(cause)")
        } else {
            // A hostile one however well it served before: its successor would be told apart by nothing.
            line.owner.unreachable("\(cause)")
        }
    }
}
