/// The gateway that Apple switched off in 2021: the state that all its connections share.
///
/// **Promises.** The gateway does not answer accepted notifications, but they are in the log and in the
/// counts. After a notification that was not accepted, no further bytes are decoded or counted.
/// **Neighbours.** ``BinaryContract`` checks notifications, behaviours decide how the gateway misbehaves, and
/// ``BinaryConversation`` is one connection.
final class BinaryGateway {
    let contract: BinaryContract
    let counts: SinkCounts
    let log: RequestLog?
    fileprivate var behaviours: [any GatewayBehaviour]
    /// The digits of the current token, because rules, counts and logs use tokens as text.
    private let digits = UnsafeMutableBufferPointer<UInt8>.allocate(
        capacity: 2 * BinaryContract.tokenSizes.upperBound)

    init(
        contract: BinaryContract, behaviours: [any GatewayBehaviour], counts: SinkCounts, log: RequestLog?
    ) {
        self.contract = contract
        self.behaviours = behaviours
        self.counts = counts
        self.log = log
    }

    deinit { digits.deallocate() }

    /// Returns the token in digits, which are valid until the next call.
    func device(of frame: BinaryFrame) -> Bytes? {
        guard let token = frame.token, token.count <= BinaryContract.tokenSizes.upperBound, token.count > 0,
            let start = digits.baseAddress
        else { return nil }
        return Hex.write(token, to: start)
    }

    /// `number`: the number of the notification within its connection, from 1. `status`: the status in the
    /// packet, if there is one.
    func record(
        _ frame: BinaryFrame, _ device: Bytes?, _ ending: RequestOutcome, _ status: BinaryStatus? = nil,
        number: Int,
        connection: Int, at now: Instant
    ) {
        // Two notifications with the same payload for one token count as one message that arrived twice.
        let hash =
            counts.countsDistinct && ending == .accepted
            ? Bytes.mixed((frame.token?.hash64 ?? 0) ^ (frame.payload?.hash64 ?? 0) &* 3) | 1 : 0
        counts.ended(ending, device: device, idHash: hash, at: now)
        log?.write(frame, device, ending, status, number: number, connection: connection)
    }
}

/// One connection to the old gateway.
///
/// **States.** listening → leaving → over, or listening → deaf (→ over). Only a listening connection accepts
/// notifications. In the other states, it reads and discards bytes, as Apple did with everything after a bad
/// notification.
final class BinaryConversation: Conversation {
    private(set) var disposition = Disposition.continues

    private let gateway: BinaryGateway
    private let connection: Int
    private unowned let host: any ConversationHost
    private var decoder = BinaryDecoder()
    private var count = 0
    private var output = Outbox()

    private enum State {
        case listening
        /// The connection is about to end. The value is the last bytes to send.
        case leaving([UInt8])
        case deaf
    }
    private var state = State.listening
    private static let leaves: Int32 = 0

    init(_ gateway: BinaryGateway, caller: Caller, host: any ConversationHost) {
        self.gateway = gateway
        self.host = host
        connection = caller.connection
    }

    // MARK: Conversation

    func receive(_ bytes: Bytes) {
        guard case .listening = state, disposition == .continues else { return }
        let now = host.now
        // The decoder is moved out because the closure below changes this object, which contains the decoder.
        var decoder = BinaryDecoder()
        swap(&decoder, &self.decoder)
        decoder.feed(bytes) { reading in
            switch reading {
            case .whole(let frame, _): arrived(frame, at: now)
            case .broken(let status, let frame): refuse(frame, status, at: now)
            case .partial: break
            }
            if case .listening = state { return true }
            return false
        }
        swap(&decoder, &self.decoder)
    }

    func fill(_ room: UnsafeMutableBufferPointer<UInt8>) -> Int {
        disposition == .reset ? 0 : output.fill(room)
    }

    func alarm(_ ticket: Int32, at now: Instant) { leave() }

    func end() {
        if case .listening = state, !decoder.isBetweenFrames { gateway.counts.seen.incomplete += 1 }
        state = .deaf
    }

    // MARK: Notifications

    private func arrived(_ frame: BinaryFrame, at now: Instant) {
        if let fault = gateway.contract.fault(of: frame) { return refuse(frame, fault, at: now) }
        count += 1
        gateway.counts.arrived(at: now)
        guard let device = gateway.device(of: frame) else { return }
        let answer = gateway.behaviours.behave(
            SinkRequest(
                device: device, connection: connection, stream: Int32(truncatingIfNeeded: count), api: .binary
            ),
            at: now)
        func record(_ ending: RequestOutcome, _ status: BinaryStatus? = nil) {
            gateway.record(frame, device, ending, status, number: count, connection: connection, at: now)
        }
        let identifier = frame.identifier ?? 0
        if let fault = answer.fault { gateway.counts.struck(fault) }
        switch answer.act {
        case .accept: record(.accepted)
        case .reject(let rejection):
            let status = BinaryStatus(UInt8(clamping: rejection.status))
            record(.rejected(status.rejection), status)
            leave(saying: status.packet(about: identifier), after: answer.delay)
        case .goAway:
            // The packet names "the last notification that was successfully sent", which is this
            // notification.
            gateway.counts.seen.goAways += 1
            record(.accepted, .shutdown)
            leave(saying: BinaryStatus.shutdown.packet(about: identifier), after: answer.delay)
        case .silence, .flood:
            record(.silent)
            state = .deaf
        case .halfOpen(let span):
            record(.silent)
            state = .deaf
            if let span { leave(saying: [], after: span) }
        case .reset:
            gateway.counts.seen.resets += 1
            record(.cut)
            state = .deaf
            disposition = .reset
        case .close, .refuse:
            gateway.counts.seen.closes += 1
            record(.cut)
            leave(saying: [], after: answer.delay)
        case .blurt(let blurt):
            gateway.counts.seen.closes += 1
            record(.cut)
            leave(saying: Self.words(of: blurt, about: identifier), after: answer.delay)
        }
    }

    private func refuse(_ frame: BinaryFrame, _ status: BinaryStatus, at now: Instant) {
        count += 1
        gateway.counts.arrived(at: now)
        gateway.record(
            frame, gateway.device(of: frame), .rejected(status.rejection), status, number: count,
            connection: connection, at: now)
        leave(saying: status.packet(about: frame.identifier ?? 0), after: .zero)
    }

    private static func words(of blurt: SinkAnswer.InvalidOutput, about identifier: UInt32) -> [UInt8] {
        switch blurt {
        case .garbage: Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)
        case .halfPacket: Array(BinaryStatus.invalidToken.packet(about: identifier).prefix(3))
        // Clients count upwards from small numbers, so the largest numbers are not used for a long time.
        case .stranger: BinaryStatus.invalidToken.packet(about: UInt32.max - 1)
        }
    }

    // MARK: The end

    private func leave(saying words: [UInt8], after delay: Instant.Span) {
        state = .leaving(words)
        if delay == .zero { leave() } else { host.setAlarm(Self.leaves, after: delay) }
    }

    private func leave() {
        guard case .leaving(let words) = state, disposition == .continues else { return }
        output = Outbox(words)
        disposition = .closes
    }
}
