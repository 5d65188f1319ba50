internal import CPushShims
internal import Logging
internal import PushModel
internal import PushSystem

/// Hears what happens on a ``TLSStream``, always from ``TransportLoop/wait(atMostMilliseconds:)``.
/// The stream holds its delegate until it has said ``streamClosed(_:cause:)``, its last word.
package protocol TLSStreamDelegate: AnyObject {
    /// TLS stands; the protocol that was asked for by ALPN is agreed on.
    func streamOpened(_ stream: TLSStream)
    /// There are bytes: ``TLSStream/receive(into:)`` until it returns 0.
    func streamReadable(_ stream: TLSStream)
    /// All that was in ``TLSStream/outgoingRoom`` has gone out after it could not at once; there is room
    /// again.
    func streamWritable(_ stream: TLSStream)
    func streamClosed(_ stream: TLSStream, cause: CloseCause)
    /// Asked now and then, and not before the moment given last: do what is due, tell when to ask again
    /// (nanoseconds of ``TransportLoop/now``; `Int64.max`: never).
    func streamDeadline(_ stream: TLSStream, now: Int64) -> Int64
}

extension TLSStreamDelegate {
    package func streamDeadline(_ stream: TLSStream, now: Int64) -> Int64 { .max }
}

/// A TLS connection, made by libcurl (name lookup, proxy, TCP, TLS, certificates) and used as a pipe of
/// bytes.
///
/// **Promises.** ``TLSStreamDelegate/streamClosed(_:cause:)`` is said exactly once, whatever happens. Each
/// state but `open` has a deadline, and `open` has one while the socket takes nothing. The peer is always
/// verified.
/// **What leaves.** Bytes wait in one buffer of fixed size, ``outgoingRoom`` being its free end; ``flush()``
/// hands them to TLS. ``handedOver`` tells which bytes may have left: what lies beyond has certainly not.
/// **Neighbours.** ``HTTP2Connection`` puts frames on it. ``TransportLoop`` says when it is readable or
/// writable.
package final class TLSStream {
    /// Law: connecting → open → closing → closed; each may become closed at once.
    package enum State: Equatable {
        case connecting
        case open
        /// Told to close: what is in the buffer still goes out, until the deadline.
        case closing(deadline: Int64)
        case closed(CloseCause)
    }

    package struct Configuration: Sendable, Equatable {
        /// ALPN names to offer, in order of preference; the peer must choose one. Empty: ALPN is not used.
        package var protocols: [String] = []
        /// Name lookup, proxy, TCP and TLS together.
        package var connectTimeout: Duration = .seconds(10)
        /// How long the last bytes may take to leave after ``close()``.
        package var closeTimeout: Duration = .seconds(2)
        /// How long the socket may take nothing while bytes wait. Less than a TLS record counts as nothing.
        package var sendTimeout: Duration = .seconds(30)
        /// Bytes that may wait to be sent.
        package var outgoingBytes = 64 << 10
        /// SO_SNDBUF in bytes; `nil` leaves it to the kernel, which tunes it.
        package var socketSendBuffer: Int?
        package init() {}
    }

    package private(set) var state = State.connecting
    package let endpoint: Endpoint
    package let configuration: Configuration
    unowned let loop: TransportLoop
    private var delegate: (any TLSStreamDelegate)?

    private var handle: CurlHandle?
    private let watch: UnsafeMutablePointer<push_tls_watch>
    private(set) var descriptor: Int32 = -1
    private var isDriven = false
    private var awaitsWriting = false
    /// Since when the socket has taken nothing of what waits; nil when nothing waits.
    private var blockedSince: Int64?

    private let outgoing: UnsafeMutableRawBufferPointer
    private var outgoingStart = 0, outgoingEnd = 0
    private(set) var sent: UInt64 = 0
    /// Bytes that may have left, counted from the first: all that a send was ever offered.
    package private(set) var handedOver: UInt64 = 0

    /// Why it is as good as closed; told at the loop's next opportunity.
    private var failure: CloseCause?
    private var hasUnread = false

    /// Starts connecting.
    /// - Throws: ``TransportError`` when libcurl will not have the settings.
    package init(
        loop: TransportLoop, endpoint: Endpoint, tls: TLSIdentity, configuration: Configuration,
        delegate: any TLSStreamDelegate
    ) throws(TransportError) {
        guard let watch = push_tls_watch_new() else {
            throw TransportError(.outOfMemory(what: "a TLS stream"))
        }
        self.watch = watch
        (self.loop, self.endpoint, self.configuration, self.delegate) = (
            loop, endpoint, configuration, delegate
        )
        outgoing = .allocate(byteCount: max(1024, configuration.outgoingBytes), alignment: 64)
        let handle = try CurlHandle()
        try handle.connectOnly(to: endpoint, tls: tls, configuration: configuration, watch: watch)
        try handle.set(CURLOPT_PRIVATE, pointer: Unmanaged.passUnretained(self).toOpaque())
        self.handle = handle
        try handle.check("curl_multi_add_handle", loop.startDriving(handle.easy))
        isDriven = true
        loop.register(self)
    }

    deinit {
        push_tls_watch_release(watch)
        outgoing.deallocate()
    }

    // MARK: Sending

    /// The free end of the outgoing buffer. Write at its beginning, then ``commit(_:)``.
    package var outgoingRoom: UnsafeMutableRawBufferPointer {
        if outgoingStart == outgoingEnd { (outgoingStart, outgoingEnd) = (0, 0) }
        return UnsafeMutableRawBufferPointer(rebasing: outgoing[outgoingEnd...])
    }

    /// The first `count` bytes of ``outgoingRoom`` are to be sent.
    package func commit(_ count: Int) {
        precondition(count <= outgoing.count - outgoingEnd)
        outgoingEnd += count
    }

    /// Copies bytes to be sent; returns how many had room.
    package func append(_ bytes: UnsafeRawBufferPointer) -> Int {
        let room = outgoingRoom
        let count = min(room.count, bytes.count)
        room.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        commit(count)
        return count
    }

    package var hasOutgoing: Bool { outgoingStart < outgoingEnd }
    /// The socket took nothing more when it was last tried.
    package var isBlocked: Bool { blockedSince != nil }

    /// Sends until the buffer is empty (true) or the socket takes no more (false: the rest follows by itself,
    /// then ``TLSStreamDelegate/streamWritable(_:)``).
    @discardableResult
    package func flush() -> Bool {
        guard canSend, let handle else { return false }
        let sentBefore = sent
        while outgoingStart < outgoingEnd {
            var count = 0
            let offered = min(outgoingEnd - outgoingStart, Self.recordBytes)
            let code = curl_easy_send(handle.easy, outgoing.baseAddress! + outgoingStart, offered, &count)
            // What was offered may have left although none of it is reported: see `recordBytes`.
            handedOver = max(handedOver, sent + UInt64(offered))
            outgoingStart += count
            sent += UInt64(count)
            if code == CURLE_AGAIN || (code == CURLE_OK && count == 0) {
                isBlocked(afterProgress: sent > sentBefore)
                return false
            }
            guard code == CURLE_OK else {
                fail(cause(ofBroken: code))
                return false
            }
        }
        blockedSince = nil
        wantWriting(false)
        return true
    }

    /// The most plain text of a TLS record (RFC 8446, 5.1), and the most that is offered to a send.
    ///
    /// A send that would block keeps its record and reports nothing. When it is repeated, OpenSSL first
    /// finishes that record, then starts the next one, and if that blocks it reports nothing again: offered
    /// 64 KB, it can send three records on four calls and call them all "would block". One record at a time
    /// keeps ``handedOver`` true, and costs nothing, because with partial writes OpenSSL returns after each
    /// record anyway.
    private static let recordBytes = 1 << 14

    private var canSend: Bool {
        guard failure == nil else { return false }
        switch state {
        case .open, .closing: return true
        case .connecting, .closed: return false
        }
    }

    /// A peer that sends and never reads is heard, so no PING finds it out: it is known by this alone.
    private func isBlocked(afterProgress: Bool) {
        if afterProgress || blockedSince == nil {
            // Not the loop's `now`: its owner may have been busy with other things since that was read.
            let now = Clocks.monotonicNanoseconds()
            blockedSince = now
            loop.remind(at: now &+ configuration.sendTimeout.nanoseconds)
        }
        wantWriting(true)
    }

    private func wantWriting(_ wanted: Bool) {
        guard wanted != awaitsWriting else { return }
        awaitsWriting = wanted
        loop.await(self, descriptor: descriptor, reads: !isHeldBack, writes: wanted)
    }

    // MARK: Receiving

    /// Reads what has come: 0 when there is nothing more now, be it that the stream is at its end, which
    /// ``TLSStreamDelegate/streamClosed(_:cause:)`` then tells. OpenSSL reads ahead, so a short read says
    /// nothing: read until 0.
    package func receive(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard let handle, descriptor >= 0, !isAtEnd else { return 0 }
        var count = 0
        let code = curl_easy_recv(handle.easy, buffer.baseAddress, buffer.count, &count)
        switch code {
        case CURLE_OK where count > 0: return count
        case CURLE_AGAIN: return 0
        case CURLE_OK:
            isAtEnd = true
            fail(.peerClosed(orderly: watch.pointee.close_notified))
        default:
            isAtEnd = true
            fail(cause(ofBroken: code))
        }
        return 0
    }
    private var isAtEnd = false

    /// Stopped reading before 0: say ``TLSStreamDelegate/streamReadable(_:)`` again in the next turn, though
    /// the descriptor may be silent.
    package func leaveUnread() {
        guard !hasUnread else { return }
        hasUnread = true
        loop.needsAttention(self)
    }

    /// While it is so, nothing is read and nothing told of what has come, so that the peer is held back by
    /// TCP; nor is it noticed that the peer has gone.
    package var isHeldBack = false {
        didSet {
            guard isHeldBack != oldValue, descriptor >= 0 else { return }
            loop.await(self, descriptor: descriptor, reads: !isHeldBack, writes: awaitsWriting)
            // What OpenSSL has read ahead does not show at the descriptor.
            if !isHeldBack { leaveUnread() }
        }
    }

    // MARK: Closing

    /// Closes once what waits to be sent has gone, or after the close time-out.
    package func close() {
        switch state {
        case .connecting: fail(.local)
        case .open:
            let deadline = loop.now &+ configuration.closeTimeout.nanoseconds
            state = .closing(deadline: deadline)
            loop.remind(at: deadline)
            if flush() { fail(.local) }
        case .closing, .closed: break
        }
    }

    /// Closes at the loop's next opportunity, for this reason, whatever waits to be sent.
    package func close(because cause: CloseCause) {
        if case .closed = state { return }
        fail(cause)
    }

    private func fail(_ cause: CloseCause) {
        guard failure == nil else {
            // What the peer said in its last words explains more than that a send failed.
            if case .inputOutput = failure { failure = cause }
            return
        }
        failure = cause
        loop.needsAttention(self)
    }

    private func finish(_ cause: CloseCause) {
        if case .closed = state { return }
        state = .closed(cause)
        loop.logger.debug("\(endpoint): \(cause)")
        release()
        loop.unregister(self)
        let delegate = self.delegate
        self.delegate = nil
        delegate?.streamClosed(self, cause: cause)
    }

    private func release() {
        if descriptor >= 0 { loop.stopAwaiting(descriptor: descriptor) }
        descriptor = -1
        guard let handle else { return }
        if isDriven { loop.stopDriving(handle.easy, finished: hasConnected) }
        isDriven = false
        self.handle = nil
    }
    private var hasConnected = false

    // MARK: The loop's calls

    /// The loop goes away, and cannot be called any more: free what must not be left behind, tell nobody.
    func abandon(multi: UnsafeMutableRawPointer) {
        delegate = nil
        state = .closed(.local)
        descriptor = -1
        if let handle, isDriven { curl_multi_remove_handle(multi, handle.easy) }
        isDriven = false
        handle = nil
    }

    func connectFinished(_ code: CURLcode) {
        hasConnected = true
        guard let handle, failure == nil else { return }
        guard code == CURLE_OK else { return finish(handle.cause(ofConnecting: code, watch: watch.pointee)) }
        guard configuration.protocols.isEmpty || configuration.protocols.contains(chosenProtocol) else {
            let offered = configuration.protocols.joined(separator: ", ")
            return finish(.protocolMissing(offered: offered, chosen: chosenProtocol))
        }
        guard let socket = handle.activeSocket else { return finish(.inputOutput("libcurl gave no socket")) }
        descriptor = socket
        if let bytes = configuration.socketSendBuffer {
            var value = Int32(clamping: bytes)
            setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &value, socklen_t(MemoryLayout<Int32>.size))
        }
        state = .open
        loop.logger.debug("\(endpoint): open")
        loop.await(self, descriptor: socket, reads: !isHeldBack, writes: false)
        delegate?.streamOpened(self)
        // What came with the end of the handshake stands in OpenSSL's buffer, and the descriptor is silent
        // about it.
        leaveUnread()
    }

    /// The ALPN name that the peer chose; empty when none.
    package var chosenProtocol: String {
        withUnsafeBytes(of: watch.pointee.selected) { String(printable: $0.prefix { $0 != 0 }) }
    }

    func handle(readable: Bool, writable: Bool) {
        if writable, canSend, flush() {
            if case .closing = state { fail(.local) } else { delegate?.streamWritable(self) }
        }
        if readable { delegate?.streamReadable(self) }
    }

    var onlyWantsToRead: Bool { failure == nil }

    func attend() {
        if case .closed = state { return }
        if hasUnread {
            hasUnread = false
            delegate?.streamReadable(self)
        }
        guard let cause = failure else { return }
        // A send fails when the peer has gone; its last words, and answers, may still stand unread in the
        // socket.
        if !isAtEnd, descriptor >= 0 { delegate?.streamReadable(self) }
        finish(failure ?? cause)
    }

    func checkDeadlines(now: Int64) -> Int64 {
        switch state {
        case .closing(let deadline) where now >= deadline:
            fail(.local)
            return .max
        case .closing(let deadline): return min(deadline, delegate?.streamDeadline(self, now: now) ?? .max)
        case .open:
            guard let blockedSince else { return delegate?.streamDeadline(self, now: now) ?? .max }
            let deadline = blockedSince &+ configuration.sendTimeout.nanoseconds
            guard now < deadline else {
                fail(.silent)
                return .max
            }
            return min(deadline, delegate?.streamDeadline(self, now: now) ?? .max)
        case .connecting: return delegate?.streamDeadline(self, now: now) ?? .max
        case .closed: return .max
        }
    }

    /// Why a connection that stood is broken.
    private func cause(ofBroken code: CURLcode) -> CloseCause {
        guard let handle else { return .local }
        return handle.cause(ofBroken: code, watch: watch.pointee)
    }
}
