internal import Glibc
internal import PushModel
internal import PushSystem

/// The order in which processes that share a store write: first come, first served, by a file beside it.
///
/// SQLite's own wait is a poll with naps that grow, so that among many the luckiest wins and some never do.
/// Here whoever wants to write draws a ticket, and locks the byte of that number for as long as it waits and
/// writes; its turn has come when no byte before it is locked. The kernel unlocks what a process leaves when
/// it dies.
///
/// There are two queues. Guests (commands) wait among themselves, and only their first looks at the other, in
/// which the service stands that serves the store: it waits for what the service writes now. The service
/// itself waits for nobody here, only for SQLite's lock, and so for one guest at a time, however many there
/// are.
///
/// A turn is a courtesy: what makes writing safe is SQLite's lock. Who waits in vain goes on without one.
package final class WriteTurns: Sendable {
    package enum Lane: Sendable { case service, guest }

    package struct Turn: Sendable {
        fileprivate var tickets: [Int] = []
    }

    /// Where the bytes of a queue's tickets begin; below lie the numbers drawn last, 8 bytes each.
    private enum Queue: Int { case main = 0x1000_0000_0000_0000, guests = 0x2000_0000_0000_0000 }
    /// The byte that is locked while a ticket is drawn.
    private static let drawing: Int = 0x0FFF_FFFF_FFFF_FFFF

    private let descriptor: Int32
    private let patienceMilliseconds: Int64

    /// nil where the file cannot be had: then everybody writes as SQLite lets them.
    package init?(besideStore path: String, patienceMilliseconds: Int64) {
        descriptor = unsafe open(path + ".turns", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        self.patienceMilliseconds = patienceMilliseconds
        if descriptor < 0 { return nil }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Waits for a turn, which is to be given back after the transaction.
    package func wait(in lane: Lane) -> Turn {
        let deadline = Clocks.monotonic().advanced(byMilliseconds: patienceMilliseconds)
        var turn = Turn()
        switch lane {
        case .service:
            if let ticket = draw(from: .main, until: Clocks.monotonic()) { turn.tickets.append(ticket) }
        case .guest:
            stand(in: .guests, until: deadline, &turn)
            stand(in: .main, until: deadline, &turn)
        }
        return turn
    }

    package func giveBack(_ turn: Turn) {
        for ticket in turn.tickets.reversed() { _ = set(F_UNLCK, at: ticket) }
    }

    private func stand(in queue: Queue, until deadline: MonotonicTime, _ turn: inout Turn) {
        guard let ticket = draw(from: queue, until: deadline) else { return }
        turn.tickets.append(ticket)
        while let first = firstLocked(from: queue.rawValue, to: ticket), Clocks.monotonic() < deadline {
            // Whoever stands far behind looks seldom.
            usleep(
                UInt32(
                    min(max(ticket - first, 1) * Self.shortestNapMicroseconds, Self.longestNapMicroseconds)))
        }
    }
    private static let shortestNapMicroseconds: Int = 200
    private static let longestNapMicroseconds: Int = 5_000

    private func draw(from queue: Queue, until deadline: MonotonicTime) -> Int? {
        while !set(F_WRLCK, at: Self.drawing) {
            guard Clocks.monotonic() < deadline else { return nil }
            usleep(UInt32(Self.shortestNapMicroseconds))
        }
        defer { _ = set(F_UNLCK, at: Self.drawing) }
        let place: Int = queue == .main ? 0 : 8
        var number: Int = 0
        if unsafe pread(descriptor, &number, 8, place) != 8 { number = 0 }
        // A file that was tampered with starts anew.
        number = number < 0 || number > 1 << 56 ? 1 : number + 1
        guard unsafe pwrite(descriptor, &number, 8, place) == 8 else { return nil }
        let ticket = queue.rawValue + number
        return set(F_WRLCK, at: ticket) ? ticket : nil
    }

    // Locks of the open file and not of the process: several stores of one process are as those of several.
    // Their numbers are Linux's own, and Glibc's module does not have them.
    private static let getLock: Int32 = 36
    private static let setLock: Int32 = 37

    private func set(_ type: Int32, at byte: Int) -> Bool {
        var lock = Self.lock(type, from: byte, length: 1)
        return unsafe fcntl(descriptor, Self.setLock, &lock) == 0
    }

    /// A byte in the range that another holds; nil: none.
    private func firstLocked(from start: Int, to end: Int) -> Int? {
        var lock = Self.lock(F_WRLCK, from: start, length: end - start)
        guard unsafe fcntl(descriptor, Self.getLock, &lock) == 0, Int32(lock.l_type) != F_UNLCK else {
            return nil
        }
        return lock.l_start
    }

    private static func lock(_ type: Int32, from start: Int, length: Int) -> flock {
        var lock = flock()
        lock.l_type = Int16(type)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = start
        lock.l_len = length
        return lock
    }
}
