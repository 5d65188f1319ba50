internal import Glibc

/// What a server answered.
package struct HTTPReply: Sendable {
    package var status: Int
    package var body: [UInt8]
}

/// A connection of HTTP/1.1 to this machine that is kept from request to request, as a device's system keeps it:
/// one request at a time, and nobody waits for it.
///
/// **Failures.** None is thrown: a request whose connection is lost, or cannot be made, has no answer.
final class HTTPLine {
    enum Event {
        case nothing
        case answered(HTTPReply)
        case lost
    }

    /// To be polled; negative: there is no connection.
    private(set) var descriptor: Int32 = -1
    private var isBusy = false
    private var unsent: ArraySlice<UInt8> = []
    private var received: [UInt8] = []

    deinit { hangUp() }

    /// What to poll it for.
    var interest: Int16 { Int16(unsent.isEmpty ? POLLIN : POLLIN | POLLOUT) }

    /// Sends a request; the one before must have ended.
    func begin(_ request: [UInt8], port: Int) {
        if descriptor < 0 { descriptor = LoopbackSocket.connect(to: port) }
        isBusy = true
        unsent = request[...]
        if !send() { hangUp() }
    }

    /// - Parameter events: what poll says of it.
    func turn(_ events: Int16) -> Event {
        guard isBusy else {
            if events != 0 { hangUp() }
            return .nothing
        }
        guard send() else { return end(.lost) }
        guard events & ~Int16(POLLOUT) != 0 else { return .nothing }
        let isOpen = receive()
        guard let (reply, isLast) = reply() else { return isOpen ? .nothing : end(.lost) }
        if isLast || !isOpen { hangUp() }
        return end(.answered(reply))
    }

    private func end(_ event: Event) -> Event {
        if case .lost = event { hangUp() }
        isBusy = false
        received.removeAll(keepingCapacity: true)
        return event
    }

    private func hangUp() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
        unsent = []
        received.removeAll(keepingCapacity: true)
    }

    /// - Returns: whether there is a connection still.
    private func send() -> Bool { descriptor >= 0 && LoopbackSocket.send(&unsent, on: descriptor) }

    /// - Returns: whether the server may say more.
    private func receive() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
            if count < 0 { return errno == EAGAIN || errno == EINTR }
            if count == 0 { return false }
            received += buffer[..<count]
        }
    }

    /// The answer, where it is whole, and whether the server closes the connection after it.
    private func reply() -> (HTTPReply, isLast: Bool)? {
        guard let gap = received.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let head = String(decoding: received[..<gap.lowerBound], as: UTF8.self).lowercased()
        let lines = head.split(separator: "\r\n")
        func value(_ name: String) -> Substring? {
            lines.first { $0.hasPrefix("\(name): ") }?.dropFirst(name.count + 2)
        }
        let length = value("content-length").flatMap { Int($0) } ?? 0
        let status = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        guard received.count - gap.upperBound >= length else { return nil }
        let body = Array(received[gap.upperBound..<gap.upperBound + length])
        return (HTTPReply(status: status, body: body), value("connection") == "close")
    }
}
