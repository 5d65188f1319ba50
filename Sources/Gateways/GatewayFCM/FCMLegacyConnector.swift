internal import GatewayKit
internal import PushModel
internal import PushPayload
internal import PushSystem
internal import PushTransport
internal import PushWire

/// FCM's legacy interface for one account: `POST /fcm/send` with a project key, over HTTP/1.1, which every
/// private gateway supports.
///
/// **Promises.** The number of requests in progress never exceeds the configured limits of the account and of
/// the child. If the payload is the
/// same for all recipients, the messages of one turn are combined into requests of at most a thousand
/// messages. Otherwise each message is sent alone. Each message of a request has its own ending. A message
/// that the answer does not mention is undecided. **Failures.** A failure that concerns the account as a
/// whole is reported once, as unreachable or refused. **Neighbours.** `Words`, ``GatewayKit/BatchExchanges``.
final class FCMLegacyConnector: Connector {
    /// The size of the token list, in bytes, at which a request is sent even if the list has fewer than a
    /// thousand tokens.
    private static let maxListBytes = 256 << 10
    /// The maximum size of an answer, in bytes. An answer with a thousand results and their canonical ids
    /// takes about a third of this size.
    private static let maximumAnswerBytes = 1 << 20

    private let account: AccountID
    private let keepsMessageIDs: Bool
    private unowned let events: any ConnectorEvents
    private let line: BatchExchanges
    private let endpoint: Endpoint
    private let identity: TLSIdentity
    private let headers: [HTTPRequest.Header]
    private let timeout: Duration
    private let requestLimit: Int
    /// The requests of all accounts of the child; `nil` if this account does not share a limit.
    private let shared: SharedRequests?

    private var jobs = AdmittedJobs<Job>()
    /// The request that is being filled.
    private var pending: PendingBatch?
    /// Completed requests, which are sent with the next flush.
    private var ready: [Ready] = []
    /// The number of requests in ``ready``, and the one that is being filled.
    private var gathered = 0 {
        didSet { shared?.inProgress += gathered - oldValue }
    }
    /// The number of messages that have not been sent yet.
    private var waiting = 0

    private final class Job {
        let payload: PayloadTemplate
        let expiresAt: WallTime
        init(payload: PayloadTemplate, expiresAt: WallTime) {
            self.payload = payload
            self.expiresAt = expiresAt
        }

        func body(
            token: [UInt8], identity: OpaqueID, integerID: Int64, parameters: [UInt8] = []
        ) -> PayloadTemplate.Rendered {
            payload.rendered(
                identity: identity, integerID: integerID, token: token,
                secondsToLive: FCMRequest.secondsToLive(until: expiresAt, now: Clocks.wall()),
                parameters: parameters)
        }
    }

    private struct PendingBatch {
        let job: Job
        var ids = FCMLegacyRequest.RegistrationIDs()
        var tags: [UInt64] = []
        var isFull: Bool { ids.isFull || ids.json.count >= maxListBytes }
    }

    private struct Ready {
        let body: [UInt8]
        /// The tags, in the order of the request's ids.
        let tags: [UInt64]
    }

    init(
        _ order: AccountOrder, key: FCMProjectKey, requestLimit: Int, shared: SharedRequests?,
        loop: TransportLoop, events: any ConnectorEvents
    ) throws {
        self.shared = shared
        let settings = try FCMSettings(json: order.gateway.settings)
        account = order.account
        keepsMessageIDs = settings.keepsMessageIDs
        self.events = events
        line = BatchExchanges(order.account, loop: loop, events: events, shared: shared) { request in
            switch request {
            case .neverSent(let detail): FCMLegacyReply.outcome(of: .connectFailed, detail: detail)
            case .undecided(let detail): FCMLegacyReply.outcome(of: .noAnswer, detail: detail)
            }
        }
        self.requestLimit = max(requestLimit, 1)
        endpoint = FCMHosts.gateway(order.gateway)
        identity = FCMHosts.identity(order.gateway)
        timeout = .seconds(max(settings.requestTimeoutSeconds, 1))
        headers = FCMLegacyRequest.constantFields(key: key).map { HTTPRequest.Header($0.name, $0.value) }
    }

    deinit { shared?.inProgress -= gathered }

    // MARK: Jobs

    func admit(_ order: JobOrder) throws {
        let content = try ContentDocument.fcm.decode(order.contentJSON)
        let payload = try PayloadTemplate.android(
            content: content, variables: order.variables, delivery: order.delivery, tracking: order.tracking,
            idFormat: order.messageIDFormat, envelope: AndroidEnvelope(.legacy))
        jobs.admit(Job(payload: payload, expiresAt: order.gatewayExpiration), as: order.job)
    }

    func retire(job: JobID) { jobs.retire(job) }

    // MARK: Sending

    var inFlight: Int { line.inFlight + waiting }
    private var freeRequests: Int {
        min(requestLimit - line.requestsUnderWay - gathered, shared?.free ?? .max)
    }

    /// Includes the free space in the request that is being filled, although only messages of that request's
    /// job may use it.
    var credit: Int {
        var left = 0
        if let pending, !pending.isFull {
            left = FCMLegacyRequest.maximumRegistrationIDs - pending.ids.count
        }
        return max(freeRequests, 0) + left
    }
    var openConnections: Int { line.requestsUnderWay }
    /// Does nothing, because each connection is opened and closed together with its requests.
    func wake() {}

    func submit(_ run: inout GrantRun) -> Submission {
        run.submitEach { submit($0, of: $1, tag: $2) }
    }

    private func submit(_ entry: GrantEntry, of grant: GrantFrame, tag: UInt64) -> Submission {
        guard let job = jobs.find(grant.job) else { return .noCredit }
        return job.payload.takesTokenList
            ? gather(grant.bytes[entry.token], tag, job) : sendAlone(entry, grant, tag, job)
    }

    private func sendAlone(_ entry: GrantEntry, _ grant: GrantFrame, _ tag: UInt64, _ job: Job) -> Submission
    {
        guard freeRequests > 0 else { return .noCredit }
        let body = job.body(
            token: Array(grant.bytes[entry.token]), identity: entry.id, integerID: entry.integerID,
            parameters: Array(grant.bytes[entry.parameters]))
        switch body {
        case .tooLarge(let bytes): return .tooLarge(bytes: bytes, limit: job.payload.limitBytes)
        case .missing(let parameter): return .missing(parameter: parameter)
        case .payload(let body):
            ready.append(Ready(body: body, tags: [tag]))
            gathered += 1
            waiting += 1
            return .taken
        }
    }

    private func gather(_ token: ArraySlice<UInt8>, _ tag: UInt64, _ job: Job) -> Submission {
        if let pending, pending.job !== job || pending.isFull { seal() }
        if pending == nil {
            guard freeRequests > 0 else { return .noCredit }
            pending = PendingBatch(job: job)
            gathered += 1
        }
        guard pending?.ids.append(token) == true else { return .noCredit }
        pending?.tags.append(tag)
        waiting += 1
        return .taken
    }

    private func seal() {
        guard let full = pending else { return }
        pending = nil
        // When the job was admitted, the payload was checked against its limit. The token list does not count
        // toward that limit.
        let body = full.job.body(token: full.ids.json, identity: OpaqueID(high: 0, low: 0), integerID: 0)
        ready.append(Ready(body: body.bytes ?? [], tags: full.tags))
    }

    func flush() {
        seal()
        let leaving = ready
        ready.removeAll(keepingCapacity: true)
        gathered = 0
        for request in leaving { send(request) }
    }

    func close() {}

    func takeAnswerTimes() -> LatencyCounts { line.takeAnswerTimes() }

    private func send(_ ready: Ready) {
        var request = HTTPRequest(
            "POST", endpoint, path: FCMLegacyRequest.path, headers: headers, body: ready.body)
        request.tls = identity
        request.timeout = timeout
        request.maximumBody = Self.maximumAnswerBytes
        waiting -= ready.tags.count
        line.send(request, ready.tags) { [weak self] in self?.answered($0, ready.tags) }
    }

    // MARK: What comes back

    private func answered(_ response: HTTPResponse, _ tags: [UInt64]) {
        let reply = FCMLegacyReply(
            status: response.status, body: response.body, count: tags.count,
            retryAfter: response.header("retry-after"), now: Clocks.wall())
        // An answer to a request with several tokens concerns all these tokens.
        if let seconds = reply.retryAfterSeconds, response.status == 429 || response.status >= 500 {
            events.busy(
                account, seconds: seconds, reason: "Retry-After \(seconds) s with status \(response.status)",
                tag: tags.count == 1 ? tags[0] : nil)
        }
        var failure = reply.accountFailure
        line.left(tags.count)
        for (tag, result) in zip(tags, reply.results) {
            if let token = result.canonicalToken { events.renamed(tag: tag, to: token) }
            if case .rejected(let verdict, _) = result.outcome, verdict.scope == .account {
                failure = result.outcome
            }
            if case .accepted = result.outcome, !keepsMessageIDs {
                events.accepted(tag: tag)
            } else {
                events.ended(tag: tag, result.outcome)
            }
        }
        if case .rejected(let verdict, let reason)? = failure {
            events.refused(account, verdict, reason: reason)
        }
    }
}
