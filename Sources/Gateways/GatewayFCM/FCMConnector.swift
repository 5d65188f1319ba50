internal import GatewayKit
internal import PushModel
internal import PushPayload
internal import PushSystem
internal import PushTransport
internal import PushWire

/// FCM over HTTP v1 for one account: its access token, the templates of its jobs, and the meaning of its
/// answers.
///
/// **Promises.** The number of requests in flight never exceeds the configured limits of the account and of
/// the child. They use as few
/// connections as the peer's stream limit allows: the connector opens another connection only when all
/// existing connections are full. Nothing is sent without a valid token. After the gateway reports that a
/// token has expired, nothing is sent until there is a new token and all requests with the old token have
/// been answered. The next answer that reports an expired token therefore concerns the new token.
/// **Failures.** A failure that concerns the account as a whole is reported once, as unreachable or refused.
/// The child then returns the waiting messages. **Neighbours.** ``HTTP2Pool``; ``OAuthTokenSource``;
/// `FCMConnector+Answers`; `Words`.
final class FCMConnector: Connector {
    /// Space for the payload, its envelope, and the longest token with every byte escaped. The system assigns
    /// memory only to the bytes that are written.
    private static let slotBytes = 32 << 10
    /// The response headers that the connector keeps.
    static let wantedHeaders = ["retry-after", "www-authenticate"]

    let account: AccountID
    unowned let events: any ConnectorEvents
    let tokens: OAuthTokenSource
    let loop: TransportLoop
    let pool: HTTP2Pool
    private let project: String
    private let requestLimit: Int
    /// The requests of all accounts of the child; `nil` if this account does not share a limit.
    private let shared: SharedRequests?
    let keepsMessageIDs: Bool

    /// The header fields with the current token.
    private var request: RequestTemplate?
    private var jobs = AdmittedJobs<Job>()
    var inFlight = 0 {
        didSet { shared?.inProgress += inFlight - oldValue }
    }
    /// Whether the gateway reported a token as expired while other requests with that token were in flight.
    var isSettling = false
    /// Whether anything was submitted since the last flush.
    private var isBusy = false
    /// The wall-clock time, read once per turn.
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
        _ order: AccountOrder, credential: FCMServiceAccount, requestLimit: Int, shared: SharedRequests?,
        loop: TransportLoop, events: any ConnectorEvents
    ) throws {
        account = order.account
        self.shared = shared
        self.events = events
        self.loop = loop
        self.requestLimit = max(requestLimit, 1)
        let settings = try FCMSettings(json: order.gateway.settings)
        keepsMessageIDs = settings.keepsMessageIDs
        project = credential.projectID
        var http2 = HTTP2Configuration()
        http2.requestTimeout = .seconds(settings.requestTimeoutSeconds)
        http2.wantedHeaders = Self.wantedHeaders
        http2.indexesSecrets = settings.indexesAuthorization
        http2.slotBytes = Self.slotBytes
        http2.maximumStreams = min(self.requestLimit, http2.maximumStreams)
        let identity = FCMHosts.identity(order.gateway)
        pool = HTTP2Pool(
            account, to: FCMHosts.gateway(order.gateway), identity: identity, configuration: http2,
            growth: .whenFull(upTo: self.requestLimit), loop: loop, events: events)
        tokens = try OAuthTokenSource(credential, gateway: order.gateway, identity: identity, loop: loop)
        pool.delegate = self
        tokens.delegate = self
    }

    deinit { shared?.inProgress -= inFlight }

    // MARK: Jobs

    func admit(_ order: JobOrder) throws {
        let content = try ContentDocument.fcm.decode(order.contentJSON)
        let payload = try PayloadTemplate.android(
            content: content, variables: order.variables, delivery: order.delivery, tracking: order.tracking,
            idFormat: order.messageIDFormat)
        jobs.admit(Job(payload: payload, expiresAt: order.gatewayExpiration), as: order.job)
    }

    func retire(job: JobID) { jobs.retire(job) }

    // MARK: Sending

    var credit: Int {
        guard request != nil, !isSettling, freeRequests > 0, tokens.isUsable else { return 0 }
        return min(pool.credit, freeRequests)
    }
    /// The number of requests that both limits allow to begin now.
    private var freeRequests: Int { min(requestLimit - inFlight, shared?.free ?? .max) }

    var openConnections: Int { pool.openConnections }

    /// Connects even if the child's other accounts use all requests, so that the account can use the next one
    /// that is free. Requests the token first, so that an account that cannot get a token does not open a
    /// connection.
    func wake() {
        guard inFlight < requestLimit, !isSettling else { return }
        guard request != nil, tokens.isUsable else { return tokens.renewIfDue() }
        do { try pool.grow() } catch { refused("\(error)") }
    }

    func submit(_ run: inout GrantRun) -> Submission {
        let (grant, before) = (run.frame, run.left)
        let free = freeRequests
        guard free > 0, !isSettling, tokens.isUsable, let template = request, let job = jobs.find(grant.job)
        else { return .noCredit }
        let submission = pool.submit(
            &run, as: template, atMost: free, of: job.payload
        ) { request, entry in
            fill(&request, entry, grant, job)
        }
        if run.left < before {
            inFlight += before - run.left
            isBusy = true
        }
        return submission
    }

    /// Writes the body directly into the send buffer, without a copy or an allocation. The buffers belong to
    /// the request and the grant, and the writer respects their bounds.
    @inline(__always)
    private func fill(
        _ request: inout RequestWriter, _ entry: GrantEntry, _ grant: GrantFrame, _ job: Job
    ) -> PayloadTemplate.Rendering {
        unsafe grant.bytes.withUnsafeBytes { bytes in
            unsafe job.payload.render(
                into: request.free, identity: entry.id, integerID: entry.integerID,
                token: UnsafeRawBufferPointer(rebasing: bytes[entry.token]),
                secondsToLive: FCMRequest.secondsToLive(until: job.expiresAt, now: wall),
                parameters: UnsafeRawBufferPointer(rebasing: bytes[entry.parameters]))
        }
    }

    func takeAnswerTimes() -> LatencyCounts { pool.takeAnswerTimes() }

    func flush() {
        wall = Clocks.wall()
        if isBusy { tokens.renewIfDue() }
        isBusy = false
        pool.flush()
    }

    func renewCredential() { renew() }

    func endPauses() { tokens.endPause() }

    func close() {
        tokens.cancel()
        pool.drain()
    }
}

extension FCMConnector: OAuthTokenSourceDelegate {
    func tokenArrived(_ token: OAuthToken) {
        let fields = FCMRequest.constantFields(
            authority: pool.endpoint.authority, project: project, authorization: token.authorization)
        do { request = try RequestTemplate(fields.map(RequestTemplate.Field.init)) } catch {
            refused("\(error)")
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

    func tokenRests(seconds: Int32, reason: String) {
        events.busy(account, seconds: seconds, reason: reason, tag: nil)
    }
}
