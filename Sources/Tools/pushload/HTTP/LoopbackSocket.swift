internal import Glibc

/// Non-blocking connections to this machine.
enum LoopbackSocket {
    /// - Returns: The descriptor of a socket that is being connected; a negative number if no socket could be
    ///   created or connected.
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
    ///   - options: Options of the socket, in addition to SOCK_STREAM and SOCK_CLOEXEC.
    ///   - listens: Whether the socket accepts connections. If not, another socket can be bound to the same
    ///     port, too.
    /// - Returns: A socket that is bound to its own port.
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

    /// Sends the bytes that can be sent now and keeps the rest.
    /// - Returns: Whether the connection is open or is still being established.
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

/// A loopback port that is reserved as long as this object exists.
///
/// The port is bound but does not listen. A gateway that allows address reuse can be started on it
/// repeatedly, and while no gateway is running, connections are refused. Without the reservation, the system
/// could assign the port of a stopped gateway to another testbed's gateway, which would then get the engine's
/// messages.
final class ReservedPort: Sendable {
    let number: Int
    private let descriptor: Int32

    init() throws(LoadError) { (descriptor, number) = try LoopbackSocket.bind(listens: false) }

    deinit { close(descriptor) }
}
