import CPushShims
import Foundation
import Synchronization
import TestTLS

/// A scripted server in the test's process, with real sockets and real TLS, on its own thread.
final class TestPeer: Sendable {
    struct Options: Sendable {
        var certificatePEM: [UInt8]
        var keyPEM: [UInt8]
        /// The protocol that the server chooses by ALPN. `nil` if it does not support ALPN.
        var protocolName: String? = "h2"
        /// The authority from which the server requires a client certificate.
        var clientAuthorityPEM: [UInt8]?
        /// Whether the server works without TLS, for proxies and plain HTTP.
        var isPlain = false
        /// Whether the server sends nothing on its own after it has accepted a connection, not even TLS
        /// records.
        var isMute = false
        /// Whether the server listens on ::1 instead of 127.0.0.1.
        var isIPv6 = false
        /// The newest TLS version that the server supports.
        var newestTLS = TLS1_3_VERSION
        /// SO_RCVBUF: how much the server receives while it is deaf.
        var receiveBuffer: Int32?
        var kind = Kind.http2(HTTP2Script())
        init(_ identity: TestAuthority.Identity) {
            (certificatePEM, keyPEM) = (identity.certificatePEM, identity.keyPEM)
        }
    }
    enum Kind: Sendable {
        case http2(HTTP2Script)
        /// The closure is called with all received bytes whenever there are more.
        case bytes(@Sendable (PeerChannel) -> Void)
    }

    struct Tally: Sendable {
        var accepted = 0
        var closed = 0
        /// The requests that arrived completely.
        var requests: [PeerRequest] = []
        var pings = 0
        var resets: [UInt32] = []
        var mostConcurrent = 0
    }

    let port: Int
    private let listener: Int32
    private let wake: (read: Int32, write: Int32)
    private let shared = Mutex(Shared())
    private let finished = DispatchSemaphore(value: 0)
    private struct Shared {
        var commands: [@Sendable (PeerThread) -> Void] = []
        var isStopping = false
        var tally = Tally()
    }

    init(_ options: Options) {
        var pipes: [Int32] = [0, 0]
        precondition(pipe(&pipes) == 0)
        wake = (pipes[0], pipes[1])
        let listener = listeningSocket(receiveBuffer: options.receiveBuffer, isIPv6: options.isIPv6)
        self.listener = listener
        port = Self.localPort(listener)
        let ready = DispatchSemaphore(value: 0)
        Thread.detachNewThread { [self] in
            let thread = PeerThread(peer: self, options: options, listener: listener, wake: wake.read)
            ready.signal()
            thread.run()
            finished.signal()
        }
        ready.wait()
    }

    /// Ends the thread and closes everything that is open.
    func stop() {
        let wasStopping = shared.withLock { shared in
            defer { shared.isStopping = true }
            return shared.isStopping
        }
        guard !wasStopping else { return }
        var byte: UInt8 = 1
        write(wake.write, &byte, 1)
        finished.wait()
        for descriptor in [wake.read, wake.write, listener] { close(descriptor) }
    }

    /// Runs the command on the server's thread soon.
    func order(_ command: @escaping @Sendable (PeerThread) -> Void) {
        shared.withLock { $0.commands.append(command) }
        var byte: UInt8 = 1
        write(wake.write, &byte, 1)
    }

    var tally: Tally { shared.withLock { $0.tally } }
    func record(_ change: (inout Tally) -> Void) { shared.withLock { change(&$0.tally) } }
    var isStopping: Bool { shared.withLock { $0.isStopping } }
    func takeCommands() -> [@Sendable (PeerThread) -> Void] {
        shared.withLock { shared in
            defer { shared.commands = [] }
            return shared.commands
        }
    }

    static func localPort(_ descriptor: Int32) -> Int {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        return Int(UInt16(bigEndian: address.sin_port))
    }
}

/// The server's thread, which polls the listener and its channels.
final class PeerThread {
    let peer: TestPeer
    let options: TestPeer.Options
    private let listener: Int32
    private let wake: Int32
    private let context: OpaquePointer?
    private(set) var channels: [PeerChannel] = []
    /// This is called between polls, which then last a maximum of one millisecond. It is used for answers
    /// that a test delays.
    var onTick: (() -> Void)?

    init(peer: TestPeer, options: TestPeer.Options, listener: Int32, wake: Int32) {
        (self.peer, self.options, self.listener, self.wake) = (peer, options, listener, wake)
        context = options.isPlain ? nil : makeServerContext(options)
    }
    deinit { if let context { SSL_CTX_free(context) } }

    var http2: [PeerHTTP2] { channels.compactMap(\.http2) }

    func run() {
        while !peer.isStopping {
            var polls = [
                pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
                pollfd(fd: listener, events: Int16(POLLIN), revents: 0),
            ]
            for channel in channels {
                polls.append(pollfd(fd: channel.descriptor, events: channel.events, revents: 0))
            }
            poll(&polls, nfds_t(polls.count), onTick == nil ? 1000 : 1)
            if polls[0].revents != 0 {
                var drop = [UInt8](repeating: 0, count: 64)
                read(wake, &drop, drop.count)
            }
            for command in peer.takeCommands() { command(self) }
            onTick?()
            for (channel, one) in zip(channels, polls.dropFirst(2)) where one.revents != 0 { channel.pump() }
            for channel in channels where channel.wantsTurn { channel.pump() }
            if polls[1].revents != 0 { accept() }
            channels.removeAll { $0.isClosed }
        }
        for channel in channels { channel.abort() }
        channels = []
    }

    private func accept() {
        let descriptor = Foundation.accept(listener, nil, nil)
        guard descriptor >= 0 else { return }
        peer.record { $0.accepted += 1 }
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        let channel = PeerChannel(thread: self, descriptor: descriptor, context: context)
        channels.append(channel)
        channel.pump()
    }
}

private func makeServerContext(_ options: TestPeer.Options) -> OpaquePointer? {
    guard let context = SSL_CTX_new(TLS_server_method()) else { return nil }
    let certificate = readPEM(options.certificatePEM) { PEM_read_bio_X509($0, nil, nil, nil) }
    let key = readPEM(options.keyPEM) { PEM_read_bio_PrivateKey($0, nil, nil, nil) }
    precondition(
        SSL_CTX_use_certificate(context, certificate) == 1 && SSL_CTX_use_PrivateKey(context, key) == 1)
    X509_free(certificate)
    EVP_PKEY_free(key)
    SSL_CTX_ctrl(context, SSL_CTRL_MODE, 3, nil)  // partial writes, moving buffer
    SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(options.newestTLS), nil)
    if let authority = options.clientAuthorityPEM {
        let certificate = readPEM(authority) { PEM_read_bio_X509($0, nil, nil, nil) }
        X509_STORE_add_cert(SSL_CTX_get_cert_store(context), certificate)
        X509_free(certificate)
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
    }
    if options.protocolName == "h2" {
        SSL_CTX_set_alpn_select_cb(
            context,
            { _, out, outLength, offered, count, _ in
                var offset = 0
                while let offered, offset < Int(count) {
                    let length = Int(offered[offset])
                    if length == 2, offered[offset + 1] == 0x68, offered[offset + 2] == 0x32 {
                        out?.pointee = offered + offset + 1
                        outLength?.pointee = 2
                        return SSL_TLSEXT_ERR_OK
                    }
                    offset += 1 + length
                }
                return SSL_TLSEXT_ERR_ALERT_FATAL
            }, nil)
    }
    return context
}

private func readPEM(_ bytes: [UInt8], _ read: (OpaquePointer?) -> OpaquePointer?) -> OpaquePointer? {
    let bio = bytes.withUnsafeBytes { BIO_new_mem_buf($0.baseAddress, Int32($0.count)) }
    defer { BIO_free(bio) }
    return read(bio)
}
