internal import Glibc

/// A port of this machine's loopback address that is nobody else's while this value lives.
///
/// It is bound and not listened at: a gateway that allows the reuse of addresses can be started there, again
/// and again, and while there is none a connection is refused. Without it the port of a gateway that is down
/// may be given to another testbed's gateway, and its messages go there.
final class ReservedPort: Sendable {
    let number: Int
    private let descriptor: Int32

    init() throws(LoadError) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var (isReusable, address) = (1 as Int32, sockaddr_in())
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let isBound = unsafe withUnsafeMutableBytes(of: &address) { bytes in
            guard let address = unsafe bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else {
                return false
            }
            return unsafe setsockopt(
                descriptor, SOL_SOCKET, SO_REUSEADDR, &isReusable, socklen_t(MemoryLayout<Int32>.size)) == 0
                && bind(descriptor, address, size) == 0 && getsockname(descriptor, address, &size) == 0
        }
        guard isBound else {
            let why = unsafe String(cString: strerror(errno))
            close(descriptor)
            throw LoadError(.system(call: "bind", on: "127.0.0.1", why: why))
        }
        number = Int(UInt16(bigEndian: address.sin_port))
    }

    deinit { close(descriptor) }
}
