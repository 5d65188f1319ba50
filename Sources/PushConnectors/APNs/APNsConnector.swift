internal import PushModel
internal import PushPayload
internal import PushSystem
internal import PushTransport
internal import PushWire

/// APNs over HTTP/2 for one account: its connections, its provider token, its jobs' templates.
///
/// **Promises.** Every attempt of a message carries the same `apns-id`. With token authentication a connection keeps to
/// one stream until an answer proves the token. A connection that goes away is replaced when messages wait; what its
/// gateway never looked at is told as never sent.
/// **Failures.** Trouble with the account as a whole is told once as unreachable or refused; its child gives back what
/// waits. **Neighbours.** ``APNsTokenSigner``, PushWire's APNs folder (what the words mean), PushTransport.
final class APNsConnector: Connector {
    private let account: UInt32
    private unowned let events: any ConnectorEvents
    private let loop: TransportLoop
    private let endpoint: Endpoint
    private let identity: TLSIdentity
    private let connectionLimit: Int
    private let http2: HTTP2Configuration
    private var signer: APNsTokenSigner?
    private var authorization: String?

    private var jobs = JobTable<Job>()
    private var connections: [HTTP2Line] = []
    private var pace = ConnectPace()
    /// Where the next message goes first.
    private var turn = 0

    private final class Job {
        let order: JobOrder
        let payload: PayloadTemplate
        let pushType: APNsPushType
        var request: RequestTemplate
        init(order: JobOrder, payload: PayloadTemplate, pushType: APNsPushType, request: RequestTemplate) {
            self.order = order
            self.payload = payload
            self.pushType = pushType
            self.request = request
        }
    }

    /// The variable fields of ``requestTemplate(_:)``, in order.
    private enum Variable { static let path = 0, id = 1 }
    /// A wait that Apple asks for where the gateway itself is in trouble, rather than a device over its rate.
    private static let serverTroubleSeconds: Int32 = 900
    /// The one response header that is kept: the sandbox's name for a notification in its delivery log.
    private static let uniqueIDHeader = "apns-unique-id"

    init(_ order: AccountOrder, loop: TransportLoop, events: any ConnectorEvents) throws {
        account = order.account
        self.events = events
        self.loop = loop
        connectionLimit = max(Int(order.gateway.connectionsPerChild), 1)
        endpoint = Endpoint(
            host: APNsHosts.host(for: order), port: Int(order.gateway.port), proxy: order.gateway.proxy.map(HTTPProxy.init))

        var identity = TLSIdentity()
        if !order.gateway.trustedCertificates.isEmpty {
            identity.trust = .pem(Array(order.gateway.trustedCertificates.utf8))
        }
        var http2 = HTTP2Configuration()
        http2.requestTimeout = .seconds(Int64(order.gateway.requestTimeoutSeconds))
        http2.wantedHeaders = [Self.uniqueIDHeader]
        switch try APNsCredential(order.credential) {
        case .token(let key):
            signer = try APNsTokenSigner(key)
            http2.initialStreams = 1
        case .certificate(let certificate):
            identity.certificate = TLSIdentity.ClientCertificate(
                chainPEM: Array(certificate.certificatePEM.utf8), keyPEM: Array(certificate.privateKeyPEM.utf8))
        }
        self.identity = identity
        self.http2 = http2
    }

    // MARK: Jobs

    func admit(_ order: JobOrder) throws {
        try renewTokenIfDue()
        let content = try ContentDocument.decode(order.contentJSON)
        let payload = try PayloadTemplate.apns(
            content: content, variables: order.variables, delivery: order.delivery, tracking: order.tracking,
            idFormat: order.messageIDFormat)
        let pushType = APNsPushType(content.ios.type)
        let job = Job(
            order: order, payload: payload, pushType: pushType, request: try requestTemplate(order, pushType))
        jobs.admit(job, as: order.job)
    }

    func retire(job: UInt32) { jobs.retire(job) }

    private func requestTemplate(_ order: JobOrder, _ pushType: APNsPushType) throws -> RequestTemplate {
        let constant = APNsRequest.constantFields(
            authority: endpoint.authority, topic: order.bundleID, pushType: pushType,
            priority: APNsPriority(pushType), expiration: order.expiresAt, authorization: authorization)
        let pseudo = constant.filter { $0.name.hasPrefix(":") }.map(RequestTemplate.Field.init)
        let ordinary = constant.filter { !$0.name.hasPrefix(":") }.map(RequestTemplate.Field.init)
        return try RequestTemplate(
            pseudo + [.variable(name: APNsRequest.pathName)] + ordinary + [.variable(name: APNsRequest.idName)])
    }

    private func renewTokenIfDue() throws {
        guard signer?.isDue(at: MonotonicTime(nanoseconds: loop.now)) == true else { return }
        try renewToken()
    }

    private func renewToken() throws {
        authorization = try signer?.renew(at: MonotonicTime(nanoseconds: loop.now), wall: Clocks.wall())
        for job in jobs.all { job.request = try requestTemplate(job.order, job.pushType) }
    }

    // MARK: Sending

    var room: Int { connections.reduce(0) { $0 + $1.room } }
    var inFlight: Int { connections.reduce(0) { $0 + $1.connection.inFlight } }
    var openConnections: Int { connections.count { $0.isOpen } }

    func wake() {
        for line in connections { line.connection.requestsWait() }
        // One that drains is replaced at once, but not without bound.
        guard connections.count(where: \.isInService) < connectionLimit, connections.count < 4 * connectionLimit else {
            return
        }
        guard pace.take(at: MonotonicTime(nanoseconds: loop.now)) else { return }
        do {
            try renewTokenIfDue()
            let connection = try HTTP2Connection(
                loop: loop, endpoint: endpoint, tls: identity, configuration: http2, delegate: self)
            connections.append(HTTP2Line(connection))
        } catch {
            tellRefused("\(error)")
        }
    }

    func submit(_ entry: GrantEntry, of grant: GrantFrame, tag: UInt64) -> Submission {
        guard let job = jobs.find(grant.job) else { return .noRoom }
        for _ in connections.indices {
            let line = connections[turn % connections.count]
            if line.room > 0, var request = line.connection.begin(job.request) {
                switch fill(&request, entry, grant, job) {
                case .bytes(let size):
                    request.setBody(length: size)
                    return line.connection.submit(request, tag: tag) ? .taken : .noRoom
                case .tooLarge(let bytes):
                    return .tooLarge(bytes: bytes, limit: job.payload.limitBytes)
                }
            }
            turn += 1
        }
        return .noRoom
    }

    /// Writes path, id and payload straight into the memory that they are sent from: no copy, no allocation. The
    /// buffers are the request's own and grant's, and bounded by the writers.
    @inline(__always)
    private func fill(
        _ request: inout RequestWriter, _ entry: GrantEntry, _ grant: GrantFrame, _ job: Job
    ) -> PayloadTemplate.Rendering {
        let pathLength = unsafe grant.bytes.withUnsafeBytes { bytes in
            unsafe APNsRequest.writePath(
                of: UnsafeRawBufferPointer(rebasing: bytes[entry.token]), into: request.free)
        }
        request.setVariable(Variable.path, length: pathLength)
        request.setVariable(Variable.id, length: unsafe APNsRequest.writeID(entry.id, into: request.free))
        return unsafe job.payload.render(into: request.free, identity: entry.id, ordinal: entry.ordinal)
    }

    func flush() {
        do { try renewTokenIfDue() } catch { tellRefused("\(error)") }
        for line in connections { line.connection.flush() }
    }

    func close() {
        for line in connections { line.connection.drain() }
    }

    func renewCredential() {
        do { try renewToken() } catch { tellRefused("\(error)") }
    }

    // MARK: Trouble

    private func tellRefused(_ reason: String) {
        guard case .neverSent(let verdict, let text) = APNsReply.outcome(of: .credentialFailure, detail: reason) else {
            return
        }
        events.refused(account, verdict, reason: text)
    }

    private func tellUnreachable(_ reason: String) {
        guard case .neverSent(let verdict, let text) = APNsReply.outcome(of: .connectFailed, detail: reason) else {
            return
        }
        events.unreachable(account, verdict, reason: text)
    }

    private func line(of connection: HTTP2Connection) -> HTTP2Line? {
        connections.first { $0.connection === connection }
    }
}

extension APNsConnector: HTTP2Delegate {
    func connectionOpened(_ connection: HTTP2Connection) {
        line(of: connection)?.isOpen = true
        events.connected(account, to: endpoint.description)
    }

    func connection(_ connection: HTTP2Connection, answered answer: HTTP2Answer) {
        if APNsReply.provesCredential(status: answer.status) {
            if let line = line(of: connection) {
                if !line.hasAnswered { connection.widen() }
                line.answeredInTime()
            }
            // The answer's buffers hold until this method returns; texts are copied out of them.
            if answer.status == 200, unsafe answer.headers[0] == nil { return events.accepted(tag: answer.tag) }
        }
        let uniqueID = unsafe answer.headers[0].map { unsafe String(printable: $0, atMost: 100) }
        let reply = APNsReply(status: answer.status, body: unsafe Array(answer.body), uniqueID: uniqueID)
        events.ended(tag: answer.tag, reply.outcome)
        if case .rejected(let verdict, let reason) = reply.outcome { react(to: verdict, reason, on: connection) }
    }

    /// What an answer asks of the account or the connection, beside what it means for its message.
    private func react(to verdict: Verdict, _ reason: String, on connection: HTTP2Connection) {
        switch (verdict.scope, verdict.schedule) {
        case (.account, .hold):
            events.refused(account, verdict, reason: reason)
        case (.account, .now):
            // An expired token is renewed, unless it is too young to be: then the clock is wrong, and the second try
            // stops the account. A key that the connection does not take gets a new connection.
            if signer?.mayRenew(at: MonotonicTime(nanoseconds: loop.now)) == true { try? renewToken() }
            connection.drain()
        case (.transient, .now):
            line(of: connection)?.farewell = reason
            connection.drain()
        case (.transient, .calendar) where verdict.minimumDelaySeconds >= Self.serverTroubleSeconds:
            line(of: connection)?.slowDown(at: MonotonicTime(nanoseconds: loop.now))
        default:
            break
        }
    }

    func connection(_ connection: HTTP2Connection, ended tag: UInt64, _ ending: HTTP2Ending) {
        switch ending {
        case .neverSent(.connectionClosed(let cause)):
            events.ended(tag: tag, APNsReply.outcome(of: .streamRefused, detail: cause.label))
        case .neverSent(.goneAway), .neverSent(.refused):
            events.ended(tag: tag, APNsReply.outcome(of: .streamRefused))
        case .neverSent(.timedOut):
            events.ended(tag: tag, APNsReply.outcome(of: .streamRefused, detail: "timed out"))
        case .undecided(.timedOut):
            line(of: connection)?.slowDown(at: MonotonicTime(nanoseconds: loop.now))
            events.ended(tag: tag, APNsReply.outcome(of: .connectionLost, detail: Outcome.noAnswerInTime))
        case .undecided(.streamReset(let code)):
            events.ended(tag: tag, APNsReply.outcome(of: .connectionLost, detail: "stream reset, code \(code)"))
        case .undecided(.connectionLost(let cause)):
            events.ended(tag: tag, APNsReply.outcome(of: .connectionLost, detail: cause.label))
        }
    }

    func connection(
        _ connection: HTTP2Connection, goingAway errorCode: UInt32, lastStreamID: Int32,
        debugData: UnsafeRawBufferPointer
    ) {
        guard let (reason, verdict) = APNsReply.goAway(debugData: unsafe Array(debugData)) else { return }
        if let verdict, verdict.schedule == .hold { events.refused(account, verdict, reason: reason) }
        events.disconnected(account, because: "GOAWAY \(reason)")
    }

    /// A connection that served is replaced when messages wait; one that never did is the gateway's trouble.
    func connection(_ connection: HTTP2Connection, givenUp cause: CloseCause) {
        guard let line = line(of: connection), !line.hasAnswered else { return }
        line.isTold = true
        tellUnreachable("\(cause)")
    }

    func connectionClosed(_ connection: HTTP2Connection, cause: CloseCause) {
        guard let index = connections.firstIndex(where: { $0.connection === connection }) else { return }
        let line = connections.remove(at: index)
        if line.isTold { return }
        switch cause {
        case .local:
            if let farewell = line.farewell, !line.hasAnswered { tellUnreachable(farewell) }
        case .ourCertificateRefused, .ourIdentityUnusable, .peerCertificateRefused, .protocolMissing, .hostUnusable:
            tellRefused("\(cause)")
        // The next turn tries again.
        case .tooManyOpenFiles where events.makeRoom(for: account): break
        case .abusive:
            // However well it served before: its successor would be told apart by nothing.
            tellUnreachable("\(cause)")
        default:
            if line.hasAnswered { events.disconnected(account, because: "\(cause)") } else { tellUnreachable("\(cause)") }
        }
    }
}
