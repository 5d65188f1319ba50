internal import CSinkShims
internal import Glibc

/// One thread and one epoll descriptor for the sink's listeners, connections, alarms and signals.
///
/// **Promises.** A connection cannot starve other connections, because the length of each turn is limited.
/// `now` is read once per round, before each record of a connection, and before alarms ring. Due alarms take
/// precedence over bytes that have arrived. **Failures.** A fault on a connection ends only that connection;
/// ``SinkCounts`` counts such faults.
final class Reactor {
    private(set) var now = Instant.now
    /// Called about once per second.
    var onSecond: () -> Void = {}
    /// Called when SIGUSR1 has arrived.
    var onReport: () -> Void = {}

    /// Buffers for received bytes and for bytes to be sent. All connections share this pair of buffers,
    /// because there is only one thread.
    let inward = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 128 * 1024)
    let outward = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 128 * 1024)

    private let poll: Int32
    private let signals: Int32
    private var listeners: [Listener] = []
    private var connections: [Int: SinkConnection] = [:]
    private var connectionsSoFar = 0
    private var unfinished: [Int] = []
    private var alarms = DelayLines<Alarm>()
    private var stopped = false
    private var listening = true

    private struct Alarm {
        let connection: Int, ticket: Int32
        /// The time at which the answer that the alarm causes is due; `nil` if the alarm does not cause an
        /// answer.
        var answer: Instant?
    }
    private var punctuality = LatenessCorrection()
    /// The maximum number of alarms that ring before their answers are sent and more bytes are read. If a
    /// client gets a few answers at a time, it continues to send while the next answers are composed. If it
    /// got a thousand answers at the same time, client and gateway would alternately wait for each other.
    private static let alarmsAtOnce = 32

    private enum Tag {
        static let signals = UInt64.max
        static let listener = UInt64.max - 1_000_000
    }

    init() throws(SinkError) {
        poll = push_sink_poll_make()
        signals = push_sink_signals()
        guard poll >= 0, signals >= 0,
            push_sink_poll_watch(poll, signals, Tag.signals, true, false, true) == 0
        else {
            throw SinkError.failed("epoll")
        }
        push_sink_lift_descriptor_limit()
    }

    deinit {
        inward.deallocate()
        outward.deallocate()
        close(poll)
        close(signals)
    }

    func add(_ listener: Listener) {
        _ = push_sink_poll_watch(
            poll, listener.descriptor, Tag.listener + UInt64(listeners.count), true, false, true)
        listeners.append(listener)
    }

    /// Serves until SIGTERM or SIGINT, then ends every connection.
    func run() {
        var ready = [UInt64](repeating: 0, count: 256)
        var lastSecond = now
        while !stopped {
            let count = push_sink_poll_wait(
                poll, &ready, Int32(ready.count), timeout(sinceSecond: lastSecond))
            now = .now
            for index in 0..<Int(count) { handle(ready[index]) }
            resumeUnfinished()
            ringAlarms()
            if now.since(lastSecond) >= .seconds(1) {
                lastSecond = now
                onSecond()
            }
        }
        for connection in connections.values { connection.end() }
        connections.removeAll()
    }

    // MARK: Rounds

    /// Returns the time-out. It is in nanoseconds, because any lateness of an answer with a delay of 20 ms
    /// reduces the number of requests that a connection can send.
    private func timeout(sinceSecond last: Instant) -> UInt64 {
        guard unfinished.isEmpty else { return 0 }
        let second = last + .seconds(1)
        let next = min(alarms.next ?? second, second)
        return next.since(.now).nanoseconds
    }

    private func handle(_ tag: UInt64) {
        if tag == Tag.signals {
            while true {
                switch push_sink_next_signal(signals) {
                case 0: return
                case SIGUSR1: onReport()
                default: stopped = true
                }
            }
        } else if tag >= Tag.listener {
            acceptAll(from: listeners[Int(tag - Tag.listener)])
        } else if let connection = connections[Int(tag)] {
            turn(connection)
        }
    }

    private func resumeUnfinished() {
        guard !unfinished.isEmpty else { return }
        let numbers = unfinished
        unfinished.removeAll(keepingCapacity: true)
        for number in numbers { if let connection = connections[number] { turn(connection) } }
    }

    private func turn(_ connection: SinkConnection) {
        switch connection.turn() {
        case .waits: break
        case .unfinished: unfinished.append(connection.number)
        case .over: remove(connection)
        }
    }

    /// Reports whether an alarm is due and has not rung yet. Reads the clock.
    func isLate() -> Bool {
        now = .now
        return alarms.next.map { $0 <= now } ?? false
    }

    private func ringAlarms() {
        guard isLate() else { return }
        var rang: SinkConnection?
        for _ in 0..<Self.alarmsAtOnce {
            guard let alarm = alarms.take(at: now) else { break }
            guard let connection = connections[alarm.connection] else { continue }
            if let rang, rang !== connection { turn(rang) }
            rang = connection
            if let due = alarm.answer { punctuality.answers(dueAt: due) }
            connection.alarm(alarm.ticket)
        }
        if let rang { turn(rang) }
    }

    // MARK: Connections

    private func acceptAll(from listener: Listener) {
        // The number of new connections per turn is limited, so that many new connections do not delay the
        // open connections.
        for _ in 0..<64 {
            let descriptor = push_sink_accept(listener.descriptor)
            guard descriptor >= 0 else {
                if errno == EMFILE || errno == ENFILE { listen(false) }
                return
            }
            connectionsSoFar += 1
            guard
                let connection = SinkConnection(
                    number: connectionsSoFar, descriptor: descriptor, reactor: self, listener: listener)
            else {
                close(descriptor)
                continue
            }
            connections[connection.number] = connection
            listener.open += 1
            listener.counts.connected(open: listener.open)
            _ = push_sink_poll_watch(poll, descriptor, UInt64(connection.number), true, false, true)
        }
    }

    private func remove(_ connection: SinkConnection) {
        connections[connection.number] = nil
        connection.listener.open -= 1
        connection.end()
        if !listening { listen(true) }
    }

    /// Switches listening on or off. Listening is off while there are no free descriptors, because a listener
    /// that stays readable would wake the loop again and again until a descriptor is free.
    private func listen(_ on: Bool) {
        listening = on
        for (index, listener) in listeners.enumerated() {
            _ = push_sink_poll_watch(
                poll, listener.descriptor, Tag.listener + UInt64(index), on, false, false)
        }
    }

    func watch(_ connection: SinkConnection, read: Bool, write: Bool) {
        _ = push_sink_poll_watch(poll, connection.descriptor, UInt64(connection.number), read, write, false)
    }

    func setAlarm(_ ticket: Int32, for connection: Int, after delay: Instant.Span) {
        alarms.add(Alarm(connection: connection, ticket: ticket), after: delay, at: now)
    }

    /// Sets an alarm so that, on average, its answer is sent after `delay`.
    func setAnswerAlarm(_ ticket: Int32, for connection: Int, after delay: Instant.Span) {
        let alarm = Alarm(connection: connection, ticket: ticket, answer: now + delay)
        alarms.add(alarm, after: delay, at: now - punctuality.lead(of: delay))
    }

    /// Records that the answers that alarms caused have been sent.
    func answersLeft() { punctuality.left(at: .now) }
}
