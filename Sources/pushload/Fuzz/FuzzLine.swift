internal import Glibc

/// A connection that takes several requests at once, and is told nothing of what they mean.
final class FuzzLine {
    enum Turn {
        /// Somebody answered, or nothing happened.
        case open
        /// The server closed it, in order or by a reset, or it could not be made.
        case closed
    }

    private(set) var descriptor: Int32 = -1
    private var unsent: ArraySlice<UInt8> = []
    private var endsSending = false
    var reader = AnswerReader()
    private var buffer = [UInt8](repeating: 0, count: 32 << 10)

    deinit { hangUp() }

    var isOpen: Bool { descriptor >= 0 }
    var interest: Int16 { Int16(unsent.isEmpty ? POLLIN : POLLIN | POLLOUT) }

    /// - Parameter endsSending: nothing comes after these bytes, and the server is told so.
    /// - Returns: whether there is a connection.
    func begin(_ bytes: [UInt8], port: Int, endsSending: Bool) -> Bool {
        if !isOpen { descriptor = LoopbackSocket.connect(to: port) }
        guard isOpen else { return false }
        // Who was answered before all of it was heard has still to be sent the rest.
        unsent += bytes
        self.endsSending = endsSending
        // What fails here is seen at the next turn, after what the server said.
        _ = send()
        return true
    }

    func turn(_ events: Int16) -> Turn {
        guard isOpen else { return .closed }
        guard events != 0 else { return .open }
        // Who closes does not read what is still to be sent, but has perhaps said why.
        let isSending = send()
        guard events & ~Int16(POLLOUT) != 0 || !isSending else { return .open }
        return receive() ? .open : .closed
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
