internal import PushModel
internal import PushPayload
internal import PushSystem
internal import PushTransport
internal import PushWire

/// FCM over HTTP v1 for one account: its access token, its connections, its jobs' templates.
///
/// **Promises.** Never more requests in flight than ordered, over as few connections as the peer's streams allow: the
/// next one is opened when all others are full. Nothing is sent without a token that works. Once the gateway calls a
/// token expired, nothing leaves until there is another and the answers to the old one are in, so that a second such
/// answer is about the new one.
/// **Failures.** Trouble with the account as a whole is told once as unreachable or refused; its child gives back what
/// waits. **Neighbours.** ``OAuthTokenSource``; `FCMConnector+Answers`; PushWire's FCM folder (what the words mean);
/// ``FCMLegacyConnector`` for project keys.
final class FCMConnector: Connector {
    /// Payload, what it travels in, and the longest token with every byte escaped. Memory is used as it is filled.
    private static let slotBytes = 32 << 10
    /// Connections that may still be letting their last answers in.
    private static let mostDraining = 4
    /// The one response header that is kept.
    static let retryAfterHeader = "retry-after"

    let account: UInt32
    unowned let events: any ConnectorEvents
    let endpoint: Endpoint
    let tokens: OAuthTokenSource
    let loop: TransportLoop
    private let identity: TLSIdentity
    private let http2: HTTP2Configuration
    private let project: String
    private let requestLimit: Int
    let keepsMessageIDs: Bool

    /// Header fields with the token as it is now.
    private var request: RequestTemplate?
    private var jobs = JobTable<Job>()
    var lines: [HTTP2Line] = []
    private var pace = ConnectPace()
    var inFlight = 0
    /// A token was called expired while its requests were in flight.
    var isSettling = false
    /// Something was submitted since the last flush.
    private var isBusy = false
    /// The wall clock, read once a turn.
    private var wall = Clocks.wall()

    private final class Job {
        let payload: PayloadTemplate
        let expiresAt: WallTime
        init(payload: PayloadTemplate, expiresAt: WallTime) {
            self.payload = payload
            self.expiresAt = expiresAt
        }
    }

    init(
        _ order: AccountOrder, credential: FCMServiceAccount, requestLimit: Int, loop: TransportLoop,
        events: any ConnectorEvents
    ) throws {
        account = order.account
        self.events = events
        self.loop = loop
        self.requestLimit = max(requestLimit, 1)
        keepsMessageIDs = order.gateway.keepsMessageIDs
        endpoint = FCMHosts.gateway(order.gateway)
        identity = FCMHosts.identity(order.gateway)
        project = credential.projectID
        var http2 = HTTP2Configuration()
        http2.requestTimeout = .seconds(Int64(order.gateway.requestTimeoutSeconds))
        http2.wantedHeaders = [Self.retryAfterHeader]
        http2.slotBytes = Self.slotBytes
        http2.maximumStreams = min(self.requestLimit, http2.maximumStreams)
        self.http2 = http2
        tokens = try OAuthTokenSource(credential, gateway: order.gateway, identity: identity, loop: loop)
        tokens.delegate = self
    }

    // MARK: Jobs

    func admit(_ order: JobOrder) throws {
        let content = try ContentDocument.decode(order.contentJSON)
        let payload = try PayloadTemplate.android(
            content: content, variables: order.variables, delivery: order.delivery, tracking: order.tracking,
            idFormat: order.messageIDFormat)
        jobs.admit(Job(payload: payload, expiresAt: order.expiresAt), as: order.job)
    }

    func retire(job: UInt32) { jobs.retire(job) }

    // MARK: Sending

    var room: Int {
        guard request != nil, !isSettling, inFlight < requestLimit, tokens.isUsable else { return 0 }
        var free = 0
        for line in lines { free += line.room }
        return min(free, requestLimit - inFlight)
    }

    var openConnections: Int { lines.count { $0.isOpen } }

    /// The token first: an account that cannot get one opens no connection.
    func wake() {
        guard inFlight < requestLimit, !isSettling else { return }
        guard request != nil, tokens.isUsable else { return tokens.renewIfDue() }
        for line in lines { line.connection.requestsWait() }
        guard lines.allSatisfy({ !$0.isInService || $0.isFull }), lines.count < requestLimit + Self.mostDraining,
            pace.take(at: MonotonicTime(nanoseconds: loop.now))
        else { return }
        do {
            lines.append(
                HTTP2Line(
                    try HTTP2Connection(
                        loop: loop, endpoint: endpoint, tls: identity, configuration: http2, delegate: self)))
        } catch {
            events.refused(account, .connectionIsOurFault, reason: "\(error)")
        }
    }

    func submit(_ entry: GrantEntry, of grant: GrantFrame, tag: UInt64) -> Submission {
        guard inFlight < requestLimit, !isSettling, tokens.isUsable, let template = request,
            let job = jobs.find(grant.job)
        else { return .noRoom }
        for line in lines where line.room > 0 {
            guard var request = line.connection.begin(template) else { continue }
            switch fill(&request, entry, grant, job) {
            case .bytes(let size):
                request.setBody(length: size)
                guard line.connection.submit(request, tag: tag) else { continue }
                inFlight += 1
                isBusy = true
                return .taken
            case .tooLarge(let bytes):
                return .tooLarge(bytes: bytes, limit: job.payload.limitBytes)
            }
        }
        return .noRoom
    }

    /// Writes the body straight into the memory that it is sent from: no copy, no allocation. The buffers are the
    /// request's own and grant's, and bounded by the writer.
    @inline(__always)
    private func fill(
        _ request: inout RequestWriter, _ entry: GrantEntry, _ grant: GrantFrame, _ job: Job
    ) -> PayloadTemplate.Rendering {
        unsafe grant.bytes.withUnsafeBytes { bytes in
            unsafe job.payload.render(
                into: request.free, identity: entry.id, ordinal: entry.ordinal,
                token: UnsafeRawBufferPointer(rebasing: bytes[entry.token]),
                secondsToLive: FCMRequest.secondsToLive(until: job.expiresAt, now: wall))
        }
    }

    func flush() {
        wall = Clocks.wall()
        if isBusy { tokens.renewIfDue() }
        isBusy = false
        for line in lines { line.connection.flush() }
    }

    func renewCredential() { renew() }

    func close() {
        tokens.cancel()
        for line in lines { line.connection.drain() }
    }
}

extension FCMConnector: OAuthTokenSourceDelegate {
    func tokenArrived(_ token: OAuthToken) {
        let fields = FCMRequest.constantFields(
            authority: endpoint.authority, project: project, authorization: token.authorization)
        do { request = try RequestTemplate(fields.map(RequestTemplate.Field.init)) } catch {
            events.refused(account, .connectionIsOurFault, reason: "\(error)")
        }
    }

    func tokenFailed(_ verdict: Verdict, reason: String) {
        if verdict.scope == .account {
            events.refused(account, verdict, reason: reason)
        } else {
            events.unreachable(account, verdict, reason: reason)
        }
    }

    func makeRoom() -> Bool { events.makeRoom(for: account) }

    func tokenRests(seconds: Int32, reason: String) { events.busy(account, seconds: seconds, reason: reason) }
}
