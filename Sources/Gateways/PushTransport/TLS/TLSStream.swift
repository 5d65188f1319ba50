internal import CPushShims
internal import Logging
internal import PushModel
internal import PushSystem

/// Receives the events of a ``TLSStream``, always from ``TransportLoop/wait(atMostMilliseconds:)``.
/// The stream holds a reference to its delegate until its last call, ``streamClosed(_:cause:)``.
package protocol TLSStreamDelegate: AnyObject {
    /// TLS is established, and the peer has agreed on a protocol if ALPN was used.
    func streamOpened(_ stream: TLSStream)
    /// Bytes have arrived. Call ``TLSStream/receive(into:)`` until it returns 0.
    func streamReadable(_ stream: TLSStream)
    /// Data that had to wait in ``TLSStream/outgoingRoom`` has been sent, and there is free space again.
    func streamWritable(_ stream: TLSStream)
    func streamClosed(_ stream: TLSStream, cause: CloseCause)
    /// The method is called at intervals, and at the latest at the time that it last returned. Performs the
    /// actions that are due, and returns the time of the next call (in nanoseconds of ``TransportLoop/now``;
    /// `Int64.max` for never).
    func streamDeadline(_ stream: TLSStream, now: Int64) -> Int64
}

extension TLSStreamDelegate {
    package func streamDeadline(_ stream: TLSStream, now: Int64) -> Int64 { .max }
}

/// A TLS connection that libcurl establishes (name lookup, proxy, TCP, TLS, certificates) and that is used as
/// a pipe of bytes.
///
/// **Promises.** ``TLSStreamDelegate/streamClosed(_:cause:)`` is called exactly once in all cases. Each state
/// except `open` has a deadline, and the state `open` has a deadline while the socket accepts no data. The
/// peer is always verified. **What leaves.** Bytes wait in one buffer of fixed size, whose free end is
/// ``outgoingRoom``; ``flush()`` passes them to TLS. ``handedOver`` states how many bytes may have left:
/// bytes beyond this number have certainly not left. **Neighbours.** ``HTTP2Connection`` writes frames to it.
/// ``TransportLoop`` reports when it is readable or writable.
package final class TLSStream {
    /// The states in their order: connecting → open → closing → closed. Each state may change to closed
    /// directly.
    package enum State: Equatable {
        case connecting
        case open
        /// The stream is closing: the data in the buffer is still sent, until the deadline.
        case closing(deadline: Int64)
        case closed(CloseCause)
    }

    package struct Configuration: Sendable, Equatable {
        /// The ALPN names to offer, in order of preference. The peer must choose one of them. If the list is
        /// empty, ALPN is not used.
        package var protocols: [String] = []
        /// The total time for name lookup, proxy, TCP and TLS.
        package var connectTimeout: Duration = .seconds(10)
        /// The maximum time for sending the last bytes after ``close()``.
        package var closeTimeout: Duration = .seconds(2)
        /// The maximum time for which the socket may accept no data while bytes wait. A socket that accepts
        /// less than a TLS record counts as accepting no data.
        package var sendTimeout: Duration = .seconds(30)
        /// The maximum number of bytes that wait to be sent.
        package var outgoingBytes = 64 << 10
        /// SO_SNDBUF in bytes; `nil` for the kernel's automatic tuning.
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
    /// The time at which the socket last stopped accepting data; `nil` if no data waits for the socket.
    private var blockedSince: Int64?

    private let outgoing: UnsafeMutableRawBufferPointer
    private var outgoingStart = 0, outgoingEnd = 0
    private(set) var sent: UInt64 = 0
    /// The number of bytes that may have left this machine: all bytes that were ever passed to a send.
    package private(set) var handedOver: UInt64 = 0

    /// The reason why the stream is effectively closed; reported at the loop's next opportunity.
    private var failure: CloseCause?
    private var hasUnread = false

    /// Starts connecting.
    /// - Throws: ``TransportError`` if libcurl does not accept the settings.
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

    /// The free end of the outgoing buffer. Write at its beginning, then call ``commit(_:)``.
    package var outgoingRoom: UnsafeMutableRawBufferPointer {
        if outgoingStart == outgoingEnd { (outgoingStart, outgoingEnd) = (0, 0) }
        return UnsafeMutableRawBufferPointer(rebasing: outgoing[outgoingEnd...])
    }

    /// Marks the first `count` bytes of ``outgoingRoom`` as data to be sent.
    package func commit(_ count: Int) {
        precondition(count <= outgoing.count - outgoingEnd)
        outgoingEnd += count
    }

    /// Copies bytes to be sent, and returns the number of bytes that fit.
    package func append(_ bytes: UnsafeRawBufferPointer) -> Int {
        let room = outgoingRoom
        let count = min(room.count, bytes.count)
        room.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        commit(count)
        return count
    }

    package var hasOutgoing: Bool { outgoingStart < outgoingEnd }
    /// Whether the socket accepted no more data at the last attempt.
    package var isBlocked: Bool { blockedSince != nil }

    /// Sends until the buffer is empty or the socket accepts no more data. Returns `true` if the buffer is
    /// empty. Otherwise the rest is sent automatically, followed by ``TLSStreamDelegate/streamWritable(_:)``.
    @discardableResult
    package func flush() -> Bool {
        guard canSend, let handle else { return false }
        let sentBefore = sent
        while outgoingStart < outgoingEnd {
            var count = 0
            let offered = min(outgoingEnd - outgoingStart, Self.recordBytes)
            let code = curl_easy_send(handle.easy, outgoing.baseAddress! + outgoingStart, offered, &count)
            // Bytes that were passed to the send may have left even if the send reports 0 bytes: see
            // `recordBytes`.
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

    /// The maximum plain text of a TLS record (RFC 8446, 5.1), which is also the maximum that is passed to a
    /// send.
    ///
    /// A send that would block keeps its record and reports nothing. When it is repeated, OpenSSL first
    /// finishes that record and then starts the next one. If the next record blocks, OpenSSL reports nothing
    /// again: with 64 KB, it can send three records in four calls and report "would block" for all of them.
    /// Passing one record at a time keeps ``handedOver`` accurate. This costs nothing, because with partial
    /// writes OpenSSL returns after each record anyway.
    private static let recordBytes = 1 << 14

    private var canSend: Bool {
        guard failure == nil else { return false }
        switch state {
        case .open, .closing: return true
        case .connecting, .closed: return false
        }
    }

    /// Starts the deadline for a blocked socket. This is the only way to detect a peer that sends but never
    /// reads, because its answers to PINGs arrive.
    private func isBlocked(afterProgress: Bool) {
        if afterProgress || blockedSince == nil {
            // The loop's `now` is not used here, because the owner may have done other work since `now` was
            // read.
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

    /// Reads received bytes. Returns 0 if there are none at present, or if the stream is at its end, in which
    /// case ``TLSStreamDelegate/streamClosed(_:cause:)`` follows. Because OpenSSL reads ahead, a short read
    /// does not mean that no more bytes are available. Read until the result is 0.
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

    /// Requests another ``TLSStreamDelegate/streamReadable(_:)`` in the next turn, because the caller stopped
    /// reading before ``receive(into:)`` returned 0, and the descriptor may not become readable again.
    package func leaveUnread() {
        guard !hasUnread else { return }
        hasUnread = true
        loop.needsAttention(self)
    }

    /// Whether reading is suspended. If so, nothing is read or reported, so that TCP slows the peer down. A
    /// close by the peer is not detected either.
    package var isHeldBack = false {
        didSet {
            guard isHeldBack != oldValue, descriptor >= 0 else { return }
            loop.await(self, descriptor: descriptor, reads: !isHeldBack, writes: awaitsWriting)
            // The descriptor does not indicate data that OpenSSL has read ahead.
            if !isHeldBack { leaveUnread() }
        }
    }

    // MARK: Closing

    /// Closes the stream when the waiting data has been sent, or after the close time-out.
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

    /// Closes at the loop's next opportunity, for the given reason, even if data is waiting to be sent.
    package func close(because cause: CloseCause) {
        if case .closed = state { return }
        fail(cause)
    }

    private func fail(_ cause: CloseCause) {
        guard failure == nil else {
            // The peer's last message explains more than a failed send.
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

    /// Frees all resources without notifying the owner, because the loop is being destroyed and can no longer
    /// be called.
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
        guard let socket = handle.activeSocket else {
            return finish(.inputOutput("libcurl returned no socket"))
        }
        descriptor = socket
        if let bytes = configuration.socketSendBuffer {
            var value = Int32(clamping: bytes)
            setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &value, socklen_t(MemoryLayout<Int32>.size))
        }
        state = .open
        loop.logger.debug("\(endpoint): open")
        loop.await(self, descriptor: socket, reads: !isHeldBack, writes: false)
        delegate?.streamOpened(self)
        // Data that arrived with the end of the handshake is in OpenSSL's buffer, and the descriptor does not
        // indicate it.
        leaveUnread()
    }

    /// The ALPN name that the peer chose; empty if the peer did not choose one.
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

    func processEvents() {
        if case .closed = state { return }
        if hasUnread {
            hasUnread = false
            delegate?.streamReadable(self)
        }
        guard let cause = failure else { return }
        // A send fails if the peer has closed the connection. The peer's last message, and answers, may still
        // be unread in the socket.
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

    /// Returns the reason why an established connection broke.
    private func cause(ofBroken code: CURLcode) -> CloseCause {
        guard let handle else { return .local }
        return handle.cause(ofBroken: code, watch: watch.pointee)
    }
}
