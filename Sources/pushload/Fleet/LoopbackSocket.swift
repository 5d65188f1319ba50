internal import Glibc

/// Connections to this machine that nobody waits for.
enum LoopbackSocket {
    /// - Returns: a socket that is being connected; negative: there is none.
    static func connect(to port: Int) -> Int32 {
        let descriptor = socket(
            AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { return -1 }
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
        place.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        let result = unsafe withUnsafePointer(to: &place) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if result == 0 || errno == EINPROGRESS { return descriptor }
        close(descriptor)
        return -1
    }

    /// Sends what can be sent now, and leaves the rest.
    /// - Returns: whether the connection stands, or is being made still.
    static func send(_ unsent: inout ArraySlice<UInt8>, on descriptor: Int32) -> Bool {
        while !unsent.isEmpty {
            let count = unsafe unsent.withUnsafeBytes {
                unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0 { return errno == EAGAIN || errno == EINTR || errno == ENOTCONN }
            unsent = unsent.dropFirst(count)
        }
        return true
    }
}
