internal import GatewayKit
internal import PushModel
internal import PushPayload
internal import PushSystem
internal import PushTransport
internal import PushWire

/// Sends one account's messages to a receiver that the operator provides: as batches of rendered messages in
/// JSON, over HTTP/2 if the receiver offers it, otherwise over HTTP/1.1.
///
/// **Promises.** The number of requests in progress never exceeds the configured limit. A batch contains
/// messages of one delivery to one app from one turn, and the connector never waits for more messages to fill
/// the batch. Each message has its own ending. A message that the answer does not mention is undecided.
/// **Failures.** A failure that concerns the receiver as a whole is reported once, as unreachable or refused.
/// **Neighbours.** `Words`, ``GatewayKit/BatchExchanges``.
final class CustomConnector: Connector {
    /// The maximum size of an answer, in bytes. A thousand verdicts, each with a reason, take about a quarter
    /// of this size.
    private static let maxAnswerBytes = 1 << 20
    private static let userAgent = "PushMTA-Custom/1"

    private let order: AccountOrder
    private let vendors: [ConnectorEntry]
    private let contents: ContentDocument
    private let settings: CustomSettings
    private unowned let events: any ConnectorEvents
    private let line: BatchExchanges
    private let request: HTTPRequest

    /// The number of messages to send individually because a batch that contained them was refused. Sending
    /// each message alone shows which one is at fault. It also prevents a single answer from counting as the
    /// answer to each of many messages.
    private var singles = 0

    private var jobs = AdmittedJobs<Job>()
    /// The batch that is being filled.
    private var pending: PendingBatch?
    /// Completed batches, which are sent with the next flush.
    private var ready: [PendingBatch] = []
    /// The number of messages that have not been sent yet.
    private var waiting = 0
    private var scratch: [UInt8] = []
    /// The wall-clock time, read once per turn.
    private var wall = Clocks.wall()

    private final class Job {
        let payload: PayloadTemplate
        let head: CustomBatch.Head
        let secondsToLive: (_ now: WallTime) -> Int64
        init(
            payload: PayloadTemplate, head: CustomBatch.Head, secondsToLive: @escaping (WallTime) -> Int64
        ) {
            (self.payload, self.head, self.secondsToLive) = (payload, head, secondsToLive)
        }
    }

    private struct PendingBatch {
        let job: Job
        var batch: CustomBatch
        var tags: [UInt64] = []
    }

    /// `vendors` and `contents` have the same meaning as in
    /// ``GatewayKit/ConnectorEntry/custom(like:reading:)``.
    init(
        _ order: AccountOrder, like vendors: [ConnectorEntry], reading contents: ContentDocument,
        loop: TransportLoop, events: any ConnectorEvents
    ) throws {
        (self.order, self.vendors, self.contents, self.events) = (order, vendors, contents, events)
        settings = try CustomSettings(json: order.gateway.settings)
        guard !settings.url.isEmpty else {
            throw ConnectorError("there is no receiver: set it in nmac/custom/@url of serverConf.xml")
        }
        request = try Self.request(order.gateway, settings)
        line = BatchExchanges(order.account, loop: loop, events: events) { request in
            switch request {
            case .neverSent(let detail): CustomReply.outcome(neverSent: detail)
            case .undecided(let detail): CustomReply.outcome(undecided: detail)
            }
        }
    }

    private static func request(_ gateway: GatewayOrder, _ settings: CustomSettings) throws -> HTTPRequest {
        let address = try HTTPAddress(settings.url)
        var request = HTTPRequest(
            "POST",
            Endpoint(
                host: address.host, port: address.port,
                // An address without TLS is on this machine, so a proxy could not reach it.
                proxy: address.isSecure ? gateway.proxy.map(HTTPProxy.init) : nil),
            path: address.path, isSecure: address.isSecure,
            headers: [.init("content-type", "application/json"), .init("user-agent", userAgent)])
        if !gateway.secret.bytes.isEmpty {
            let secret = String(decoding: gateway.secret.bytes, as: UTF8.self)
            request.headers.append(.init("authorization", "Bearer \(secret)"))
        }
        if !gateway.trustedCertificates.isEmpty {
            request.tls = TLSIdentity(trust: .pem(Array(gateway.trustedCertificates.utf8)))
        }
        request.version = .http2IfOffered
        request.timeout = .seconds(settings.requestTimeoutSeconds)
        request.maximumBody = maxAnswerBytes
        return request
    }

    // MARK: Jobs

    func admit(_ job: JobOrder) throws {
        let content = try contents.decode(job.contentJSON)
        let vendor = vendors.first { $0.platforms.contains(job.platform) }
        let terms = PayloadInputs(job, of: order, limitBytes: PayloadTemplate.plainLimitBytes)
        let head = CustomBatch.Head(
            job, in: order.environment,
            headers: vendor?.headers(content, job.bundleID, job.gatewayExpiration) ?? [:])
        jobs.admit(
            Job(
                payload: try vendor?.template?(content, terms) ?? ConnectorEntry.plain(content, terms),
                head: head,
                secondsToLive: { vendor?.secondsToLive(job.gatewayExpiration, $0) ?? 0 }),
            as: job.job)
    }

    func retire(job: JobID) { jobs.retire(job) }

    // MARK: Sending

    var inFlight: Int { line.inFlight + waiting }
    var openConnections: Int { line.requestsUnderWay }

    private var freeRequests: Int {
        settings.parallelRequests - line.requestsUnderWay - ready.count - (pending == nil ? 0 : 1)
    }

    private var batchLimit: Int { singles > 0 ? 1 : settings.batchMessages }
    private func isFull(_ pending: PendingBatch) -> Bool { pending.batch.isFull(at: batchLimit) }

    /// Includes the free space in the batch that is being filled, although only messages of that batch's job
    /// may use it.
    var credit: Int {
        var left = 0
        if let pending, !isFull(pending) { left = batchLimit - pending.tags.count }
        return max(freeRequests, 0) * batchLimit + left
    }

    /// Does nothing, because each connection is opened and closed together with its requests.
    func wake() {}
    func close() {}
    func takeAnswerTimes() -> LatencyCounts { line.takeAnswerTimes() }

    func submit(_ run: inout GrantRun) -> Submission {
        run.submitEach { submit($0, of: $1, tag: $2) }
    }

    private func submit(_ entry: GrantEntry, of grant: GrantFrame, tag: UInt64) -> Submission {
        guard let job = jobs.find(grant.job) else { return .noCredit }
        if let pending, pending.job !== job || isFull(pending) { seal() }
        guard pending != nil || freeRequests > 0 else { return .noCredit }
        let rendering = render(entry, grant, job)
        guard case .bytes(let size) = rendering else {
            return Submission(rendering, of: job.payload) ?? .noCredit
        }
        if pending == nil { pending = PendingBatch(job: job, batch: CustomBatch(job.head)) }
        pending?.batch.append(entry.id, token: grant.bytes[entry.token], payload: scratch[..<size])
        pending?.tags.append(tag)
        if singles > 0 {
            singles -= 1
            seal()
        }
        waiting += 1
        return .taken
    }

    /// Renders into ``scratch``. Unsafe only because `render` is: the buffers belong to the array and the
    /// grant.
    private func render(
        _ entry: GrantEntry, _ grant: GrantFrame, _ job: Job
    ) -> PayloadTemplate.Rendering {
        let room = job.payload.roomNeeded(tokenBytes: entry.token.count)
        if scratch.count < room { scratch = [UInt8](repeating: 0, count: room) }
        let secondsToLive = job.secondsToLive(wall)
        return unsafe scratch.withUnsafeMutableBytes { buffer in
            unsafe grant.bytes.withUnsafeBytes { bytes in
                unsafe job.payload.render(
                    into: buffer, identity: entry.id, integerID: entry.integerID,
                    token: UnsafeRawBufferPointer(rebasing: bytes[entry.token]),
                    secondsToLive: secondsToLive,
                    parameters: UnsafeRawBufferPointer(rebasing: bytes[entry.parameters]))
            }
        }
    }

    private func seal() {
        if let pending { ready.append(pending) }
        pending = nil
    }

    func flush() {
        wall = Clocks.wall()
        seal()
        let leaving = ready
        ready.removeAll(keepingCapacity: true)
        for full in leaving {
            var request = request
            request.body = full.batch.body
            waiting -= full.tags.count
            let (ids, tags) = (full.batch.ids, full.tags)
            line.send(request, tags) { [weak self] in self?.answered($0, ids, tags) }
        }
    }

    // MARK: What comes back

    private func answered(_ response: HTTPResponse, _ ids: [OpaqueID], _ tags: [UInt64]) {
        let reply = CustomReply(
            status: response.status, body: response.body, ids: ids,
            retryAfter: response.header("retry-after"), now: Clocks.wall())
        // A status concerns the receiver as a whole, regardless of the messages that were sent.
        if let seconds = reply.pauseSeconds, seconds > 0 {
            events.busy(
                order.account, seconds: seconds,
                reason: "Retry-After \(seconds) s with status \(response.status)", tag: nil)
        }
        line.left(tags.count)
        if reply.refusesBatch, tags.count > 1 {
            singles += tags.count
            for tag in tags { events.discarded(tag: tag) }
            return
        }
        if case .rejected(let verdict, let reason)? = reply.accountFailure {
            events.refused(order.account, verdict, reason: reason)
        }
        for (tag, outcome) in zip(tags, reply.outcomes) {
            if case .accepted = outcome {
                events.accepted(tag: tag)
            } else {
                events.ended(tag: tag, outcome)
            }
        }
    }
}
