internal import CPushShims
internal import Glibc
internal import PushModel
internal import PushStore
internal import PushSystem
internal import PushWire

/// A client's connection to a ``LocalSocket``: HTTP/1.1, with one request at a time and one deadline for all
/// requests.
struct LocalConnection: ~Copyable {
    /// Maximum size of an answer's head, in bytes.
    private static let maxHeadBytes = 16 << 10
    /// Maximum size of an answer's body, in bytes.
    private static let maxBodyBytes = 256 << 20

    private let socket: Int32
    private let storePath: String
    private var deadline: MonotonicTime
    /// Bytes that were received and not yet consumed.
    private var input: [UInt8] = []

    /// Returns `nil` if no process listens; `errno` then contains the reason.
    init?(to storePath: String, within milliseconds: Int64) {
        deadline = Clocks.monotonic().advanced(byMilliseconds: milliseconds)
        self.storePath = storePath
        socket = unsafe push_unix_connect(
            LocalSocket.path(forStore: storePath), Int32(clamping: milliseconds))
        guard socket >= 0, fcntl(socket, F_SETFL, O_NONBLOCK) == 0 else { return nil }
    }

    deinit { if socket >= 0 { close(socket) } }

    /// Whether the deadline has passed.
    var isLate: Bool { deadline.milliseconds(since: Clocks.monotonic()) <= 0 }

    mutating func extend(to milliseconds: Int64) {
        deadline = Clocks.monotonic().advanced(byMilliseconds: milliseconds)
    }

    /// The id of the process that listens; `nil` if the system does not report it.
    var process: Int32? { peer?.process }

    private var peer: (user: uid_t, process: pid_t)? {
        var (user, process): (uid_t, pid_t) = (0, 0)
        return unsafe push_unix_peer(socket, &user, &process) == 0 ? (user, process) : nil
    }

    /// Whether the other side may receive secrets: it runs as this user, as the store's owner, or as root. If
    /// no master is running, any user who may write to the store's folder could listen there.
    var isTrusted: Bool {
        guard let user = peer?.user else { return false }
        if user == 0 || user == geteuid() { return true }
        var facts = stat()
        return unsafe stat(storePath, &facts) == 0 && facts.st_uid == user
    }

    /// - Parameter fields: Header fields in addition to the fields of every request.
    /// - Returns: Whether the whole request was sent.
    func send(
        _ method: String, _ path: String, _ fields: [(name: String, value: String)] = [], body: [UInt8] = []
    ) -> Bool {
        var head = "\(method) /api/v1\(path) HTTP/1.1\r\nHost: localhost\r\n"
        if method != "GET" { head += "Content-Length: \(body.count)\r\n" }
        if !body.isEmpty { head += "Content-Type: application/json\r\n" }
        for field in fields { head += "\(field.name): \(field.value)\r\n" }
        return send(Array((head + "\r\n").utf8) + body)
    }

    private func send(_ bytes: [UInt8]) -> Bool {
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

    /// Returns the answer to the oldest unanswered request.
    /// - Returns: `nil` if no answer arrived before the deadline or before the connection was closed, or if
    ///   the answer is not HTTP; `errno` then contains the reason.
    mutating func answer() -> ServiceReply? {
        let end = Array("\r\n\r\n".utf8)
        var head: ArraySlice<UInt8>?
        while head == nil {
            if let start = Self.firstIndex(of: end, in: input) {
                head = input[..<start]
            } else {
                guard input.count <= Self.maxHeadBytes, receive() else { return nil }
            }
        }
        guard let head, let (status, length) = Self.read(head), length <= Self.maxBodyBytes else {
            errno = EPROTO
            return nil
        }
        input.removeFirst(head.count + end.count)
        while input.count < length { guard receive() else { return nil } }
        defer { input.removeFirst(length) }
        return ServiceReply(status: status, body: Array(input[..<length]))
    }

    private static func firstIndex(of pattern: [UInt8], in bytes: [UInt8]) -> Int? {
        guard bytes.count >= pattern.count else { return nil }
        return (0...bytes.count - pattern.count).first { bytes[$0...].starts(with: pattern) }
    }

    /// - Returns: The status code and the length of the body; `nil` if the head is not HTTP.
    private static func read(_ head: ArraySlice<UInt8>) -> (status: Int, bodyBytes: Int)? {
        let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else { return nil }
        var length = 0
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == "content-length" else { continue }
            guard let number = Int(parts[1].drop { $0 == " " }), number >= 0 else { return nil }
            length = number
        }
        return (status, length)
    }

    /// - Returns: `false` if nothing arrived before the deadline, or if the other side has closed the
    ///   connection.
    private mutating func receive() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes {
                unsafe Glibc.read(socket, $0.baseAddress, $0.count)
            }
            if count > 0 {
                input += buffer[..<count]
                return true
            }
            if count == 0 {
                errno = EPIPE
                return false
            }
            if errno == EINTR { continue }
            guard errno == EAGAIN, wait(for: POLLIN) else { return false }
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
