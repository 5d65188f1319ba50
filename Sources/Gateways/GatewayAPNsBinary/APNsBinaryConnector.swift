internal import GatewayAPNs
internal import GatewayKit
internal import PushModel
internal import PushPayload
internal import PushTransport
internal import PushWire

/// APNs' ended binary protocol for one account: one connection at a time, its certificate, its jobs'
/// templates.
///
/// Private gateways and test benches still speak it. Its hard rule is that success is silent, so a message
/// counts as sent only when nothing was heard for a while after it arrived: see ``APNsBinaryConnection``.
/// **Promises.** No more messages wait for that than `unconfirmedFrames`: the bound on what may arrive twice
/// when the gateway goes without a word. An error packet is followed by the next connection at once, however
/// many there are; anything else that ends one, at the pace of ``ConnectPace``.
/// **Failures.** Trouble with the account as a whole is told once as unreachable or refused; its child gives
/// back what waits. **Neighbours.** ``APNsBinaryConnection``, ``FeedbackReader``, `Words`.
final class APNsBinaryConnector: Connector {
    private let account: AccountID
    private unowned let events: any ConnectorEvents
    private let loop: TransportLoop
    private let endpoint: Endpoint
    private let identity: TLSIdentity
    private let confirmAfterSeconds: UInt32
    private let unconfirmedFrames: Int

    private var jobs = AdmittedJobs<Job>()
    private var connection: APNsBinaryConnection?
    private var pace = ConnectPace()
    /// The last connection ended with word of how far it got. To throttle what follows would slow a delivery
    /// down for each bad token in it.
    private var gotFurther = false
    /// Messages whose token is none, to be told at the next flush.
    private var unsendable: [UInt64] = []

    private final class Job {
        let payload: PayloadTemplate
        let expiration: UInt32
        let priority: UInt8
        init(payload: PayloadTemplate, expiration: UInt32, priority: UInt8) {
            self.payload = payload
            self.expiration = expiration
            self.priority = priority
        }
    }

    init(_ order: AccountOrder, loop: TransportLoop, events: any ConnectorEvents) throws {
        account = order.account
        self.events = events
        self.loop = loop
        endpoint = APNsBinaryHosts.gateway(order)
        identity = try APNsBinaryHosts.identity(order)
        let settings = try APNsBinarySettings(json: order.gateway.settings)
        confirmAfterSeconds = UInt32(clamping: settings.confirmAfterSeconds)
        unconfirmedFrames = settings.unconfirmedFrames
    }

    // MARK: Jobs

    func admit(_ order: JobOrder) throws {
        let content = try ContentDocument.apns.decode(order.contentJSON)
        // A submission is refused; the app may have been switched to this connector since.
        guard [.alert, .silent].contains(content.ios.type) else {
            throw ConnectorError(
                "the binary protocol has no \(content.ios.type.rawValue) push; it needs connector iosHTTP2")
        }
        let payload = try PayloadTemplate.apns(
            content: content, variables: order.variables, delivery: order.delivery, tracking: order.tracking,
            idFormat: order.messageIDFormat, limitBytes: APNsBinaryRequest.maximumPayloadBytes)
        let job = Job(
            payload: payload, expiration: APNsBinaryRequest.expiration(order.gatewayExpiration),
            priority: APNsHeading(content.ios).priority.binaryItem)
        jobs.admit(job, as: order.job)
    }

    func retire(job: JobID) { jobs.retire(job) }

    // MARK: Sending

    var credit: Int { connection?.credit ?? 0 }
    var inFlight: Int { (connection?.inFlight ?? 0) + unsendable.count }
    /// The buffer that bounds ``credit`` empties in no time; what lasts is the wait for an objection.
    var window: Int { connection?.isOpen == true ? unconfirmedFrames : inFlight }
    var openConnections: Int { connection?.isOpen == true ? 1 : 0 }

    func wake() {
        guard connection == nil else { return }
        guard gotFurther || pace.take(at: MonotonicTime(nanoseconds: loop.now)) else { return }
        gotFurther = false
        do {
            connection = try APNsBinaryConnection(
                loop: loop, endpoint: endpoint, identity: identity,
                frames: SentFrames(capacity: unconfirmedFrames),
                confirmAfterSeconds: confirmAfterSeconds, owner: self, events: events)
        } catch {
            tellRefused(APNsBinaryReply.judge(.certificate, detail: "\(error)").reason)
        }
    }

    /// Writes the frame straight into the memory that it is sent from: no copy, no allocation. The buffer is
    /// the connection's, large enough for the longest frame, and bounded by the writers.
    func submit(_ run: inout GrantRun) -> Submission {
        run.submitEach { submit($0, of: $1, tag: $2) }
    }

    private func submit(_ entry: GrantEntry, of grant: GrantFrame, tag: UInt64) -> Submission {
        guard let connection, connection.credit > 0, let job = jobs.find(grant.job) else { return .noCredit }
        let buffer = unsafe connection.buffer
        let head = unsafe grant.bytes.withUnsafeBytes { bytes in
            unsafe APNsBinaryRequest.writeHead(
                token: UnsafeRawBufferPointer(rebasing: bytes[entry.token]), into: buffer)
        }
        guard head > 0 else {
            unsendable.append(tag)
            return .taken
        }
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[head...])
        let rendering = unsafe grant.bytes.withUnsafeBytes { bytes in
            unsafe job.payload.render(
                into: rest, identity: entry.id, integerID: entry.integerID,
                parameters: UnsafeRawBufferPointer(rebasing: bytes[entry.parameters]))
        }
        guard case .bytes(let payload) = rendering else {
            return Submission(rendering, of: job.payload) ?? .noCredit
        }
        let size = unsafe APNsBinaryRequest.finish(
            head: head, payload: payload, identifier: connection.nextIdentifier,
            expiration: job.expiration,
            priority: job.priority, in: buffer)
        guard size > 0 else { return .noCredit }
        connection.append(tag, bytes: size)
        return .taken
    }

    func flush() {
        if !unsendable.isEmpty {
            let told = unsendable
            unsendable.removeAll()
            for tag in told { events.ended(tag: tag, APNsBinaryReply.unsendableToken()) }
        }
        connection?.flush()
    }

    func close() { connection?.close() }

    private func tellRefused(_ reason: String) {
        events.refused(account, APNsBinaryReasons.certificate.verdict, reason: reason)
    }
}

extension APNsBinaryConnector: APNsBinaryOwner {
    func connectionOpened(_ connection: APNsBinaryConnection) {
        events.connected(account, to: endpoint.description)
    }

    func connection(_ connection: APNsBinaryConnection, ended ending: APNsBinaryConnection.Ending) {
        guard self.connection === connection else { return }
        self.connection = nil
        switch ending {
        case .judged(let verdict, let reason):
            gotFurther = true
            if let verdict, verdict.schedule == .hold { events.refused(account, verdict, reason: reason) }
            events.disconnected(account, because: reason)
        case .lost(let reason):
            events.disconnected(account, because: reason)
        case .unreachable(let reason):
            events.unreachable(account, APNsBinaryReasons.connectionLost.verdict, reason: reason)
        case .withoutDescriptor(let reason):
            // Where room is made, the next turn tries again.
            guard !events.makeRoom(for: account) else { return }
            events.unreachable(account, APNsBinaryReasons.connectionLost.verdict, reason: reason)
        case .refused(let reason):
            tellRefused(reason)
        case .local: break
        }
    }
}
