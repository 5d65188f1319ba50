internal import GatewayKit
internal import PushModel
internal import PushPayload
internal import PushSystem
internal import PushTransport
internal import PushWire

/// APNs over HTTP/2 for one account: its provider token, the templates of its jobs, and the meaning of its
/// answers.
///
/// **Promises.** Every attempt at a message carries the same `apns-id`. With token authentication, a
/// connection uses a single stream until an answer proves that the gateway accepts the token. The connector
/// reports a message that the gateway did not process as never sent. **Failures.** A failure that concerns
/// the account as a whole is reported once, as unreachable or refused. The child then returns the waiting
/// messages. **Neighbours.** ``HTTP2Pool``, ``APNsTokenSigner``, `Words`.
final class APNsConnector: Connector {
    private let account: AccountID
    private unowned let events: any ConnectorEvents
    private let loop: TransportLoop
    private let pool: HTTP2Pool
    private var signer: APNsTokenSigner?
    private var authorization: String?
    private var jobs = AdmittedJobs<Job>()

    private final class Job {
        let order: JobOrder
        let payload: PayloadTemplate
        let heading: APNsHeading
        var request: RequestTemplate
        init(order: JobOrder, payload: PayloadTemplate, heading: APNsHeading, request: RequestTemplate) {
            self.order = order
            self.payload = payload
            self.heading = heading
            self.request = request
        }
    }

    /// The variable fields of ``requestTemplate(_:)``, in order.
    private enum Variable { static let path = 0, id = 1 }
    /// The delay, in seconds, that Apple requests after an answer that reports a problem with the gateway
    /// itself. It does not apply to a device that exceeds its rate.
    private static let serverFailureSeconds: Int32 = 900
    /// The only response header that is kept. Its value identifies the notification in the sandbox's delivery
    /// log.
    private static let uniqueIDHeader = "apns-unique-id"

    init(_ order: AccountOrder, loop: TransportLoop, events: any ConnectorEvents) throws {
        account = order.account
        self.events = events
        self.loop = loop
        let endpoint = Endpoint(
            host: APNsHosts.host(for: order), port: Int(order.gateway.port),
            proxy: order.gateway.proxy.map(HTTPProxy.init))
        var identity = TLSIdentity()
        if !order.gateway.trustedCertificates.isEmpty {
            identity.trust = .pem(Array(order.gateway.trustedCertificates.utf8))
        }
        var http2 = HTTP2Configuration()
        let settings = try APNsSettings(json: order.gateway.settings)
        http2.requestTimeout = .seconds(settings.requestTimeoutSeconds)
        http2.indexesSecrets = settings.indexesAuthorization
        http2.wantedHeaders = [Self.uniqueIDHeader]
        switch try APNsCredential(order.credential) {
        case .token(let key):
            signer = try APNsTokenSigner(key)
            http2.initialStreams = 1
        case .certificate(let certificate):
            identity.certificate = TLSIdentity.ClientCertificate(
                chainPEM: Array(certificate.certificatePEM.utf8),
                keyPEM: Array(certificate.privateKeyPEM.utf8))
        }
        pool = HTTP2Pool(
            account, to: endpoint, identity: identity, configuration: http2,
            growth: .always(upTo: max(settings.connectionsPerChild, 1)), loop: loop, events: events)
        pool.delegate = self
    }

    // MARK: Jobs

    func admit(_ order: JobOrder) throws {
        try renewTokenIfDue()
        let content = try ContentDocument.apns.decode(order.contentJSON)
        let payload = try PayloadTemplate.apns(
            content: content, variables: order.variables, delivery: order.delivery, tracking: order.tracking,
            idFormat: order.messageIDFormat)
        let heading = APNsHeading(content.ios)
        let job = Job(
            order: order, payload: payload, heading: heading, request: try requestTemplate(order, heading))
        jobs.admit(job, as: order.job)
    }

    func retire(job: JobID) { jobs.retire(job) }

    func topic(of job: JobID) -> String? { jobs.find(job).map { $0.heading.topic(of: $0.order.bundleID) } }

    private func requestTemplate(_ order: JobOrder, _ heading: APNsHeading) throws -> RequestTemplate {
        let constant = APNsRequest.constantFields(
            authority: pool.endpoint.authority, bundleID: order.bundleID, heading: heading,
            expiration: order.gatewayExpiration, authorization: authorization)
        let pseudo = constant.filter { $0.name.hasPrefix(":") }.map(RequestTemplate.Field.init)
        let ordinary = constant.filter { !$0.name.hasPrefix(":") }.map(RequestTemplate.Field.init)
        return try RequestTemplate(
            pseudo + [.variable(name: APNsRequest.pathName)] + ordinary + [
                .variable(name: APNsRequest.idName)
            ])
    }

    private func renewTokenIfDue() throws {
        guard signer?.isDue(at: MonotonicTime(nanoseconds: loop.now)) == true else { return }
        try renewToken()
    }

    private func renewToken() throws {
        authorization = try signer?.renew(at: MonotonicTime(nanoseconds: loop.now), wall: Clocks.wall())
        for job in jobs.all { job.request = try requestTemplate(job.order, job.heading) }
    }

    // MARK: Sending

    var credit: Int { pool.credit }
    var inFlight: Int { pool.inFlight }
    var openConnections: Int { pool.openConnections }

    func wake() {
        do {
            try renewTokenIfDue()
            try pool.grow()
        } catch {
            refused("\(error)")
        }
    }

    func submit(_ run: inout GrantRun) -> Submission {
        let grant = run.frame
        guard let job = jobs.find(grant.job) else { return .noCredit }
        return pool.submit(&run, as: job.request, of: job.payload) { request, entry in
            fill(&request, entry, grant, job)
        }
    }

    /// Writes the path, the id and the payload directly into the send buffers, without a copy or an
    /// allocation. The buffers belong to the request and the grant, and the writers respect their bounds.
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
        return unsafe grant.bytes.withUnsafeBytes { bytes in
            unsafe job.payload.render(
                into: request.free, identity: entry.id, integerID: entry.integerID,
                parameters: UnsafeRawBufferPointer(rebasing: bytes[entry.parameters]))
        }
    }

    func takeAnswerTimes() -> LatencyCounts { pool.takeAnswerTimes() }

    func flush() {
        do { try renewTokenIfDue() } catch { refused("\(error)") }
        pool.flush()
    }

    func close() { pool.drain() }

    func renewCredential() {
        do { try renewToken() } catch { refused("\(error)") }
    }
}

extension APNsConnector: HTTP2PoolDelegate {
    func answered(_ answer: HTTP2Answer, on line: PooledConnection) {
        if APNsReply.provesCredential(status: answer.status) {
            if !line.hasAnswered { line.connection.widen() }
            line.answeredInTime()
            // The answer's buffers are valid until this method returns, so texts are copied out of them.
            if answer.status == 200, unsafe answer.headers[0] == nil {
                return events.accepted(tag: answer.tag)
            }
        }
        let uniqueID = unsafe answer.headers[0].map { unsafe String(printable: $0, atMost: 100) }
        let reply = APNsReply(status: answer.status, body: unsafe Array(answer.body), uniqueID: uniqueID)
        events.ended(tag: answer.tag, reply.outcome)
        if case .rejected(let verdict, let reason) = reply.outcome { react(to: verdict, reason, on: line) }
    }

    /// Applies the consequences that an answer has for the account or the connection. The consequences for
    /// the message are applied separately.
    private func react(to verdict: Verdict, _ reason: String, on line: PooledConnection) {
        let now = MonotonicTime(nanoseconds: loop.now)
        switch (verdict.scope, verdict.schedule) {
        case (.account, .hold):
            events.refused(account, verdict, reason: reason)
        case (.account, .now):
            // A token that the gateway calls expired is renewed. If the token is too young to have expired,
            // the clock is wrong: the token is kept, and the answer to the second try stops the account. If
            // the connection does not accept the key, another connection is opened for the key.
            if signer?.mayRenew(at: now) == true { try? renewToken() }
            line.connection.drain()
        case (.transient, .now):
            line.farewell = reason
            line.connection.drain()
        case (.transient, .calendar) where verdict.minimumDelaySeconds >= Self.serverFailureSeconds:
            line.slowDown(at: now)
        default:
            break
        }
    }

    func ended(tag: UInt64, _ request: UnansweredRequest) {
        switch request {
        case .neverSent(let detail):
            events.ended(tag: tag, APNsReply.outcome(of: .streamRefused, detail: detail))
        case .undecided(let detail):
            events.ended(tag: tag, APNsReply.outcome(of: .connectionLost, detail: detail))
        }
    }

    func goingAway(debugData: [UInt8]) {
        guard let (reason, verdict) = APNsReply.goAway(debugData: debugData) else { return }
        // A GOAWAY concerns the whole connection, so a reason about a topic does not show which topic is
        // meant.
        if let verdict, verdict.scope == .account, verdict.schedule == .hold {
            events.refused(account, verdict, reason: reason)
        }
        events.disconnected(account, because: "GOAWAY \(reason)")
    }

    func refused(_ reason: String) {
        guard
            case .neverSent(let verdict, let text) = APNsReply.outcome(of: .credentialFailure, detail: reason)
        else {
            return
        }
        events.refused(account, verdict, reason: text)
    }

    func unreachable(_ reason: String) {
        guard case .neverSent(let verdict, let text) = APNsReply.outcome(of: .connectFailed, detail: reason)
        else {
            return
        }
        events.unreachable(account, verdict, reason: text)
    }
}
