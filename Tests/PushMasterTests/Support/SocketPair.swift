import CPushShims
import Glibc
import Testing

/// A link whose other end is as simple as possible.
final class SocketPair {
    let ours: Int32
    private(set) var theirs: Int32

    /// - Parameter buffers: The size of the kernel's buffers, in bytes. The kernel rounds small numbers up.
    init(buffers: Int32? = nil) throws {
        var pair: [Int32] = [-1, -1]
        try #require(unsafe push_socketpair(&pair) == 0)
        (ours, theirs) = (pair[0], pair[1])
        guard var buffers else { return }
        for descriptor in pair {
            unsafe setsockopt(
                descriptor, SOL_SOCKET, SO_SNDBUF, &buffers, socklen_t(MemoryLayout<Int32>.size))
        }
    }

    deinit {
        close(ours)
        closeTheirs()
    }

    func closeTheirs() {
        if theirs >= 0 { close(theirs) }
        theirs = -1
    }

    /// Returns the number of bytes that the kernel accepts in one step from the other end.
    @discardableResult
    func write(_ bytes: some Collection<UInt8>) -> Int {
        unsafe Array(bytes).withUnsafeBytes { unsafe push_send(theirs, $0.baseAddress!, $0.count) }
    }

    /// Returns the bytes that have arrived at the other end, up to the limit.
    func read(atMost limit: Int = 64 << 10) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: limit)
        let count = unsafe Glibc.read(theirs, &buffer, limit)
        return Array(buffer.prefix(max(count, 0)))
    }
}
