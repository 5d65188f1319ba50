internal import GatewayKit
internal import PushModel
internal import PushTransport
internal import PushWire

/// What a connection tells its connector, always before the endings of the frames that this is about.
protocol APNsBinaryOwner: AnyObject {
    func connectionOpened(_ connection: APNsBinaryConnection)
    /// Its last word about itself.
    func connection(_ connection: APNsBinaryConnection, ended ending: APNsBinaryConnection.Ending)
}

/// One connection to the binary gateway: frames go out, and either an error packet says how far they got, or
/// silence.
///
/// **Promises.** Each appended frame has exactly one ending. It counts as accepted when an error packet names
/// a later one, or when the peer's machine has had it for the confirmation time and nothing stood unread;
/// never before. Once a packet came, nothing more is written. What certainly never left is discarded, not
/// undecided.
/// **Failures.** Whatever else comes than a packet, or a packet that names no frame of ours, leaves all that
/// may have left undecided. **Neighbours.** ``SentFrames`` keeps the count, `TLSStream` the bytes,
/// ``APNsBinaryConnector`` the account.
final class APNsBinaryConnection {
    enum Ending: Equatable {
        /// The gateway named a frame, so another connection gets further.
        case judged(Verdict?, reason: String)
        case lost(reason: String)
        /// It was of no use from the beginning.
        case unreachable(reason: String)
        case refused(reason: String)
        /// This process can open no more files.
        case withoutDescriptor(reason: String)
        /// We closed it, and nothing was open.
        case local
    }

    /// How often age is looked at while frames wait to be confirmed, and so by how much they are confirmed
    /// too late.
    private static let tick: Int64 = 50_000_000
    /// What the kernel may hold back (it takes twice that). All of it is thrown away behind a bad frame, and
    /// may arrive twice when the gateway goes without a word; left to itself the kernel lets it grow to 4 MB,
    /// some 20 000 frames. This is enough for 40 000 frames a second over a tenth of a second of round trip.
    private static let socketSendBuffer = 512 << 10

    private weak let owner: (any APNsBinaryOwner)?
    private unowned let events: any ConnectorEvents
    private let loop: TransportLoop
    private var stream: TLSStream!
    private let confirmAfter: Int64
    private var frames: SentFrames
    private var decoder = APNsBinaryReplyDecoder()
    private(set) var isOpen = false
    /// Every frame has its ending, and the owner knows.
    private var isOver = false
    private var isClosing = false
    /// The socket takes nothing; the stream goes on by itself.
    private var isBlocked = false
    /// When age is looked at next; nil while no frame waits.
    private var nextTick: Int64?
    /// When the peer's machine last received something, or had received everything.
    private var lastArrival: Int64 = 0

    /// Starts connecting.
    init(
        loop: TransportLoop, endpoint: Endpoint, identity: TLSIdentity, frames: SentFrames,
        confirmAfterSeconds: UInt32,
        owner: any APNsBinaryOwner, events: any ConnectorEvents
    ) throws {
        (self.loop, self.frames, self.owner, self.events) = (loop, frames, owner, events)
        confirmAfter = Int64(max(confirmAfterSeconds, 1)) * 1_000_000_000
        var configuration = TLSStream.Configuration()
        configuration.socketSendBuffer = Self.socketSendBuffer
        stream = try TLSStream(
            loop: loop, endpoint: endpoint, tls: identity, configuration: configuration, delegate: self)
    }

    // MARK: Sending

    var credit: Int {
        guard isOpen, !isOver, !isClosing else { return 0 }
        return min(frames.credit, unsafe stream.outgoingRoom.count / APNsBinaryRequest.maximumBytes)
    }

    var inFlight: Int { frames.count }

    /// Where the next frame is to be written; while there is ``credit``, the longest fits.
    var buffer: UnsafeMutableRawBufferPointer { unsafe stream.outgoingRoom }
    var nextIdentifier: UInt32 { frames.nextIdentifier }

    /// The next frame stands at the beginning of ``buffer``.
    func append(_ tag: UInt64, bytes: Int) {
        frames.append(tag, bytes: bytes)
        stream.commit(bytes)
    }

    /// Sends what was appended, unless the gateway has spoken meanwhile.
    func flush() {
        guard isOpen, !isOver, !isBlocked, stream.hasOutgoing else { return }
        read()
        guard !isOver else { return }
        isBlocked = !stream.flush()
        guard nextTick == nil else { return }
        lastArrival = loop.now
        nextTick = loop.now + Self.tick
        stream.remind(at: loop.now + Self.tick)
    }

    /// Closes once every frame has its ending.
    func close() {
        isClosing = true
        if frames.isEmpty { stream.close() }
    }

    // MARK: Hearing

    private func read() {
        unsafe withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
            while !isOver, case let count = unsafe stream.receive(into: buffer), count > 0 {
                unsafe decoder.feed(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                switch decoder.heard {
                case .nothing, .part: break
                case .reply(let reply): obey(reply)
                case .garbage(let bytes): end(.closedWithoutPacket, "\(bytes) bytes that are none")
                }
            }
        }
    }

    private func obey(_ reply: APNsBinaryReply) {
        // What never left cannot have been looked at, whatever the packet says.
        let begun = frames.count(begunBefore: stream.handedOver)
        guard reply.meaning != .nothing, let index = frames.index(of: reply.identifier), index < begun else {
            return end(.closedWithoutPacket, "a packet that names no frame, status \(reply.status)")
        }
        switch reply.meaning {
        case .nothing: break
        case .refused(let verdict, let reason):
            leave(.judged(verdict, reason: reason))
            accept(index)
            events.ended(tag: frames.removeFirst(), .rejected(verdict, reason: reason))
        case .shutdown(let reason):
            leave(.judged(nil, reason: reason))
            accept(index + 1)
        }
        discardAll()
    }

    /// The connection is over and nobody said how far it got.
    private func end(_ trouble: APNsBinaryReply.Trouble, _ detail: String?) {
        let (verdict, reason) = APNsBinaryReply.judge(trouble, detail: detail)
        leave(stream.handedOver > 0 ? .lost(reason: reason) : .unreachable(reason: reason))
        for _ in 0..<frames.count(begunBefore: stream.handedOver) {
            events.ended(tag: frames.removeFirst(), .undecided(verdict, reason: reason))
        }
        discardAll()
    }

    private func leave(_ ending: Ending) {
        isOver = true
        stream.close(because: .local)
        owner?.connection(self, ended: ending)
    }

    private func accept(_ count: Int) {
        for _ in 0..<count { events.accepted(tag: frames.removeFirst()) }
    }

    private func discardAll() {
        while !frames.isEmpty { events.discarded(tag: frames.removeFirst()) }
    }
}

extension APNsBinaryConnection: TLSStreamDelegate {
    func streamOpened(_ stream: TLSStream) {
        isOpen = true
        owner?.connectionOpened(self)
    }

    func streamReadable(_ stream: TLSStream) { read() }

    func streamWritable(_ stream: TLSStream) { isBlocked = false }

    func streamClosed(_ stream: TLSStream, cause: CloseCause) {
        guard !isOver else { return }
        switch cause {
        case _ where cause.isCertificateTrouble:
            // In TLS 1.3 a certificate is refused after the handshake: what left meanwhile, nobody has read.
            leave(.refused(reason: APNsBinaryReply.judge(.certificate, detail: cause.description).reason))
            discardAll()
        case .tooManyOpenFiles:
            leave(
                .withoutDescriptor(
                    reason: APNsBinaryReply.judge(.connectionLost, detail: cause.description).reason))
            discardAll()
        case .local where frames.isEmpty:
            leave(.local)
        case .peerClosed:
            if case .part(let bytes) = decoder.heard {
                end(.closedWithoutPacket, "only \(bytes) bytes of one")
            } else {
                end(.closedWithoutPacket, nil)
            }
        default:
            end(.connectionLost, isOpen ? cause.label : cause.description)
        }
    }

    /// Looks at age: what arrived begins to count, what is old enough and unobjected counts as accepted.
    func streamDeadline(_ stream: TLSStream, now: Int64) -> Int64 {
        guard !isOver, let due = nextTick else { return .max }
        guard now >= due else { return due }
        if !frames.awaitsArrival { lastArrival = now }
        if frames.received(upTo: stream.received, at: now) { lastArrival = now }
        if frames.count(arrivedBy: now - confirmAfter) > 0 {
            // The objection may have come in this very turn.
            read()
            guard !isOver else { return .max }
            accept(frames.count(arrivedBy: now - confirmAfter))
        }
        // The socket may take more than the network does, and then the stream itself is not blocked.
        if frames.awaitsArrival, now - lastArrival >= silenceLimit { stream.close(because: .silent) }
        if frames.isEmpty {
            nextTick = nil
            if isClosing || frames.isExhausted { stream.close() }
            return .max
        }
        nextTick = now + Self.tick
        return now + Self.tick
    }

    private var silenceLimit: Int64 {
        Int64(stream.configuration.sendTimeout.components.seconds) * 1_000_000_000
    }
}
