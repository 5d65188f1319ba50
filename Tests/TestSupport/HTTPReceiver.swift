import CProbeShims
import Foundation
import Glibc
import Synchronization

/// An HTTP/1.1 server in the test's process, on a real socket, and with TLS if it is given a certificate. It
/// accepts one request per connection and answers as the test requires, even in ways that no server should.
package final class HTTPReceiver: Sendable {
    package struct Request: Sendable {
        /// The number of the request, from 1, in the order of arrival.
        package var number: Int
        package var method: String
        package var path: String
        /// The header fields, with names in lower case.
        package var headers: [String: String]
        package var body: [UInt8]
    }

    package enum Reply: Sendable {
        case status(Int, headers: [String] = [], body: String = "")
        /// No answer while the receiver exists.
        case hang
        /// A head that announces more bytes than follow.
        case breakOff(Int)
        /// The connection ends without an answer.
        case close
        /// The closure is called first, and then the other reply follows.
        indirect case after(@Sendable () -> Void, Reply)
    }

    private struct State {
        var requests: [Request] = []
        var hanging: [ReceiverConnection] = []
        var hasEnded = false
    }

    package let port: Int
    private let listener: Int32
    private let isSecure: Bool
    private let state = Mutex(State())
    private let answer: @Sendable (Request) -> Reply

    /// - Parameter certificate: A PEM file with chain and key. If it is `nil`, the receiver does not use TLS.
    package init(
        certificate: String? = nil, answer: @escaping @Sendable (Request) -> Reply = { _ in .status(200) }
    ) throws {
        self.answer = answer
        isSecure = certificate != nil
        (listener, port) = try PlainHTTP.listen()
        let listener = listener
        let identity = unsafe certificate.map { unsafe push_probe_receiver_new($0) }
        if let identity = unsafe identity, unsafe identity == nil {
            throw PlainHTTP.Failure(description: "\(certificate ?? "") does not contain a chain and a key")
        }
        let server = unsafe ReceiverServer(identity: identity ?? nil)
        Thread.detachNewThread { [weak self] in
            while let connection = server.accept(listener) {
                Thread.detachNewThread { [weak self] in
                    guard connection.greet(), let self else { return connection.end() }
                    serve(connection)
                }
            }
        }
    }

    deinit { stop() }

    package var url: String { "\(isSecure ? "https" : "http")://127.0.0.1:\(port)/hook?from=test" }
    package var requests: [Request] { state.withLock(\.requests) }

    /// Stops listening and ends the connections that hang.
    package func stop() {
        let hanging = state.withLock { state -> [ReceiverConnection]? in
            guard !state.hasEnded else { return nil }
            state.hasEnded = true
            defer { state.hanging = [] }
            return state.hanging
        }
        guard let hanging else { return }
        for connection in hanging { connection.end() }
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    private func serve(_ connection: ReceiverConnection) {
        guard var request = connection.read() else { return connection.end() }
        request = state.withLock { [request] state in
            var request = request
            request.number = state.requests.count + 1
            state.requests.append(request)
            return request
        }
        reply(answer(request), on: connection)
    }

    private func reply(_ reply: Reply, on connection: ReceiverConnection) {
        switch reply {
        case .status(let status, let headers, let body):
            var head =
                "HTTP/1.1 \(status) Said\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n"
            for header in headers { head += "\(header)\r\n" }
            connection.write(Array((head + "\r\n" + body).utf8))
            connection.end()
        case .hang:
            let isTaken = state.withLock { state in
                guard !state.hasEnded else { return false }
                state.hanging.append(connection)
                return true
            }
            if !isTaken { connection.end() }
        case .breakOff(let status):
            connection.write(Array("HTTP/1.1 \(status) Said\r\nContent-Length: 100\r\n\r\nhalf".utf8))
            connection.end()
        case .close: connection.end()
        case .after(let body, let then):
            body()
            self.reply(then, on: connection)
        }
    }
}

/// Accepts connections, with TLS if there is a certificate.
@safe
private final class ReceiverServer: @unchecked Sendable {
    /// Used by the accepting thread, and never freed.
    private let identity: OpaquePointer?

    init(identity: OpaquePointer?) { unsafe self.identity = identity }

    /// Returns the next connection; `nil` if the listener is closed.
    func accept(_ listener: Int32) -> ReceiverConnection? {
        unsafe push_probe_receiver_accept(identity, listener).map { unsafe ReceiverConnection($0) }
    }
}

/// One accepted connection, which only its own thread uses.
@safe
private final class ReceiverConnection: @unchecked Sendable {
    private let caller: OpaquePointer

    init(_ caller: OpaquePointer) { unsafe self.caller = caller }

    /// - Returns: `false` if TLS failed.
    func greet() -> Bool { unsafe push_probe_caller_greet(caller) }

    /// Must be called once, as the last call.
    func end() { unsafe push_probe_caller_end(caller) }

    private func take(_ buffer: inout [UInt8]) -> Int {
        unsafe push_probe_caller_read(caller, &buffer, buffer.count)
    }

    func write(_ bytes: [UInt8]) { unsafe push_probe_caller_write(caller, bytes, bytes.count) }

    /// Returns the next request; `nil` if the connection ended before the request did.
    func read() -> HTTPReceiver.Request? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let end = Array("\r\n\r\n".utf8)
        var head: Int?
        while true {
            if head == nil { head = bytes.firstRange(of: end)?.lowerBound }
            if let head, let request = request(bytes, head) { return request }
            let count = take(&buffer)
            guard count > 0 else { return nil }
            bytes += buffer[..<count]
        }
    }

    private func request(_ bytes: [UInt8], _ head: Int) -> HTTPReceiver.Request? {
        let lines = String(decoding: bytes[..<head], as: UTF8.self).split(separator: "\r\n")
        let words = lines.first.map { $0.split(separator: " ") } ?? []
        guard words.count == 3 else { return nil }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            headers[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(
                in: .whitespaces)
        }
        let length = headers["content-length"].flatMap { Int($0) } ?? 0
        guard bytes.count >= head + 4 + length else { return nil }
        return HTTPReceiver.Request(
            number: 0, method: String(words[0]), path: String(words[1]), headers: headers,
            body: Array(bytes[(head + 4)..<(head + 4 + length)]))
    }
}
