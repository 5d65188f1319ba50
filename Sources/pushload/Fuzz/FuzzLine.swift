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
        if !isOpen, !connect(to: port) { return false }
        unsent = bytes[...]
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

    private func connect(to port: Int) -> Bool {
        descriptor = socket(
            AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
        place.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        let descriptor = descriptor
        let result = unsafe withUnsafePointer(to: &place) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if result != 0, errno != EINPROGRESS { hangUp() }
        return isOpen
    }

    private func send() -> Bool {
        while !unsent.isEmpty {
            let count = unsafe unsent.withUnsafeBytes {
                unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0 { return errno == EAGAIN || errno == EINTR || errno == ENOTCONN }
            unsent = unsent.dropFirst(count)
        }
        if endsSending {
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
