internal import Glibc

/// The connections of a ``DatabaseProxy``, as its thread has them.
struct ProxyLines {
    private struct Line {
        let client: Int32
        let server: Int32
        /// What was read and could not be passed on yet; no more is read before.
        var requests: ArraySlice<UInt8> = []
        var answers: ArraySlice<UInt8> = []
        var isOver = false
    }

    private let server: String
    private let listener: Int32
    private let bell: Int32
    private var lines: [Line] = []
    private var polled: [pollfd] = []
    private var chunk = [UInt8](repeating: 0, count: 64 << 10)
    private static let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)

    init(server: String, listener: Int32, bell: Int32) {
        (self.server, self.listener, self.bell) = (server, listener, bell)
    }

    /// Obeys, then waits for something to do and does it.
    mutating func turn(_ wish: DatabaseProxy.Wish) {
        if wish.resets || wish.isOver { endAll() }
        guard !wish.isOver else { return }
        let asks = wish.passage == .open || wish.passage == .unanswered
        let answers = wish.passage == .open
        // Where nobody answers, connections wait to be accepted; a descriptor below 0 is passed over.
        polled = [
            pollfd(fd: bell, events: Int16(POLLIN), revents: 0),
            pollfd(fd: wish.passage == .silent ? -1 : listener, events: Int16(POLLIN), revents: 0),
        ]
        for line in lines {
            polled.append(
                Self.item(
                    line.client, reads: asks && line.requests.isEmpty,
                    writes: answers && !line.answers.isEmpty))
            polled.append(
                Self.item(
                    line.server, reads: answers && line.answers.isEmpty,
                    writes: asks && !line.requests.isEmpty))
        }
        guard unsafe poll(&polled, nfds_t(polled.count), -1) > 0 else { return }
        if polled[0].revents != 0 { _ = unsafe read(bell, &chunk, chunk.count) }
        for place in lines.indices where polled[2 + 2 * place].revents | polled[3 + 2 * place].revents != 0 {
            var line = lines[place]
            if asks { pass(&line.requests, from: line.client, to: line.server, &line.isOver) }
            if answers { pass(&line.answers, from: line.server, to: line.client, &line.isOver) }
            lines[place] = line
        }
        for line in lines where line.isOver { Self.end(line, resets: false) }
        lines.removeAll(where: \.isOver)
        if polled[1].revents != 0 { accept(refusing: wish.passage == .refusing) }
    }

    private static func item(_ descriptor: Int32, reads: Bool, writes: Bool) -> pollfd {
        let events = (reads ? POLLIN : 0) | (writes ? POLLOUT : 0)
        return pollfd(fd: events == 0 ? -1 : descriptor, events: Int16(events), revents: 0)
    }

    /// Nobody waits for it, and no process inherits it.
    static func makePrivate(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    // MARK: Connections

    private mutating func accept(refusing: Bool) {
        while true {
            let client = Glibc.accept(listener, nil, nil)
            guard client >= 0 else { return }
            Self.makePrivate(client)
            let server = refusing ? -1 : connect()
            let line = Line(client: client, server: server)
            if server >= 0 { lines.append(line) } else { Self.end(line, resets: true) }
        }
    }

    /// - Returns: negative: the server is not there.
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

    /// - Parameter resets: the client does not take it for an end in order.
    private static func end(_ line: Line, resets: Bool) {
        var now = linger(l_onoff: 1, l_linger: 0)
        if resets {
            _ = unsafe setsockopt(
                line.client, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
        }
        close(line.client)
        if line.server >= 0 { close(line.server) }
    }

    private mutating func endAll() {
        for line in lines { Self.end(line, resets: true) }
        lines.removeAll()
    }
}
