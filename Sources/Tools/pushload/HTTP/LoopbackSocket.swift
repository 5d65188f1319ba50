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

    /// - Parameters:
    ///   - options: of the socket, beside SOCK_STREAM and SOCK_CLOEXEC.
    ///   - listens: it takes connections; otherwise another socket may be bound to its port, too.
    /// - Returns: a socket with a port that nobody else has.
    static func bind(
        _ options: __socket_type? = nil, listens: Bool
    ) throws(LoadError) -> (descriptor: Int32, port: Int) {
        let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | (options?.rawValue ?? 0)
        let descriptor = socket(AF_INET, Int32(kind), 0)
        var (isReusable, address) = (Int32(listens ? 0 : 1), sockaddr_in())
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = unsafe withUnsafeMutableBytes(of: &address) { bytes in
            guard let address = unsafe bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else {
                return false
            }
            return unsafe setsockopt(
                descriptor, SOL_SOCKET, SO_REUSEADDR, &isReusable, socklen_t(MemoryLayout<Int32>.size)) == 0
                && Glibc.bind(descriptor, address, size) == 0 && (!listens || listen(descriptor, 1_024) == 0)
                && getsockname(descriptor, address, &size) == 0
        }
        guard isBound else {
            defer { close(descriptor) }
            throw LoadError.system("bind", on: "127.0.0.1")
        }
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
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

/// A port of this machine's loopback address that is nobody else's while this value lives.
///
/// It is bound and not listened at: a gateway that allows the reuse of addresses can be started there, again
/// and again, and while there is none a connection is refused. Without it the port of a gateway that is down
/// may be given to another testbed's gateway, and its messages go there.
final class ReservedPort: Sendable {
    let number: Int
    private let descriptor: Int32

    init() throws(LoadError) { (descriptor, number) = try LoopbackSocket.bind(listens: false) }

    deinit { close(descriptor) }
}
