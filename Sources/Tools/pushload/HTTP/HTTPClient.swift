internal import Glibc

/// A server's answer.
struct HTTPReply {
    var status: Int
    var body: [UInt8]
    /// Whether the server closes the connection after this answer.
    var isLast: Bool
}

/// A persistent HTTP/1.1 connection to this machine, like that of a device's operating system. It may carry
/// several requests at the same time. No call blocks.
///
/// **Failures.** No method throws. A request has no answer if its connection is lost or cannot be
/// established.
final class HTTPClient {
    /// The received bytes, and the offset of the next answer in them.
    private var received: [UInt8] = []
    private var first = 0
    /// The descriptor to poll; negative if there is no connection.
    private(set) var descriptor: Int32 = -1
    private var unsent: ArraySlice<UInt8> = []
    private var endsSending = false
    private var buffer = [UInt8](repeating: 0, count: 16 << 10)

    deinit { hangUp() }

    var isOpen: Bool { descriptor >= 0 }
    /// The events to poll for.
    var interest: Int16 { Int16(unsent.isEmpty ? POLLIN : POLLIN | POLLOUT) }

    /// Sends requests.
    /// - Parameter endsSending: Whether to close the sending side of the connection after these bytes, so
    ///   that the server knows that no more bytes follow.
    /// - Returns: Whether there is a connection.
    @discardableResult
    func begin(_ bytes: [UInt8], port: Int, endsSending: Bool = false) -> Bool {
        if !isOpen { descriptor = LoopbackSocket.connect(to: port) }
        guard isOpen else { return false }
        // If the server answered a request before it read the complete request, the rest must still be sent.
        unsent += bytes
        self.endsSending = endsSending
        // If sending fails, the next turn detects this, after it has read the server's bytes.
        _ = send()
        return true
    }

    /// - Parameter events: The events that poll reported.
    /// - Returns: Whether the connection is open, which means that the server has neither closed nor reset
    ///   it.
    func turn(_ events: Int16) -> Bool {
        guard isOpen, events != 0 else { return isOpen }
        // A server that closes the connection does not read the unsent bytes, but it may have sent the reason
        // for closing.
        let isSending = send()
        return events & ~Int16(POLLOUT) == 0 && isSending || receive()
    }

    func hangUp() {
        if isOpen { close(descriptor) }
        descriptor = -1
        unsent = []
        forget()
    }

    private func send() -> Bool {
        guard LoopbackSocket.send(&unsent, on: descriptor) else { return false }
        if unsent.isEmpty, endsSending {
            endsSending = false
            shutdown(descriptor, Int32(SHUT_WR))
        }
        return true
    }

    /// - Returns: Whether the server may send more.
    private func receive() -> Bool {
        while true {
            let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
            if count < 0 { return errno == EAGAIN || errno == EINTR }
            if count == 0 { return false }
            received += buffer[..<count]
            if count < buffer.count { return true }
        }
    }

    // MARK: Answers

    /// - Parameter isHead: Whether the answer has no body, whatever its head states.
    func next(isHead: Bool = false) -> HTTPReply? {
        while let answer = read(isHead: isHead) {
            // Interim responses such as 100 Continue precede the answer.
            if answer.status >= 200 || answer.status < 100 { return answer }
        }
        return nil
    }

    private func read(isHead: Bool) -> HTTPReply? {
        guard let end = headEnd() else { return nil }
        let lines = received[first..<end - 4].split(separator: UInt8(ascii: "\n"))
        var (length, isLast) = (0, false)
        for line in lines.dropFirst() {
            let text = String(decoding: line, as: UTF8.self).lowercased()
            if text.hasPrefix("content-length:") {
                length = Int(text.dropFirst(15).filter(\.isNumber)) ?? 0
            } else if text.hasPrefix("connection:") {
                isLast = text.contains("close")
            }
        }
        let words = lines.first?.split(separator: UInt8(ascii: " ")) ?? []
        let status = words.count > 1 ? Int(String(decoding: words[1].prefix(3), as: UTF8.self)) ?? 0 : 0
        if isHead || status == 204 || status == 304 || status < 200 { length = 0 }
        guard received.count - end >= length else { return nil }
        let body = Array(received[end..<end + length])
        first = end + length
        if first == received.count { forget() }
        return HTTPReply(status: status, body: body, isLast: isLast)
    }

    private func headEnd() -> Int? {
        let (cr, lf) = (UInt8(ascii: "\r"), UInt8(ascii: "\n"))
        let last = (first + 3..<max(received.count, first + 3)).first {
            received[$0] == lf && received[$0 - 1] == cr && received[$0 - 2] == lf && received[$0 - 3] == cr
        }
        return last.map { $0 + 1 }
    }

    private func forget() {
        received.removeAll(keepingCapacity: true)
        first = 0
    }
}
