internal import PushSystem

/// One HTTP/2 connection to a gateway: an ``HTTP2Session`` over a ``TLSStream``.
///
/// **Promises.** Each submitted request gets exactly one of ``HTTP2Delegate/connection(_:answered:)`` and
/// ``HTTP2Delegate/connection(_:ended:_:)``, even if the connection breaks, before
/// ``HTTP2Delegate/connectionClosed(_:cause:)``, which is called once and last. A request is reported as
/// *never sent* only if the peer cannot have acted on it. Nothing is ever sent twice. The delegate is called
/// from ``TransportLoop/wait(atMostMilliseconds:)`` only.
/// **Costs.** A submission writes its frames into the stream's buffer and allocates nothing. Frames of many
/// requests are sent in one ``flush()``, which the caller invokes after submitting; they are sent earlier if
/// the buffer is full.
/// **Failures.** Values of ``CloseCause`` and ``HTTP2Outcome``. **Neighbours.** ``HTTP2Session`` implements
/// the protocol; ``StreamAllowance``, ``Keepalive``, ``DeadlineQueue`` and ``PeerAllowance`` decide.
package final class HTTP2Connection {
    package enum State: Equatable {
        case connecting
        /// The connection accepts requests.
        case open
        /// The connection accepts no requests. Requests in flight may finish until the deadline.
        case draining(deadline: Int64)
        case closed(CloseCause)
    }

    package internal(set) var state = State.connecting {
        didSet { isOpen = state == .open }
    }
    /// Whether the connection accepts requests. The property is read several times per message.
    private var isOpen = false
    package let endpoint: Endpoint
    package let configuration: HTTP2Configuration
    unowned let loop: TransportLoop
    /// The delegate. It must be set before the loop next waits.
    package var delegate: (any HTTP2Delegate)?
    /// The loop's clock, which is read several times per message. Access through the loop would count
    /// references.
    private let clock: LoopClock
    let memory: UnsafeMutablePointer<Memory>
    private(set) var stream: TLSStream?

    /// The number of requests that the peer completed since ``peerAllowance`` was last updated.
    var endedByPeer = 0
    /// The numbers of frames and header bytes that were counted in ``peerAllowance`` so far.
    var countedFrames: UInt64 = 0, countedHeaderBytes: UInt64 = 0
    /// Whether data from the peer is no longer read.
    var isGivenUp = false
    /// The deadline for the peer's SETTINGS, counted from the first packet.
    let greetingDeadline: Int64
    /// The peer's last GOAWAY, which explains a close.
    var farewell: CloseCause?
    /// The number of requests that were submitted and have not ended yet.
    var due = 0
    /// The time when the peer last answered a request, or when the connection opened if there was no answer
    /// yet.
    var lastAnswer = Int64.max
    /// The time at which the owner began to wait for a first stream; `nil` if it does not wait.
    var starvedSince: Int64?

    /// Starts connecting. ``HTTP2Delegate/connectionOpened(_:)`` or
    /// ``HTTP2Delegate/connectionClosed(_:cause:)`` follows.
    /// - Throws: ``TransportError`` if settings are invalid, before anything is done.
    package init(
        loop: TransportLoop, endpoint: Endpoint, tls: TLSIdentity, configuration: HTTP2Configuration,
        delegate: (any HTTP2Delegate)? = nil
    ) throws(TransportError) {
        try configuration.check()
        self.loop = loop
        clock = loop.clock
        (self.endpoint, self.configuration, self.delegate) = (endpoint, configuration, delegate)
        let now = Clocks.monotonicNanoseconds()
        greetingDeadline = now &+ configuration.connectTimeout.nanoseconds
        memory = .allocate(capacity: 1)
        memory.initialize(to: Memory(HTTP2Session(configuration), configuration, now: now))
        var streamConfiguration = TLSStream.Configuration()
        streamConfiguration.protocols = ["h2"]
        streamConfiguration.connectTimeout = configuration.connectTimeout
        streamConfiguration.sendTimeout = configuration.sendTimeout
        streamConfiguration.socketSendBuffer = configuration.socketSendBuffer
        stream = try TLSStream(
            loop: loop, endpoint: endpoint, tls: tls, configuration: streamConfiguration, delegate: self)
        loop.remind(at: greetingDeadline)
    }

    deinit {
        memory.deinitialize(count: 1)
        memory.deallocate()
    }

    /// See ``TransportLoop/now``.
    var now: Int64 { clock.now }

    // MARK: Requests

    /// The number of requests that may be submitted now.
    package var freeStreams: Int {
        isOpen && !session.isSentAway ? allowance.free(inFlight: session.inUse) : 0
    }

    /// The number of requests that were submitted and have been neither answered nor ended.
    package var inFlight: Int { due }

    /// Returns a writer for the next request, or `nil` if there is no free stream.
    package func begin(_ template: RequestTemplate) -> RequestWriter? {
        guard freeStreams > 0 else { return nil }
        return session.begin(template)
    }

    /// Submits the request in the writer; the answer contains the same `tag`. ``flush()`` sends the frames.
    /// Returns `false` if there is no free stream, in which case nothing was done and no ending follows.
    @discardableResult
    package func submit(_ request: RequestWriter, tag: UInt64) -> Bool {
        guard freeStreams > 0, let slot = session.submit(request, tag: tag) else { return false }
        allowance.submitted(streamID: session[slot].stream)
        starvedSince = nil
        deadlines.add(slot, at: now)
        due += 1
        if due == 1 {
            keepalive.answersDue(at: now)
            loop.remind(at: min(deadlines.next, keepalive.next))
        }
        if session.lacksRoom, stream?.isBlocked == false { flush() }
        return true
    }

    /// Sends as many frames of submitted requests as the socket accepts. The rest is sent automatically.
    package func flush() {
        guard let stream else { return }
        repeat {
            stream.commit(session.takeWritten())
            guard stream.hasOutgoing || session.hasFrames else { break }
            let isEmptied = stream.flush()
            setSendBuffer()
            session.pump()
            guard isEmptied else { break }
        } while session.hasWritten
    }

    /// Lends the send buffer to the session, which writes its frames directly into it.
    private func setSendBuffer() { session.setBuffer(stream?.outgoingRoom ?? .init(start: nil, count: 0)) }

    /// Notifies the connection that the owner has requests but no free stream. If the peer allows no stream
    /// for the duration of the connect time-out, the connection is closed with ``CloseCause/noStreams``.
    package func requestsWait() {
        guard state == .open, due == 0, starvedSince == nil, freeStreams == 0 else { return }
        starvedSince = now
        loop.remind(at: now &+ configuration.connectTimeout.nanoseconds)
    }

    /// Notifies the connection that the peer accepts our identity. From now on, only SETTINGS limit the
    /// number of requests.
    package func widen() {
        guard allowance.initial != nil else { return }
        allowance.widen()
    }

    // MARK: Closing

    /// Stops accepting requests, lets requests in flight finish (until the drain time-out), sends GOAWAY and
    /// closes.
    package func drain() {
        guard state == .open else {
            if state == .connecting { close() }
            return
        }
        startDraining()
        if due == 0 { closeOrderly() }
    }

    /// Closes immediately; requests in flight end as undecided or never sent.
    package func close() {
        if case .closed = state { return }
        allowance.stopAccepting()
        stream?.close(because: .local)
    }

    func startDraining() {
        guard state == .open else { return }
        allowance.stopAccepting()
        let deadline = now &+ configuration.drainTimeout.nanoseconds
        state = .draining(deadline: deadline)
        loop.remind(at: deadline)
    }

    /// Closes in an orderly way once no request is due.
    func closeOrderly() {
        guard let stream else { return }
        session.terminate(.noError)
        flush()
        stream.close()
    }

    func forgetStream() {
        _ = session.takeWritten()
        stream = nil
        setSendBuffer()
    }
}

extension HTTP2Configuration {
    func check() throws(TransportError) {
        guard (1...65_536).contains(maximumStreams) else {
            throw TransportError(.setting("maximumStreams is \(maximumStreams); allowed: 1 to 65536"))
        }
        guard (64...1 << 20).contains(slotBytes) else {
            throw TransportError(.setting("slotBytes is \(slotBytes); allowed: 64 to 1048576"))
        }
        guard (0...8192).contains(maximumKeptBody) else {
            throw TransportError(.setting("maximumKeptBody is \(maximumKeptBody); allowed: 0 to 8192"))
        }
        guard wantedHeaders.count <= 8,
            wantedHeaders.allSatisfy({ (1..<64).contains($0.utf8.count) })
        else { throw TransportError(.setting("wantedHeaders: at most 8 names of 1 to 63 bytes")) }
        guard initialStreams.map({ $0 >= 1 }) ?? true else {
            throw TransportError(
                .setting("initialStreams is \(initialStreams ?? 0); allowed: none, or at least 1"))
        }
        guard firstStreamID > 0, firstStreamID % 2 == 1 else {
            throw TransportError(.setting("firstStreamID is \(firstStreamID); it must be odd"))
        }
    }
}
