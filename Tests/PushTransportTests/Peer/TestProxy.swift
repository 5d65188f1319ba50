import CPushShims
import Foundation

/// An HTTP proxy on its own thread that supports CONNECT, for one connection after another.
final class TestProxy: Sendable {
    let port: Int
    private let listener: Int32
    private let finished = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - refusal: The status line with which the proxy answers instead of connecting.
    ///   - credentials: The required value of `Proxy-Authorization`.
    init(refusal: String? = nil, credentials: String? = nil) {
        let listener = listeningSocket()
        self.listener = listener
        port = TestPeer.localPort(listener)
        Thread.detachNewThread { [finished] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { break }
                Self.serve(client, refusal: refusal, credentials: credentials)
                close(client)
            }
            finished.signal()
        }
    }

    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        finished.wait()
        close(listener)
    }

    private static func serve(_ client: Int32, refusal: String?, credentials: String?) {
        var head = ""
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while !head.contains("\r\n\r\n") {
            let count = recv(client, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            head += String(decoding: buffer[..<count], as: UTF8.self)
        }
        let words = head.split(separator: " ")
        let port = words.count > 1 ? UInt16(words[1].split(separator: ":").last ?? "") : nil
        var answer = "HTTP/1.1 200 Connection established\r\n\r\n"
        if let credentials, !head.contains("Proxy-Authorization: Basic \(credentials)\r\n") {
            answer = "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n"
        }
        if let refusal { answer = "HTTP/1.1 \(refusal)\r\nContent-Length: 0\r\n\r\n" }
        if words.first != "CONNECT" || port == nil { answer = "HTTP/1.1 405 No\r\nContent-Length: 0\r\n\r\n" }
        let isConnecting = answer.contains(" 200 ")
        let target = isConnecting ? connectedSocket(port: port ?? 0) : -1
        defer { if target >= 0 { close(target) } }
        _ = answer.withCString { send(client, $0, strlen($0), Int32(MSG_NOSIGNAL)) }
        guard isConnecting else { return }
        while true {
            var polls = [
                pollfd(fd: client, events: 1, revents: 0), pollfd(fd: target, events: 1, revents: 0),
            ]
            poll(&polls, 2, -1)
            for (from, to, events) in [
                (client, target, polls[0].revents), (target, client, polls[1].revents),
            ]
            where events != 0 {
                let count = recv(from, &buffer, buffer.count, 0)
                guard count > 0 else { return }
                var sent = 0
                while sent < count {
                    let part = buffer[sent..<count].withUnsafeBytes {
                        send(to, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                    }
                    guard part > 0 else { return }
                    sent += part
                }
            }
        }
    }
}

/// Returns a TCP socket that listens on a free port of the loopback interface.
func listeningSocket(receiveBuffer: Int32? = nil, isIPv6: Bool = false) -> Int32 {
    let listener = socket(isIPv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    if var bytes = receiveBuffer { setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &bytes, 4) }
    let bound =
        isIPv6
        ? withLoopback6 { bind(listener, $0, $1) } : withLoopback(port: 0) { bind(listener, $0, $1) }
    precondition(bound == 0 && listen(listener, 512) == 0)
    return listener
}

private func connectedSocket(port: UInt16) -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    _ = withLoopback(port: port) { connect(descriptor, $0, $1) }
    return descriptor
}

private func withLoopback(port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
}

/// Whether the machine's loopback interface has an IPv6 address.
let hasIPv6: Bool = {
    let descriptor = socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return withLoopback6 { bind(descriptor, $0, $1) } == 0
}()

private func withLoopback6(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_addr = in6addr_loopback
    return withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            body($0, socklen_t(MemoryLayout<sockaddr_in6>.size))
        }
    }
}
