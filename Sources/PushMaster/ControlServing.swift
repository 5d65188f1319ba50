internal import CPushShims
internal import Glibc
internal import Logging
internal import PushModel
internal import PushSystem
internal import PushWire

/// What the thread of a ``ControlServer`` does: one poll(2) over all clients, none of which is ever waited
/// for.
struct ControlServing: ~Copyable {
    /// Without descriptors there is one place, and many may want it.
    private static let clientSecondsInShortage: Int64 = 1
    /// For answers that are there when the service ends.
    private static let lastWordsMilliseconds: Int64 = 500
    private static let complaintSeconds: Int64 = 60

    private struct Client {
        let descriptor: Int32
        var exchange = ControlExchange()
        var deadline: MonotonicTime
        /// The master carries out what it asked, which has limits of its own.
        var ticket: OperationWorkers.Ticket?
        var wantsStatus = false
    }

    private let socket: ControlSocket
    private let mailbox: Mailbox<ControlServer.Mail>
    private let master: MasterHandle
    private let mark: (@Sendable () -> String)?
    private let logger: Logger
    private let clientSeconds: Int64

    private var clients: [UInt64: Client] = [:]
    private var lastClient: UInt64 = 0
    private var spare = SpareDescriptor()
    /// The loop was asked for those that want to know; and until when they wait.
    private var inquiry: (asked: StatusBoard.Inquiry, until: MonotonicTime)?
    private var lastComplaint: MonotonicTime?
    /// By when everything must be over.
    private var end: MonotonicTime?
    private var buffer = [UInt8](repeating: 0, count: 16 << 10)

    init(
        socket: ControlSocket, mailbox: Mailbox<ControlServer.Mail>, master: MasterHandle,
        mark: (@Sendable () -> String)?, logger: Logger, clientSeconds: Int64
    ) {
        self.socket = socket
        self.mailbox = mailbox
        self.master = master
        self.mark = mark
        self.logger = logger
        self.clientSeconds = clientSeconds
    }

    deinit { for client in clients.values { close(client.descriptor) } }

    mutating func run() {
        while !isOver {
            let (isCalled, ready) = waitForSomething()
            for mail in mailbox.take() { handle(mail) }
            if isCalled { acceptClients() }
            for id in ready { serve(id) }
            watchClocks()
        }
    }

    private var isOver: Bool {
        guard let end else { return false }
        return Clocks.monotonic() >= end || clients.isEmpty
    }

    // MARK: Waiting

    private mutating func waitForSomething() -> (isCalled: Bool, clients: [UInt64]) {
        var items = [pollfd(fd: mailbox.descriptor, events: Int16(POLLIN), revents: 0)]
        let hasSpare = spare.keep()
        let listens = end == nil && hasSpare && clients.count < ControlServer.mostClients
        if listens { items.append(pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)) }
        let first = items.count
        let order = Array(clients)
        for (_, client) in order {
            let events =
                (client.exchange.wantsToRead ? POLLIN : 0) | (client.exchange.unwritten.isEmpty ? 0 : POLLOUT)
            items.append(pollfd(fd: client.descriptor, events: Int16(events), revents: 0))
        }
        let count = unsafe poll(&items, nfds_t(items.count), napMilliseconds(hasSpare: hasSpare))
        guard count > 0 else { return (false, []) }
        let ready = order.indices.filter { items[first + $0].revents != 0 }
        return (listens && items[1].revents != 0, ready.map { order[$0].key })
    }

    /// -1: until something comes.
    private func napMilliseconds(hasSpare: Bool) -> Int32 {
        let now = Clocks.monotonic()
        var moments = clients.values.filter { $0.ticket == nil }.map(\.deadline)
        if let inquiry { moments.append(inquiry.until) }
        if let end { moments.append(end) }
        if !hasSpare { moments.append(now.advanced(bySeconds: 1)) }
        guard let moment = moments.min() else { return -1 }
        return Int32(clamping: max(moment.milliseconds(since: now), 0) + 1)
    }

    private mutating func watchClocks() {
        let now = Clocks.monotonic()
        if let inquiry, now >= inquiry.until {
            master.board.withdraw(inquiry.asked)
            tellStatus()
        }
        for (id, client) in clients where client.ticket == nil && now >= client.deadline { drop(id) }
    }

    // MARK: Clients

    private mutating func acceptClients() {
        while clients.count < ControlServer.mostClients {
            do throws(MasterError) {
                guard let client = try socket.accept() else { return }
                admit(client, forSeconds: clientSeconds)
            } catch {
                complain("\(error)")
                spare.giveUp()
                guard let client = try? socket.accept() else { return }
                return admit(client, forSeconds: Self.clientSecondsInShortage)
            }
        }
    }

    private mutating func admit(_ descriptor: Int32, forSeconds seconds: Int64) {
        lastClient += 1
        let deadline = Clocks.monotonic().advanced(bySeconds: seconds)
        clients[lastClient] = Client(descriptor: descriptor, deadline: deadline)
    }

    private mutating func drop(_ id: UInt64) {
        guard let client = clients.removeValue(forKey: id) else { return }
        if let ticket = client.ticket { master.workers.withdraw(ticket) }
        close(client.descriptor)
    }

    private mutating func serve(_ id: UInt64) {
        guard let client = clients[id] else { return }
        if client.exchange.wantsToRead {
            guard read(id, from: client.descriptor) else { return drop(id) }
        } else if client.exchange.unwritten.isEmpty {
            // Nothing was waited for but that it goes.
            return drop(id)
        }
        obey(id)
        write(id)
    }

    /// - Returns: false where it has gone.
    private mutating func read(_ id: UInt64, from descriptor: Int32) -> Bool {
        let count = unsafe buffer.withUnsafeMutableBytes {
            unsafe Glibc.read(descriptor, $0.baseAddress, $0.count)
        }
        if count < 0 { return errno == EAGAIN || errno == EINTR }
        if count == 0 { clients[id]?.exchange.end() }
        clients[id]?.exchange.take(buffer[..<count])
        return true
    }

    private mutating func write(_ id: UInt64) {
        guard let client = clients[id] else { return }
        let bytes = client.exchange.unwritten
        if !bytes.isEmpty {
            let count = unsafe bytes.withUnsafeBytes { bytes in
                unsafe bytes.baseAddress.map { unsafe push_send(client.descriptor, $0, bytes.count) } ?? 0
            }
            if count < 0, errno != EAGAIN { return drop(id) }
            clients[id]?.exchange.wrote(max(count, 0))
        }
        if clients[id]?.exchange.isOver == true { drop(id) }
    }

    // MARK: What they ask

    private mutating func obey(_ id: UInt64) {
        while let order = clients[id]?.exchange.next() {
            switch order {
            case .nudge: master.nudge()
            case .pauseChanged(let delivery): master.pauseChanged(delivery)
            case .status:
                clients[id]?.wantsStatus = true
                askForStatus()
            case .admit(let mark):
                if let refusal = refusal(of: mark) {
                    clients[id]?.exchange.refuse(refusal)
                } else {
                    clients[id]?.exchange.admit()
                }
            case .carryOut(let request): carryOut(request, for: id)
            }
        }
    }

    private func refusal(of mark: String) -> ControlAnswer? {
        guard end == nil, master.workers.isOpen, let own = self.mark,
            mark == ControlRequest.anyMark || mark == own()
        else {
            return .no(why: "this master carries out nothing of that version, store or configuration")
        }
        return master.workers.hasRoom ? nil : .busy
    }

    private mutating func carryOut(_ request: [UInt8], for id: UInt64) {
        let ticket = master.workers.carryOut(request) { [mailbox] in mailbox.send(.answered(id, $0)) }
        if ticket == nil { clients[id]?.exchange.refuse(.busy) }
        clients[id]?.ticket = ticket
    }

    private mutating func askForStatus() {
        guard inquiry == nil else { return }
        if let asked = master.board.ask({ [mailbox] in mailbox.send(.told) }) {
            let until = Clocks.monotonic().advanced(byMilliseconds: StatusBoard.patienceMilliseconds)
            inquiry = (asked, until)
        } else {
            tellStatus()
        }
    }

    /// One answer for all who wait.
    private mutating func tellStatus() {
        inquiry = nil
        let answer = master.latestStatus.json
        for id in clients.keys where clients[id]?.wantsStatus == true {
            clients[id]?.wantsStatus = false
            clients[id]?.exchange.answer(answer)
            write(id)
        }
    }

    private mutating func handle(_ mail: ControlServer.Mail) {
        switch mail {
        case .told:
            // One that was given up may have been told after all.
            if inquiry != nil { tellStatus() }
        case .answered(let id, let answer):
            guard clients[id] != nil else { return }
            clients[id]?.ticket = nil
            clients[id]?.deadline = Clocks.monotonic().advanced(bySeconds: clientSeconds)
            if let answer {
                clients[id]?.exchange.answer(ControlAnswer.answer(bytes: answer.count).line + answer)
            } else {
                clients[id]?.exchange.refuse(.no(why: "the master ends"))
            }
            write(id)
        case .stop:
            end = Clocks.monotonic().advanced(byMilliseconds: Self.lastWordsMilliseconds)
            if inquiry != nil { tellStatus() }
            for (id, client) in clients where client.exchange.unwritten.isEmpty { drop(id) }
        }
    }

    private mutating func complain(_ line: String) {
        let now = Clocks.monotonic()
        if let lastComplaint, now < lastComplaint.advanced(bySeconds: Self.complaintSeconds) { return }
        lastComplaint = now
        logger.error("\(line.printable(atMost: 1_000))")
    }
}
