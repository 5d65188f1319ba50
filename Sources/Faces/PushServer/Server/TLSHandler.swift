package import NIOCore
package import PushCrypto

/// Decrypts and encrypts the bytes of one connection.
///
/// A later handler sees a connection without TLS: the client's `close_notify` is the end of the input. If TLS
/// fails, the connection is closed after the alert was sent, and nothing is logged, because any client can
/// cause this.
package final class TLSHandler: ChannelDuplexHandler {
    package typealias InboundIn = ByteBuffer
    package typealias InboundOut = ByteBuffer
    package typealias OutboundIn = ByteBuffer
    package typealias OutboundOut = ByteBuffer

    /// The maximum payload of one TLS record (RFC 8446 §5.1).
    private static let recordBytes = 16_384
    private static let maxClosingTime = TimeAmount.seconds(5)

    /// `nil` if memory was exhausted when the connection began.
    private let session: ServerTLSSession?
    /// Bytes that were written before the end of the handshake.
    private var early: [(bytes: ByteBuffer, promise: EventLoopPromise<Void>?)] = []
    /// Encrypted bytes that are not yet passed on, and the promises of their writes.
    private var encrypted = ByteBuffer()
    private var promises: [EventLoopPromise<Void>] = []
    private var wasEstablished = false
    private var isInputClosed = false
    private var isClosed = false
    /// Whether bytes were lost because the session has failed.
    private var hasFailed = false

    package init(_ identity: ServerIdentity) { session = ServerTLSSession(identity) }

    package func channelActive(context: ChannelHandlerContext) {
        context.fireChannelActive()
        if session == nil { context.close(promise: nil) }
    }

    // MARK: Input

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // After the end of the input, the session would only collect what it receives.
        guard let session, !isClosed, !isInputClosed else { return }
        var (input, bytes) = (unwrapInboundIn(data), ByteBuffer())
        var progress = ServerTLSSession.Progress.waits
        // In steps of one record, because the session keeps the memory of its largest step until it ends.
        while case .waits = progress, input.readableBytes > 0,
            let step = input.readSlice(length: min(input.readableBytes, Self.recordBytes))
        {
            let isReceived = unsafe step.withUnsafeReadableBytes { unsafe session.receive($0) }
            progress = isReceived ? decrypt(session, into: &bytes) : .failed
        }
        if session.isEstablished {
            wasEstablished = true
            sendEarly(session, context)
        } else if wasEstablished {
            // The client has begun a further handshake, or a key update that is incomplete. Until its end,
            // answers could not be encrypted and would be kept in memory. No usual client does this.
            progress = .failed
        }
        // A failed write would read further bytes at once, so these are passed on before it.
        if bytes.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(bytes)) }
        send(context)
        switch progress {
        case .closed: closeInput(context)
        case .failed: close(context: context, mode: .all, promise: nil)
        case .waits, .bytes: break
        }
    }

    /// Decrypts everything that was received. The result is never `bytes`.
    private func decrypt(
        _ session: ServerTLSSession, into bytes: inout ByteBuffer
    ) -> ServerTLSSession.Progress {
        while true {
            var progress = ServerTLSSession.Progress.waits
            unsafe bytes.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.recordBytes) { room in
                progress = unsafe session.read(into: room)
                return if case .bytes(let count) = progress { count } else { 0 }
            }
            guard case .bytes = progress else { return progress }
        }
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case ChannelEvent.inputClosed = event else {
            return context.fireUserInboundEventTriggered(event)
        }
        // The parser of HTTP detects a message that is cut off, with or without a `close_notify` before.
        if session?.isEstablished == true { closeInput(context) } else { context.close(promise: nil) }
    }

    private func closeInput(_ context: ChannelHandlerContext) {
        guard !isInputClosed else { return }
        isInputClosed = true
        context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    }

    package func channelInactive(context: ChannelHandlerContext) {
        failWrites()
        context.fireChannelInactive()
    }

    package func handlerRemoved(context: ChannelHandlerContext) { failWrites() }

    // MARK: Output

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let bytes = unwrapOutboundIn(data)
        guard let session, !isClosed else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        if session.isEstablished {
            encrypt(bytes, session, promise)
        } else {
            early.append((bytes, promise))
        }
    }

    package func flush(context: ChannelHandlerContext) {
        send(context)
        context.flush()
    }

    /// Informs the client, and closes the connection when the client has received everything that was
    /// written, but at most ``maxClosingTime`` later. A second call closes it immediately.
    package func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode != .input, !isClosed else { return context.close(mode: mode, promise: promise) }
        isClosed = true
        session?.close()
        let sent = context.eventLoop.makePromise(of: Void.self)
        promises.append(sent)
        send(context)
        failWrites()
        guard mode == .all, wasEstablished, context.channel.isActive else {
            return context.close(mode: mode, promise: promise)
        }
        let late = context.eventLoop.assumeIsolated().scheduleTask(in: Self.maxClosingTime) {
            context.close(promise: nil)
        }
        sent.futureResult.assumeIsolated().whenComplete { _ in
            late.cancel()
            context.close(promise: promise)
        }
    }

    private func sendEarly(_ session: ServerTLSSession, _ context: ChannelHandlerContext) {
        let writes = early
        early = []
        for write in writes { encrypt(write.bytes, session, write.promise) }
    }

    private func encrypt(
        _ bytes: ByteBuffer, _ session: ServerTLSSession, _ promise: EventLoopPromise<Void>?
    ) {
        var bytes = bytes
        // In steps of one record, because the session keeps the memory of its largest step until it ends.
        while let record = bytes.readSlice(length: min(bytes.readableBytes, Self.recordBytes)),
            record.readableBytes > 0
        {
            guard unsafe record.withUnsafeReadableBytes({ unsafe session.write($0) }) else {
                hasFailed = true
                promise?.fail(ChannelError.ioOnClosedChannel)
                return
            }
            takePending(session)
        }
        if let promise { promises.append(promise) }
    }

    private func takePending(_ session: ServerTLSSession) {
        let count = session.pendingBytes
        guard count > 0 else { return }
        unsafe encrypted.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { room in
            unsafe session.take(into: room)
        }
    }

    /// Passes on everything that is encrypted, and flushes it.
    private func send(_ context: ChannelHandlerContext) {
        if let session { takePending(session) }
        guard encrypted.readableBytes > 0 || !promises.isEmpty else { return }
        let all = promises.isEmpty ? nil : context.eventLoop.makePromise(of: Void.self)
        for promise in promises { all?.futureResult.cascade(to: promise) }
        let bytes = encrypted
        (encrypted, promises) = (ByteBuffer(), [])
        context.writeAndFlush(wrapOutboundOut(bytes), promise: all)
        if hasFailed { context.close(promise: nil) }
    }

    private func failWrites() {
        let failed = early.compactMap(\.promise) + promises
        (early, promises) = ([], [])
        for promise in failed { promise.fail(ChannelError.ioOnClosedChannel) }
    }
}
