internal import CPushShims
internal import Glibc
internal import PushModel
internal import PushStore
internal import PushSystem
internal import PushWire

/// One connection to a master's control socket, with one deadline for all that is said on it.
struct ControlCall: ~Copyable {
    private let socket: Int32
    private let storePath: String
    private var deadline: MonotonicTime

    /// nil where nobody listens; errno says why.
    init?(to storePath: String, within milliseconds: Int64) {
        deadline = Clocks.monotonic().advanced(byMilliseconds: milliseconds)
        self.storePath = storePath
        socket = unsafe push_unix_connect(
            ControlSocket.path(besideStore: storePath), Int32(clamping: milliseconds))
        guard socket >= 0, fcntl(socket, F_SETFL, O_NONBLOCK) == 0 else { return nil }
    }

    deinit { if socket >= 0 { close(socket) } }

    /// Whether the deadline is over.
    var isLate: Bool { deadline.milliseconds(since: Clocks.monotonic()) <= 0 }

    mutating func extend(to milliseconds: Int64) {
        deadline = Clocks.monotonic().advanced(byMilliseconds: milliseconds)
    }

    /// Whether the other side may be told secrets: it is of this user, of the store's owner, or of root.
    /// Where no master runs, anybody who may write to the store's folder could listen there.
    var isTrusted: Bool {
        var user: uid_t = 0
        guard unsafe push_unix_peer(socket, &user) == 0 else { return false }
        if user == 0 || user == geteuid() { return true }
        var facts = stat()
        return unsafe stat(storePath, &facts) == 0 && facts.st_uid == user
    }

    /// - Returns: false where not all of it was taken in time.
    func send(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes[sent...].withUnsafeBytes { rest in
                unsafe rest.baseAddress.map { unsafe push_send(socket, $0, rest.count) } ?? 0
            }
            if count >= 0 {
                sent += count
            } else {
                guard errno == EAGAIN, wait(for: POLLOUT) else { return false }
            }
        }
        return true
    }

    /// The next line; nil where none comes in time, or one that means nothing.
    func line() -> ControlAnswer? {
        var line: [UInt8] = []
        // Byte by byte: what follows the line is somebody else's.
        while line.count < ControlAnswer.longestLine, let byte = next(atMost: 1)?.first {
            if byte == UInt8(ascii: "\n") { return ControlAnswer(line: line) }
            line.append(byte)
        }
        return nil
    }

    /// So many bytes; nil where they do not come.
    func bytes(_ count: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        while bytes.count < count {
            guard let more = next(atMost: count - bytes.count), !more.isEmpty else { return nil }
            bytes += more
        }
        return bytes
    }

    /// All that comes until the other side closes; nil where that does not happen in time.
    func rest(atMost limit: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        while let more = next(atMost: 64 << 10) {
            if more.isEmpty { return bytes }
            bytes += more
            guard bytes.count <= limit else {
                errno = EMSGSIZE
                return nil
            }
        }
        return nil
    }

    /// Empty at the end of the stream; nil on failure.
    private func next(atMost limit: Int) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: min(limit, 64 << 10))
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(socket, $0.baseAddress, $0.count) }
            if count >= 0 { return Array(buffer[..<count]) }
            if errno == EINTR { continue }
            guard errno == EAGAIN, wait(for: POLLIN) else { return nil }
        }
    }

    private func wait(for event: Int32) -> Bool {
        var item = pollfd(fd: socket, events: Int16(event), revents: 0)
        while true {
            let left = deadline.milliseconds(since: Clocks.monotonic())
            guard left > 0 else {
                errno = ETIMEDOUT
                return false
            }
            let count = unsafe poll(&item, 1, Int32(clamping: left))
            if count > 0 { return true }
            if count < 0, errno != EINTR { return false }
        }
    }
}
