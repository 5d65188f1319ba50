internal import GatewayKit
internal import PushModel
internal import PushTransport
internal import PushWire

/// Receives the events of a connection. An event is reported before the endings of the frames that it
/// concerns.
protocol APNsBinaryOwner: AnyObject {
    func connectionOpened(_ connection: APNsBinaryConnection)
    /// The connection has ended. No further event follows.
    func connection(_ connection: APNsBinaryConnection, ended ending: APNsBinaryConnection.CloseReason)
}

/// One connection to the binary gateway. The connection sends frames, and the gateway either reports in an
/// error packet which frame it refused, or is silent.
///
/// **Promises.** Each appended frame has exactly one ending. A frame counts as accepted only in two cases: an
/// error packet names a later frame, or the confirmation time has passed since the peer's machine received
/// the frame and all received data has been read. After a packet was received, nothing more is written.
/// Frames that certainly never left this machine end as not sent, not as undecided. **Failures.** If the
/// connection receives anything other than a packet, or a packet that does not name one of our frames, all
/// frames that may have left are undecided. **Neighbours.** ``SentFrames`` keeps track of the frames,
/// `TLSStream` transfers the bytes, and ``APNsBinaryConnector`` manages the account.
final class APNsBinaryConnection {
    enum CloseReason: Equatable {
        /// The gateway named a frame in its packet, so another connection will make progress.
        case judged(Verdict?, reason: String)
        case lost(reason: String)
        /// The connection was unusable from the start.
        case unreachable(reason: String)
        case refused(reason: String)
        /// The connection could not be opened, because this process cannot open any more files.
        case withoutDescriptor(reason: String)
        /// The connector closed the connection, and no frame was pending.
        case local
    }

    /// The interval, in nanoseconds, at which the age of frames is checked while frames wait for
    /// confirmation. Confirmations are late by at most this interval.
    private static let tick: Int64 = 50_000_000
    /// The size of the socket's send buffer, in bytes (the kernel uses twice that). After a bad frame, the
    /// gateway discards everything in the buffer. If the gateway closes the connection without a packet,
    /// everything in the buffer may arrive twice. By default, the kernel lets the buffer grow to 4 MB, which
    /// is about 20 000 frames. The size chosen here is sufficient for 40 000 frames a second with a round
    /// trip of a tenth of a second.
    private static let socketSendBuffer = 512 << 10

    private weak let owner: (any APNsBinaryOwner)?
    private unowned let events: any ConnectorEvents
    private let loop: TransportLoop
    private var stream: TLSStream!
    private let confirmAfter: Int64
    /// The maximum size of a frame, in bytes.
    private let longestFrame: Int
    private var frames: SentFrames
    private var decoder = APNsBinaryReplyDecoder()
    private(set) var isOpen = false
    /// Whether every frame has its ending and the owner has been notified.
    private var isOver = false
    private var isClosing = false
    /// Whether the socket accepts no more data. The stream resumes by itself.
    private var isBlocked = false
    /// The time of the next age check; `nil` if no frame waits.
    private var nextTick: Int64?
    /// The last time at which this process saw that the peer's machine had received more data, or all data.
    private var lastArrival: Int64 = 0

    /// Starts connecting.
    init(
        loop: TransportLoop, endpoint: Endpoint, identity: TLSIdentity, frames: SentFrames,
        confirmAfterSeconds: UInt32, maxPayloadBytes: Int,
        owner: any APNsBinaryOwner, events: any ConnectorEvents
    ) throws {
        (self.loop, self.frames, self.owner, self.events) = (loop, frames, owner, events)
        confirmAfter = Int64(max(confirmAfterSeconds, 1)) * 1_000_000_000
        longestFrame = APNsBinaryRequest.maximumBytes(payload: maxPayloadBytes)
        var configuration = TLSStream.Configuration()
        configuration.socketSendBuffer = Self.socketSendBuffer
        stream = try TLSStream(
            loop: loop, endpoint: endpoint, tls: identity, configuration: configuration, delegate: self)
    }

    // MARK: Sending

    var credit: Int {
        guard isOpen, !isOver, !isClosing else { return 0 }
        return min(frames.credit, unsafe stream.outgoingRoom.count / longestFrame)
    }

    var inFlight: Int { frames.count }

    /// The space for the next frame. The longest frame fits while there is ``credit``.
    var buffer: UnsafeMutableRawBufferPointer { unsafe stream.outgoingRoom }
    var nextIdentifier: UInt32 { frames.nextIdentifier }

    /// Appends the frame that was written at the beginning of ``buffer``.
    func append(_ tag: UInt64, bytes: Int) {
        frames.append(tag, bytes: bytes)
        stream.commit(bytes)
    }

    /// Sends the appended frames, unless the gateway has sent something in the meantime.
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

    /// Closes the connection as soon as every frame has its ending.
    func close() {
        isClosing = true
        if frames.isEmpty { stream.close() }
    }

    // MARK: Receiving

    private func read() {
        unsafe withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
            while !isOver, case let count = unsafe stream.receive(into: buffer), count > 0 {
                unsafe decoder.feed(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                switch decoder.decoded {
                case .nothing, .part: break
                case .reply(let reply): obey(reply)
                case .garbage(let bytes): end(.closedWithoutPacket, "\(bytes) bytes that are not a packet")
                }
            }
        }
    }

    private func obey(_ reply: APNsBinaryReply) {
        // Whatever the packet states, the gateway cannot have processed frames that never left this machine.
        let begun = frames.count(begunBefore: stream.handedOver)
        guard reply.meaning != .nothing, let index = frames.index(of: reply.identifier), index < begun else {
            return end(
                .closedWithoutPacket, "a packet that does not identify a frame, status \(reply.status)")
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

    /// Ends a connection whose gateway did not report which frames it accepted.
    private func end(_ failure: APNsBinaryReply.Failure, _ detail: String?) {
        let (verdict, reason) = APNsBinaryReply.judge(failure, detail: detail)
        leave(stream.handedOver > 0 ? .lost(reason: reason) : .unreachable(reason: reason))
        for _ in 0..<frames.count(begunBefore: stream.handedOver) {
            events.ended(tag: frames.removeFirst(), .undecided(verdict, reason: reason))
        }
        discardAll()
    }

    private func leave(_ ending: CloseReason) {
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
        case _ where cause.isCertificateFailure:
            // In TLS 1.3 a certificate is refused after the handshake. The gateway has not read the frames
            // that were sent in the meantime.
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
            if case .part(let bytes) = decoder.decoded {
                end(.closedWithoutPacket, "only \(bytes) bytes of a packet")
            } else {
                end(.closedWithoutPacket, nil)
            }
        default:
            end(.connectionLost, isOpen ? cause.label : cause.description)
        }
    }

    /// Checks the age of frames. Frames that have arrived begin to age, and frames that have reached the
    /// confirmation time without an error packet count as accepted.
    func streamDeadline(_ stream: TLSStream, now: Int64) -> Int64 {
        guard !isOver, let due = nextTick else { return .max }
        guard now >= due else { return due }
        if !frames.awaitsArrival { lastArrival = now }
        if frames.received(upTo: stream.received, at: now) { lastArrival = now }
        if frames.count(arrivedBy: now - confirmAfter) > 0 {
            // An error packet may have arrived in this turn.
            read()
            guard !isOver else { return .max }
            accept(frames.count(arrivedBy: now - confirmAfter))
        }
        // The socket may accept more than the network transmits, so a stream that is not blocked may still be
        // silent.
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
