internal import GatewayAPNs
internal import GatewayKit
internal import PushModel
internal import PushPayload
internal import PushTransport
internal import PushWire

/// APNs' discontinued binary protocol for one account: one connection at a time, its certificate, and the
/// templates of its jobs.
///
/// Private gateways and test benches still use this protocol. The difficulty of the protocol is that success
/// is silent: a message counts as sent only if no error is received for some time after it arrived. See
/// ``APNsBinaryConnection``. **Promises.** At most `unconfirmedFrames` messages wait until they count as
/// sent. This limits the number of messages that may arrive twice if the gateway closes the connection
/// without a packet. After an error packet, the next connection is opened immediately, regardless of the
/// number of error packets. After any other ending, ``ConnectPace`` sets the pace. **Failures.** A failure
/// that concerns the account as a whole is reported once, as unreachable or refused. The child then returns
/// the waiting messages. **Neighbours.** ``APNsBinaryConnection``, ``FeedbackReader``, `Words`.
final class APNsBinaryConnector: Connector {
    private let account: AccountID
    private unowned let events: any ConnectorEvents
    private let loop: TransportLoop
    private let endpoint: Endpoint
    private let identity: TLSIdentity
    private let confirmAfterSeconds: UInt32
    private let unconfirmedFrames: Int
    private let maxPayloadBytes: Int

    private var jobs = AdmittedJobs<Job>()
    private var connection: APNsBinaryConnection?
    private var pace = ConnectPace()
    /// Whether the gateway named a frame on the last connection. In that case the next connection is not
    /// throttled, because throttling would slow a delivery down for each of its bad tokens.
    private var gotFurther = false
    /// Messages with an invalid token, which are reported at the next flush.
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
        maxPayloadBytes = min(settings.maxPayloadBytes, APNsBinaryRequest.largestPayloadBytes)
    }

    // MARK: Jobs

    func admit(_ order: JobOrder) throws {
        let content = try ContentDocument.apns.decode(order.contentJSON)
        // Contents of other types are refused when they are submitted, but the app may have been switched to
        // this connector since then.
        guard [.alert, .silent].contains(content.ios.type) else {
            throw ConnectorError(
                """
                the binary protocol does not support \(content.ios.type.rawValue) pushes; use connector \
                iosHTTP2
                """
            )
        }
        let payload = try PayloadTemplate.apns(
            content: content, variables: order.variables, delivery: order.delivery, tracking: order.tracking,
            idFormat: order.messageIDFormat, limitBytes: maxPayloadBytes)
        let job = Job(
            payload: payload, expiration: APNsBinaryRequest.expiration(order.gatewayExpiration),
            priority: APNsHeading(content.ios).priority.binaryItem)
        jobs.admit(job, as: order.job)
    }

    func retire(job: JobID) { jobs.retire(job) }

    // MARK: Sending

    var credit: Int { connection?.credit ?? 0 }
    var inFlight: Int { (connection?.inFlight ?? 0) + unsendable.count }
    /// The window is not ``credit``, because the buffer that limits credit empties quickly: frames spend most
    /// of their time waiting for a possible error packet.
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
                confirmAfterSeconds: confirmAfterSeconds, maxPayloadBytes: maxPayloadBytes, owner: self,
                events: events)
        } catch {
            reportRefused(APNsBinaryReply.judge(.certificate, detail: "\(error)").reason)
        }
    }

    /// Writes the frame directly into the send buffer, without a copy or an allocation. The buffer belongs to
    /// the connection and is large enough for the longest frame, and the writers respect its bounds.
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

    private func reportRefused(_ reason: String) {
        events.refused(account, APNsBinaryReasons.certificate.verdict, reason: reason)
    }
}

extension APNsBinaryConnector: APNsBinaryOwner {
    func connectionOpened(_ connection: APNsBinaryConnection) {
        events.connected(account, to: endpoint.description)
    }

    func connection(_ connection: APNsBinaryConnection, ended ending: APNsBinaryConnection.CloseReason) {
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
            // If a connection of another account was closed to make room, the next turn tries to connect
            // again.
            guard !events.makeRoom(for: account) else { return }
            events.unreachable(account, APNsBinaryReasons.connectionLost.verdict, reason: reason)
        case .refused(let reason):
            reportRefused(reason)
        case .local: break
        }
    }
}
