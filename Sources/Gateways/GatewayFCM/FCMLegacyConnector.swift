internal import GatewayKit
internal import PushModel
internal import PushPayload
internal import PushSystem
internal import PushTransport
internal import PushWire

/// FCM's legacy interface for one account: `POST /fcm/send` with a project's key, over HTTP/1.1, which every
/// private gateway speaks.
///
/// **Promises.** Never more requests under way than ordered. A payload that is the same for all goes to the
/// messages of one turn together, up to a thousand a request; any other goes alone. Each message of a request
/// gets its own ending; what an answer does not say is undecided.
/// **Failures.** As ``FCMConnector``'s. **Neighbours.** `Words`, `HTTPExchange`.
final class FCMLegacyConnector: Connector {
    /// A request of more tokens than this in bytes is sent before its thousand is full.
    private static let mostListBytes = 256 << 10
    /// An answer of a thousand results with their canonical ids has about a third of that.
    private static let maximumAnswerBytes = 1 << 20
    /// A connection that was used so lately is still there: a server that closes idle ones waits longer. One
    /// that it closes just then would leave the messages undecided.
    private static let warmNanoseconds: Int64 = 2_000_000_000

    private let account: AccountID
    private let keepsMessageIDs: Bool
    private unowned let events: any ConnectorEvents
    private let loop: TransportLoop
    private let endpoint: Endpoint
    private let identity: TLSIdentity
    private let headers: [HTTPRequest.Header]
    private let timeout: Duration
    private let requestLimit: Int

    private var jobs = AdmittedJobs<Job>()
    /// The request that is being filled.
    private var gathering: Gathering?
    /// Filled, to leave with the next flush.
    private var ready: [Ready] = []
    private var underWay = 0
    private(set) var inFlight = 0
    private var lastAnswer: Int64?
    private var answerTimes = LatencyCounts()
    private var isConnected = false

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

    private struct Gathering {
        let job: Job
        var ids = FCMLegacyRequest.RegistrationIDs()
        var tags: [UInt64] = []
        var isFull: Bool { ids.isFull || ids.json.count >= mostListBytes }
    }

    private struct Ready {
        let body: [UInt8]
        /// In the order of the request's ids.
        let tags: [UInt64]
    }

    init(
        _ order: AccountOrder, key: FCMProjectKey, requestLimit: Int, loop: TransportLoop,
        events: any ConnectorEvents
    ) throws {
        let settings = try FCMSettings(json: order.gateway.settings)
        account = order.account
        keepsMessageIDs = settings.keepsMessageIDs
        self.events = events
        self.loop = loop
        self.requestLimit = max(requestLimit, 1)
        endpoint = FCMHosts.gateway(order.gateway)
        identity = FCMHosts.identity(order.gateway)
        timeout = .seconds(max(settings.requestTimeoutSeconds, 1))
        headers = FCMLegacyRequest.constantFields(key: key).map { HTTPRequest.Header($0.name, $0.value) }
    }

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

    private var freeRequests: Int { requestLimit - underWay - ready.count - (gathering == nil ? 0 : 1) }

    /// Counts what is left of the request that is being filled, though only its own job's messages fit there.
    var credit: Int {
        var left = 0
        if let gathering, !gathering.isFull {
            left = FCMLegacyRequest.maximumRegistrationIDs - gathering.ids.count
        }
        return max(freeRequests, 0) + left
    }
    var openConnections: Int { underWay }
    /// Connections come and go with their requests.
    func wake() {}

    func submit(_ entry: GrantEntry, of grant: GrantFrame, tag: UInt64) -> Submission {
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
            inFlight += 1
            return .taken
        }
    }

    private func gather(_ token: ArraySlice<UInt8>, _ tag: UInt64, _ job: Job) -> Submission {
        if let gathering, gathering.job !== job || gathering.isFull { seal() }
        if gathering == nil {
            guard freeRequests > 0 else { return .noCredit }
            gathering = Gathering(job: job)
        }
        guard gathering?.ids.append(token) == true else { return .noCredit }
        gathering?.tags.append(tag)
        inFlight += 1
        return .taken
    }

    private func seal() {
        guard let full = gathering else { return }
        gathering = nil
        // Admitted, so it is within its limit; the list does not count.
        let body = full.job.body(token: full.ids.json, identity: OpaqueID(high: 0, low: 0), integerID: 0)
        ready.append(Ready(body: body.bytes ?? [], tags: full.tags))
    }

    func flush() {
        seal()
        let leaving = ready
        ready.removeAll(keepingCapacity: true)
        for request in leaving { send(request) }
    }

    func close() {}

    func takeAnswerTimes() -> LatencyCounts { answerTimes.take() }

    private func send(_ ready: Ready) {
        var request = HTTPRequest(
            "POST", endpoint, path: FCMLegacyRequest.path, headers: headers, body: ready.body)
        request.tls = identity
        request.timeout = timeout
        request.maximumBody = Self.maximumAnswerBytes
        if let lastAnswer, loop.now - lastAnswer < Self.warmNanoseconds { request.reuse = .allowed }
        do {
            try HTTPExchange(loop: loop, request: request) { [weak self, sent = loop.now] result in
                self?.finished(result, ready.tags, sent: sent)
            }
            underWay += 1
        } catch {
            end(ready.tags, .neverSent(.connectionIsOurFault, reason: "\(error)"))
            events.refused(account, .connectionIsOurFault, reason: "\(error)")
        }
    }

    // MARK: What comes back

    private func end(_ tags: [UInt64], _ outcome: Outcome) {
        inFlight -= tags.count
        for tag in tags { events.ended(tag: tag, outcome) }
    }

    private func finished(_ result: HTTPResult, _ tags: [UInt64], sent: Int64) {
        underWay -= 1
        switch result {
        case .response(let response):
            answerTimes.add(nanoseconds: loop.now - sent, count: tags.count)
            answered(response, tags)
        case .failure(let failure): failed(failure, tags)
        }
    }

    private func answered(_ response: HTTPResponse, _ tags: [UInt64]) {
        lastAnswer = loop.now
        if !isConnected {
            isConnected = true
            events.connected(account, to: endpoint.description)
        }
        let reply = FCMLegacyReply(
            status: response.status, body: response.body, count: tags.count,
            retryAfter: response.header("retry-after"), now: Clocks.wall())
        // The request of several tokens is about all of them.
        if let seconds = reply.retryAfterSeconds, response.status == 429 || response.status >= 500 {
            events.busy(
                account, seconds: seconds, reason: "Retry-After \(seconds) s with status \(response.status)",
                tag: tags.count == 1 ? tags[0] : nil)
        }
        var trouble = reply.accountTrouble
        inFlight -= tags.count
        for (tag, result) in zip(tags, reply.results) {
            if let token = result.canonicalToken { events.renamed(tag: tag, to: token) }
            if case .rejected(let verdict, _) = result.outcome, verdict.scope == .account {
                trouble = result.outcome
            }
            if case .accepted = result.outcome, !keepsMessageIDs {
                events.accepted(tag: tag)
            } else {
                events.ended(tag: tag, result.outcome)
            }
        }
        if case .rejected(let verdict, let reason)? = trouble {
            events.refused(account, verdict, reason: reason)
        }
    }

    private func failed(_ failure: HTTPFailure, _ tags: [UInt64]) {
        lastAnswer = nil
        let wasConnected = isConnected
        isConnected = false
        if failure.isCertificateTrouble {
            end(tags, .neverSent(.connectionIsOurFault, reason: "\(failure)"))
            return events.refused(account, .connectionIsOurFault, reason: "\(failure)")
        }
        guard failure.kind == .neverSent else {
            // Nothing was answered since the last request that failed: others would fare no better.
            if failure.isAbuse || !wasConnected && failure.cause == .timedOut {
                tellUnreachable(failure)
            } else if wasConnected {
                events.disconnected(account, because: "\(failure)")
            }
            return end(tags, FCMLegacyReply.outcome(of: .noAnswer, detail: "\(failure)"))
        }
        // News first: the account's messages, these included, go back until the gateway can be reached.
        if failure.cause != .connection(.tooManyOpenFiles) || !events.makeRoom(for: account) {
            tellUnreachable(failure)
        }
        end(tags, FCMLegacyReply.outcome(of: .connectFailed, detail: "\(failure)"))
    }

    private func tellUnreachable(_ failure: HTTPFailure) {
        let outcome = FCMLegacyReply.outcome(of: .connectFailed, detail: "\(failure)")
        guard case .neverSent(let verdict, let reason) = outcome else { return }
        events.unreachable(account, verdict, reason: reason)
    }
}
