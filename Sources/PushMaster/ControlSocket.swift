internal import CPushShims
internal import Glibc
internal import PushStore

/// Where other processes of this machine reach a running master: a Unix socket beside the store, mode 0600.
///
/// One line in (``Request``), for `status` one line of JSON out, then the connection closes.
package final class ControlSocket {
    package enum Request: String {
        /// Somebody changed the store: look for work.
        case nudge
        case status
    }

    package let descriptor: Int32
    private let path: String
    private let file: FileIdentity?
    /// Given up for the moment when no other descriptor is free: who asks then has an answer, and does not wait in a
    /// queue that wakes the loop for ever.
    private var spare: Int32 = -1

    package static func path(besideStore storePath: String) -> String { storePath + ".control" }

    package init(besideStore storePath: String) throws(MasterError) {
        // Assigned last: a class that throws with all its properties set is deinitialised, and would unlink.
        let path = Self.path(besideStore: storePath)
        let listener = unsafe push_unix_listen(path)
        guard listener >= 0 else { throw .system(what: "listen on", path: path, errorNumber: errno) }
        self.path = path
        file = FileIdentity.look(at: path).identity
        descriptor = listener
        keepSpare()
    }

    deinit {
        // By then another store may have come to this name, and its master's socket.
        if let file, FileIdentity.look(at: path).identity == file { unsafe unlink(path) }
        if spare >= 0 { close(spare) }
        close(descriptor)
    }

    private func keepSpare() {
        if spare < 0 { spare = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC) }
    }

    /// Whether there is a use in waiting for clients: without a descriptor none can be accepted.
    package var canServe: Bool {
        keepSpare()
        return spare >= 0
    }

    /// Serves who waits. A client that is not quick is turned away: it is on this machine, and the loop is one thread.
    /// - Returns: that descriptors are short, where they are.
    @discardableResult
    package func serve(_ answer: (Request) -> [UInt8]) -> MasterError? {
        var trouble: MasterError?
        for _ in 0..<8 {
            var client = accept(descriptor, nil, nil)
            if client < 0, SystemErrorText.isShortage(errno) {
                trouble = .system(what: "accept a connection on", path: path, errorNumber: errno)
                if spare >= 0 { close(spare) }
                spare = -1
                client = accept(descriptor, nil, nil)
            }
            guard client >= 0 else { break }
            defer { close(client) }
            Self.limit(client, milliseconds: 100)
            guard let request = Self.readRequest(client) else { continue }
            Self.writeAll(answer(request), to: client)
        }
        keepSpare()
        return trouble
    }

    private static func readRequest(_ client: Int32) -> Request? {
        var line: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 32)
        while line.count < 32, !line.contains(UInt8(ascii: "\n")) {
            let count = unsafe read(client, &buffer, buffer.count)
            guard count > 0 else { break }
            line += buffer[..<count]
        }
        return Request(rawValue: String(decoding: line.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }

    /// Time-outs in both directions, so that nobody can hold the other end up.
    static func limit(_ socket: Int32, milliseconds: Int) {
        var time = timeval(tv_sec: milliseconds / 1_000, tv_usec: milliseconds % 1_000 * 1_000)
        let size = socklen_t(MemoryLayout<timeval>.size)
        unsafe setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time, size)
        unsafe setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &time, size)
    }

    static func writeAll(_ bytes: [UInt8], to socket: Int32) {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes[written...].withUnsafeBytes { rest -> Int in
                guard let base = rest.baseAddress else { return 0 }
                return unsafe push_send(socket, base, rest.count)
            }
            guard count > 0 else { return }
            written += count
        }
    }
}
