internal import Dispatch
internal import Glibc
internal import Synchronization

/// The network between one host and the database server, which a scenario can cut. A dedicated thread
/// forwards connections from a loopback port to the server's Unix socket.
///
/// **Promises.** While the network is cut, no byte passes. Bytes that were on their way arrive when the
/// network is restored, as in a real network, unless the connections are reset. Neither end is notified of a
/// cut: the bytes that an end sends are acknowledged, and wait in the proxy.
package final class DatabaseProxy: Sendable {
    package enum ForwardingMode: String, Sendable, CaseIterable {
        case open
        /// No byte passes, and a client that connects receives nothing.
        case silent
        /// Requests arrive, but no answers come back.
        case unanswered
        /// No byte passes, and new connections are refused.
        case refusing
    }

    package let port: Int
    private let desired = Mutex(DesiredState())
    private let hasEnded = DispatchSemaphore(value: 0)

    struct DesiredState {
        var mode = ForwardingMode.open
        var resets = false
        var isOver = false
    }

    /// - Parameter server: The path of the server's socket.
    package init(to server: String) throws(LoadError) {
        let listener: Int32
        (listener, port) = try LoopbackSocket.bind(SOCK_NONBLOCK, listens: true)
        DispatchQueue(label: "database proxy").async { [self] in
            var lines = ProxyLines(server: server, listener: listener)
            while true {
                let change = desired.withLock { desired in
                    defer { desired.resets = false }
                    return desired
                }
                if change.resets || change.isOver { lines.endAll() }
                if change.isOver { break }
                lines.turn(change.mode)
            }
            close(listener)
            hasEnded.signal()
        }
    }

    /// - Parameter resetsConnections: Whether the existing connections are closed on both sides. If not, they
    ///   continue where they stopped as soon as the mode permits.
    package func set(_ mode: ForwardingMode, resetsConnections: Bool = false) {
        desired.withLock { desired in
            desired.mode = mode
            desired.resets = desired.resets || resetsConnections
        }
    }

    /// Closes all connections and ends the thread. Must be called only once.
    package func end() {
        desired.withLock { $0.isOver = true }
        hasEnded.wait()
    }
}

/// The connections of a ``DatabaseProxy``, owned by its thread.
private struct ProxyLines {
    private struct Line {
        let client: Int32
        let server: Int32
        /// Bytes that were read but not yet forwarded. No further bytes are read until these are forwarded.
        var requests: ArraySlice<UInt8> = []
        var answers: ArraySlice<UInt8> = []
        var isOver = false
    }

    /// The maximum time until a new setting takes effect if there is no traffic.
    private static let napMilliseconds: Int32 = 5
    private static let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)

    let server: String
    let listener: Int32
    private var lines: [Line] = []
    private var chunk = [UInt8](repeating: 0, count: 64 << 10)

    init(server: String, listener: Int32) { (self.server, self.listener) = (server, listener) }

    /// Waits briefly for events and handles them.
    mutating func turn(_ mode: DatabaseProxy.ForwardingMode) {
        let asks = mode == .open || mode == .unanswered
        let answers = mode == .open
        // While the network is silent, new connections wait to be accepted. poll ignores descriptors below 0.
        var polled = [Self.item(listener, reads: mode != .silent, writes: false)]
        for line in lines {
            polled += [
                Self.item(
                    line.client, reads: asks && line.requests.isEmpty,
                    writes: answers && !line.answers.isEmpty),
                Self.item(
                    line.server, reads: answers && line.answers.isEmpty,
                    writes: asks && !line.requests.isEmpty),
            ]
        }
        guard unsafe poll(&polled, nfds_t(polled.count), Self.napMilliseconds) > 0 else { return }
        for place in lines.indices where polled[1 + 2 * place].revents | polled[2 + 2 * place].revents != 0 {
            var line = lines[place]
            if asks { pass(&line.requests, from: line.client, to: line.server, &line.isOver) }
            if answers { pass(&line.answers, from: line.server, to: line.client, &line.isOver) }
            lines[place] = line
        }
        for line in lines where line.isOver { Self.end(line, resets: false) }
        lines.removeAll(where: \.isOver)
        if polled[0].revents != 0 { accept(refusing: mode == .refusing) }
    }

    private static func item(_ descriptor: Int32, reads: Bool, writes: Bool) -> pollfd {
        let events = (reads ? POLLIN : 0) | (writes ? POLLOUT : 0)
        return pollfd(fd: events == 0 ? -1 : descriptor, events: Int16(events), revents: 0)
    }

    private mutating func accept(refusing: Bool) {
        while true {
            let client = Glibc.accept(listener, nil, nil)
            guard client >= 0 else { return }
            _ = fcntl(client, F_SETFL, fcntl(client, F_GETFL) | O_NONBLOCK)
            _ = fcntl(client, F_SETFD, FD_CLOEXEC)
            let line = Line(client: client, server: refusing ? -1 : connect())
            if line.server >= 0 { lines.append(line) } else { Self.end(line, resets: true) }
        }
    }

    /// - Returns: A negative number if the server does not accept connections.
    private func connect() -> Int32 {
        let descriptor = socket(AF_UNIX, Self.kind, 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = Array(server.utf8)
        let isConnected = unsafe withUnsafeMutableBytes(of: &address) { bytes in
            let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
            guard start + path.count < bytes.count else { return false }
            for (place, byte) in path.enumerated() { unsafe bytes[start + place] = byte }
            guard let address = unsafe bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else {
                return false
            }
            return unsafe Glibc.connect(descriptor, address, socklen_t(bytes.count)) == 0
        }
        if isConnected { return descriptor }
        close(descriptor)
        return -1
    }

    private mutating func pass(
        _ unsent: inout ArraySlice<UInt8>, from source: Int32, to target: Int32, _ isOver: inout Bool
    ) {
        if unsent.isEmpty {
            let count = unsafe read(source, &chunk, chunk.count)
            if count > 0 { unsent = chunk[..<count] }
            let mayComeAgain = count < 0 && (errno == EAGAIN || errno == EINTR)
            if count == 0 || count < 0 && !mayComeAgain { isOver = true }
        }
        if !LoopbackSocket.send(&unsent, on: target) { isOver = true }
    }

    /// - Parameter resets: Whether the client's connection is reset instead of being closed in an orderly
    ///   way.
    private static func end(_ line: Line, resets: Bool) {
        var now = linger(l_onoff: 1, l_linger: 0)
        if resets {
            let size = socklen_t(MemoryLayout<linger>.size)
            _ = unsafe setsockopt(line.client, SOL_SOCKET, SO_LINGER, &now, size)
        }
        close(line.client)
        if line.server >= 0 { close(line.server) }
    }

    mutating func endAll() {
        for line in lines { Self.end(line, resets: true) }
        lines.removeAll()
    }
}
