package import PushModel
package import PushPayload
internal import PushSystem
package import PushTransport

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
    package weak var delegate: (any HTTP2PoolDelegate)?
    /// Keeps the delegate alive until the last connection has closed, also where its account is forgotten
    /// already.
    private var retainedDelegate: (any HTTP2PoolDelegate)?
    private let loop: TransportLoop
    private let identity: TLSIdentity
    private let configuration: HTTP2Configuration
    private let growth: Growth
    @usableFromInline var lines: [HTTP2Line] = []
    private var pace = ConnectPace()
    /// How long answers took since ``takeAnswerTimes()``.
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

    private var now: MonotonicTime { MonotonicTime(nanoseconds: loop.now) }

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
        guard wantsAnother, pace.take(at: now) else { return }
        let connection = try HTTP2Connection(
            loop: loop, endpoint: endpoint, tls: identity, configuration: configuration, delegate: self)
        lines.append(HTTP2Line(connection))
        retainedDelegate = delegate
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

    /// Hands one message to a connection that has credit.
    /// - Parameters:
    ///   - payload: asked for where the message cannot be rendered; to have it costs a count of its references.
    ///   - fill: writes the variable fields, then the body.
    @inlinable @inline(__always)
    package func submit(
        _ template: RequestTemplate, tag: UInt64, of payload: @autoclosure () -> PayloadTemplate,
        fill: (inout RequestWriter) -> PayloadTemplate.Rendering
    ) -> Submission {
        for _ in lines.indices {
            let line = lines[turn % lines.count]
            if line.credit > 0, var request = line.connection.begin(template) {
                let rendering = fill(&request)
                guard case .bytes(let size) = rendering else {
                    return Submission(rendering, of: payload()) ?? .noCredit
                }
                request.setBody(length: size)
                if line.connection.submit(request, tag: tag) { return .taken }
            }
            turn += 1
        }
        return .noCredit
    }

    package func takeAnswerTimes() -> LatencyCounts { answerTimes.take() }

    package func flush() {
        for line in lines { line.connection.flush() }
    }

    /// Closes connections that are idle; what is in flight may finish.
    package func drain() {
        for line in lines { line.connection.drain() }
    }

    private func line(of connection: HTTP2Connection) -> HTTP2Line? {
        lines.first { $0.connection === connection }
    }
}

extension HTTP2Pool: HTTP2Delegate {
    package func connectionOpened(_ connection: HTTP2Connection) {
        line(of: connection)?.isOpen = true
        events.connected(account, to: endpoint.description)
    }

    package func connection(_ connection: HTTP2Connection, answered answer: HTTP2Answer) {
        guard let line = line(of: connection) else { return }
        answerTimes.add(nanoseconds: answer.nanoseconds)
        retainedDelegate?.answered(answer, on: line)
    }

    package func connection(_ connection: HTTP2Connection, ended tag: UInt64, _ ending: HTTP2Ending) {
        if case .undecided(.timedOut) = ending { line(of: connection)?.slowDown(at: now) }
        retainedDelegate?.ended(tag: tag, UnansweredRequest(ending))
    }

    package func connection(
        _ connection: HTTP2Connection, goingAway errorCode: UInt32, lastStreamID: Int32,
        debugData: UnsafeRawBufferPointer
    ) {
        // The bytes hold until this method returns; the array is a copy.
        retainedDelegate?.goingAway(debugData: unsafe Array(debugData))
    }

    package func connection(_ connection: HTTP2Connection, givenUp cause: CloseCause) {
        guard let line = line(of: connection), !line.hasAnswered else { return }
        line.wasReported = true
        retainedDelegate?.unreachable("\(cause)")
    }

    package func connectionClosed(_ connection: HTTP2Connection, cause: CloseCause) {
        guard let index = lines.firstIndex(where: { $0.connection === connection }) else { return }
        let line = lines.remove(at: index)
        tell(cause, of: line)
        if lines.isEmpty { retainedDelegate = nil }
    }

    private func tell(_ cause: CloseCause, of line: HTTP2Line) {
        if line.wasReported { return }
        if cause == .local {
            if let farewell = line.farewell, !line.hasAnswered { retainedDelegate?.unreachable(farewell) }
        } else if cause.isCertificateTrouble {
            retainedDelegate?.refused("\(cause)")
        } else if cause == .tooManyOpenFiles, events.makeRoom(for: account) {
            // The next turn tries again.
        } else if line.hasAnswered, !cause.isAbuse {
            events.disconnected(account, because: "\(cause)")
        } else {
            // A hostile one however well it served before: its successor would be told apart by nothing.
            retainedDelegate?.unreachable("\(cause)")
        }
    }
}
