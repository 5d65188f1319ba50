internal import Glibc
internal import PushModel
internal import PushSystem

/// The order in which processes that share a store write: first come, first served, by means of a file next
/// to the store.
///
/// SQLite's own wait is a poll with increasing pauses, so that among many processes the luckiest one wins and
/// some never do. With this type, a process that wants to write draws a ticket, and locks the byte with that
/// number while it waits and writes. The process is next when no byte before its own is locked. When a
/// process dies, the kernel releases its locks.
///
/// There are two queues: one for commands, which are called guests here, and one for the service that serves
/// the store. Commands wait for each other, and only the first command in the queue also waits for the
/// service's current write. The service itself draws a ticket but does not wait for its turn. It waits only
/// for SQLite's lock, and therefore for at most one command, regardless of the number of commands.
///
/// Turns are voluntary: writes are safe because of SQLite's lock. A process that does not get its turn in
/// time continues without it.
package final class WriteTurns: Sendable {
    package enum Lane: Sendable { case service, guest }

    package struct Turn: Sendable {
        fileprivate var tickets: [Int] = []
    }

    /// The offset at which the bytes of a queue's tickets begin. The file's first 16 bytes contain the number
    /// that was drawn last in each queue.
    private enum Queue: Int { case main = 0x1000_0000_0000_0000, guests = 0x2000_0000_0000_0000 }
    /// The byte that is locked while a ticket is drawn.
    private static let drawing: Int = 0x0FFF_FFFF_FFFF_FFFF

    private let descriptor: Int32
    private let patienceMilliseconds: Int64

    /// Returns `nil` if the file cannot be opened. In this case all processes write in the order in which
    /// SQLite lets them.
    package init?(forStore path: String, patienceMilliseconds: Int64) {
        descriptor = unsafe open(path + ".turns", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        self.patienceMilliseconds = patienceMilliseconds
        if descriptor < 0 { return nil }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Waits for a turn. The caller must give it back after the transaction.
    package func wait(in lane: Lane) -> Turn {
        let deadline = Clocks.monotonic().advanced(byMilliseconds: patienceMilliseconds)
        var turn = Turn()
        switch lane {
        case .service:
            if let ticket = draw(from: .main, until: Clocks.monotonic()) { turn.tickets.append(ticket) }
        case .guest:
            enqueue(in: .guests, until: deadline, &turn)
            enqueue(in: .main, until: deadline, &turn)
        }
        return turn
    }

    package func giveBack(_ turn: Turn) {
        for ticket in turn.tickets.reversed() { _ = set(F_UNLCK, at: ticket) }
    }

    private func enqueue(in queue: Queue, until deadline: MonotonicTime, _ turn: inout Turn) {
        guard let ticket = draw(from: queue, until: deadline) else { return }
        turn.tickets.append(ticket)
        while let first = firstLocked(from: queue.rawValue, to: ticket), Clocks.monotonic() < deadline {
            // A process far back in the queue looks less often.
            usleep(
                UInt32(
                    min(max(ticket - first, 1) * Self.minSleepMicroseconds, Self.maxSleepMicroseconds)))
        }
    }
    private static let minSleepMicroseconds: Int = 200
    private static let maxSleepMicroseconds: Int = 5_000

    private func draw(from queue: Queue, until deadline: MonotonicTime) -> Int? {
        while !set(F_WRLCK, at: Self.drawing) {
            guard Clocks.monotonic() < deadline else { return nil }
            usleep(UInt32(Self.minSleepMicroseconds))
        }
        defer { _ = set(F_UNLCK, at: Self.drawing) }
        let place: Int = queue == .main ? 0 : 8
        var number: Int = 0
        if unsafe pread(descriptor, &number, 8, place) != 8 { number = 0 }
        // If the file was tampered with, the numbers start again at 1.
        number = number < 0 || number > 1 << 56 ? 1 : number + 1
        guard unsafe pwrite(descriptor, &number, 8, place) == 8 else { return nil }
        let ticket = queue.rawValue + number
        return set(F_WRLCK, at: ticket) ? ticket : nil
    }

    // Locks belong to the open file and not to the process, so several stores of one process behave like
    // those of several processes. These command numbers are specific to Linux, and Glibc's module does not
    // contain them.
    private static let getLock: Int32 = 36
    private static let setLock: Int32 = 37

    private func set(_ type: Int32, at byte: Int) -> Bool {
        var lock = Self.lock(type, from: byte, length: 1)
        return unsafe fcntl(descriptor, Self.setLock, &lock) == 0
    }

    /// Returns the first byte in the range that is locked elsewhere; `nil` if there is none.
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
