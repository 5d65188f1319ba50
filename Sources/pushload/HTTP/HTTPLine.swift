internal import Glibc

/// A connection of HTTP/1.1 to this machine that is kept from request to request, as a device's system keeps it, and
/// that may take several requests at once. Nothing blocks.
///
/// **Failures.** None is thrown: a request whose connection is lost, or cannot be made, has no answer.
final class HTTPLine {
    /// What the server has answered.
    var reader = AnswerReader()
    /// To be polled; negative: there is no connection.
    private(set) var descriptor: Int32 = -1
    private var unsent: ArraySlice<UInt8> = []
    private var endsSending = false
    private var buffer = [UInt8](repeating: 0, count: 16 << 10)

    deinit { hangUp() }

    var isOpen: Bool { descriptor >= 0 }
    /// What to poll it for.
    var interest: Int16 { Int16(unsent.isEmpty ? POLLIN : POLLIN | POLLOUT) }

    /// Sends requests.
    /// - Parameter endsSending: nothing comes after these bytes, and the server is told so.
    /// - Returns: whether there is a connection.
    @discardableResult
    func begin(_ bytes: [UInt8], port: Int, endsSending: Bool = false) -> Bool {
        if !isOpen { descriptor = LoopbackSocket.connect(to: port) }
        guard isOpen else { return false }
        // Who was answered before all of it was heard has still to be sent the rest.
        unsent += bytes
        self.endsSending = endsSending
        // What fails here is seen at the next turn, after what the server said.
        _ = send()
        return true
    }

    /// - Parameter events: what poll says of it.
    /// - Returns: whether it is open: the server has not closed it, in order or by a reset.
    func turn(_ events: Int16) -> Bool {
        guard isOpen, events != 0 else { return isOpen }
        // Who closes does not read what is still to be sent, but has perhaps said why.
        let isSending = send()
        return events & ~Int16(POLLOUT) == 0 && isSending || receive()
    }

    func hangUp() {
        if isOpen { close(descriptor) }
        descriptor = -1
        unsent = []
        reader.forget()
    }

    private func send() -> Bool {
        guard LoopbackSocket.send(&unsent, on: descriptor) else { return false }
        if unsent.isEmpty, endsSending {
            endsSending = false
            shutdown(descriptor, Int32(SHUT_WR))
        }
        return true
    }

    /// - Returns: whether the server may say more.
    private func receive() -> Bool {
        while true {
            let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
            if count < 0 { return errno == EAGAIN || errno == EINTR }
            if count == 0 { return false }
            reader.feed(buffer[..<count])
            if count < buffer.count { return true }
        }
    }
}
