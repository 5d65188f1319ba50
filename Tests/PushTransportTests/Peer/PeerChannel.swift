import CPushShims
import Foundation

/// One accepted connection of a ``TestPeer``, used on its thread: TLS or plain, HTTP/2 or bytes.
final class PeerChannel {
    unowned let thread: PeerThread
    let descriptor: Int32
    private var ssl: OpaquePointer?
    private var isShaken: Bool
    private(set) var isClosed = false
    private(set) var http2: PeerHTTP2?
    /// All received bytes, in the mode for bytes.
    var received: [UInt8] = []
    private var outgoing: [UInt8] = []
    private var closesWhenSent = false
    /// Whether the channel leaves received bytes in the kernel, so that the buffers of the other side fill
    /// up.
    var isDeaf = false
    /// Whether the channel must be pumped although its descriptor is silent.
    var wantsTurn = false

    init(thread: PeerThread, descriptor: Int32, context: OpaquePointer?) {
        (self.thread, self.descriptor) = (thread, descriptor)
        isShaken = context == nil
        if let context {
            ssl = SSL_new(context)
            SSL_set_fd(ssl, descriptor)
        }
        if case .http2(let script) = thread.options.kind { http2 = PeerHTTP2(channel: self, script: script) }
    }

    var peer: TestPeer { thread.peer }

    var events: Int16 {
        if thread.options.isMute { return 0 }
        return Int16((isDeaf ? 0 : POLLIN) | (outgoing.isEmpty ? 0 : POLLOUT))
    }

    func pump() {
        wantsTurn = false
        guard !isClosed, !thread.options.isMute else { return }
        if !isShaken {
            let result = SSL_accept(ssl)
            if result == 1 {
                isShaken = true
                http2?.greet()
            } else {
                switch SSL_get_error(ssl, result) {
                case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return
                default:
                    ERR_clear_error()
                    return close()
                }
            }
        }
        if !isDeaf { read() }
        flush()
    }

    /// Reads once, even if the channel is deaf.
    func sip() { read(once: true) }

    private func read(once: Bool = false) {
        var buffer = [UInt8](repeating: 0, count: 32 << 10)
        var isFirst = true
        while !isClosed, once ? isFirst : !isDeaf {
            isFirst = false
            let count =
                ssl == nil
                ? Int32(recv(descriptor, &buffer, buffer.count, 0))
                : SSL_read(ssl, &buffer, Int32(buffer.count))
            guard count > 0 else {
                let isDry =
                    ssl == nil
                    ? count < 0 && errno == EAGAIN
                    : [SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE].contains(SSL_get_error(ssl, count))
                if !isDry {
                    ERR_clear_error()
                    close()
                }
                return
            }
            if let http2 {
                http2.feed(buffer[..<Int(count)])
            } else {
                received += buffer[..<Int(count)]
                if case .bytes(let script) = thread.options.kind { script(self) }
            }
        }
    }

    func send(_ bytes: [UInt8]) {
        outgoing += bytes
        wantsTurn = true
    }
    func send(_ text: String) { send(Array(text.utf8)) }

    private func flush() {
        guard !isClosed else { return }
        if let http2 { outgoing += http2.pull() }
        // The sent bytes are removed once. With megabytes, a removal for each record would take longer than
        // everything else.
        var sent = 0
        defer { outgoing.removeFirst(min(sent, outgoing.count)) }
        while sent < outgoing.count {
            let count = outgoing[sent...].withUnsafeBytes {
                ssl == nil
                    ? Int32(Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)))
                    : SSL_write(ssl, $0.baseAddress, Int32($0.count))
            }
            guard count > 0 else {
                let isFull =
                    ssl == nil
                    ? errno == EAGAIN
                    : [SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE].contains(SSL_get_error(ssl, count))
                ERR_clear_error()
                if !isFull { close() }
                return
            }
            sent += Int(count)
        }
        if closesWhenSent || http2?.isOver == true { close() }
    }

    /// Closes the channel properly once all waiting bytes are sent.
    func closeWhenSent() {
        closesWhenSent = true
        wantsTurn = true
    }

    /// Sends close_notify, then FIN.
    func close() {
        guard !isClosed else { return }
        if let ssl, isShaken { SSL_shutdown(ssl) }
        end()
    }

    /// Sends FIN without close_notify.
    func hangUp() { end() }

    /// Requests another handshake on the same connection, which TLS 1.2 supports.
    func renegotiate() {
        SSL_renegotiate(ssl)
        SSL_do_handshake(ssl)
        ERR_clear_error()
        wantsTurn = true
    }

    /// Sends TCP RST.
    func abort() {
        guard !isClosed else { return }
        var linger = CPushShims.linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
        end()
    }

    private func end() {
        guard !isClosed else { return }
        isClosed = true
        ERR_clear_error()
        http2?.free()
        http2 = nil
        if let ssl { SSL_free(ssl) }
        ssl = nil
        Foundation.close(descriptor)
        peer.record { $0.closed += 1 }
    }
}
