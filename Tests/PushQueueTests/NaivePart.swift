import PushModel
import PushQueue

/// The rules for a part in their simplest form: one record for each message, and a loop for each operation.
/// The real part must give the same results.
struct NaivePart {
    struct Message: Equatable {
        var state = MessageState.pending
        var cause = CauseCode.none
        var since: WallTime
        var attempts = 0
        var due: WallTime?
        var providerID: String?

        var isWaiting: Bool { state == .pending || state == .retrying }
    }

    var messages: [Message]
    var generation: Int64 = 1
    var deadline: WallTime

    init(_ states: PartStates, deadline: WallTime) {
        messages = (0..<states.count).compactMap(states.status).map {
            Message(state: $0.state, cause: $0.cause, since: $0.since)
        }
        self.deadline = deadline
    }

    var waiting: Int { messages.count(where: \.isWaiting) }
    var nextDue: WallTime? { messages.compactMap(\.due).min() }

    private mutating func set(_ index: Int, _ state: MessageState, _ cause: CauseCode, at now: WallTime) {
        messages[index].state = state
        messages[index].cause = cause
        messages[index].since = now
        messages[index].due = nil
    }

    /// - Returns: The number of outcomes that changed nothing.
    mutating func apply(_ outcomes: PartOutcomes, at now: WallTime, under generation: Int64) -> Int {
        var late = 0
        for index in outcomes.accepted where !accept(index, at: now) { late += 1 }
        for outcome in outcomes.others where !apply(outcome, at: now, under: generation) { late += 1 }
        return late
    }

    private mutating func accept(_ index: Int, at now: WallTime) -> Bool {
        guard messages.indices.contains(index), messages[index].state != .sent else { return false }
        set(index, .sent, .none, at: now)
        messages[index].attempts += 1
        return true
    }

    private mutating func apply(_ outcome: PartOutcome, at now: WallTime, under generation: Int64) -> Bool {
        let index = outcome.index
        if case .sent(let id) = outcome.change {
            guard accept(index, at: now) else { return false }
            if let id { messages[index].providerID = id }
            return true
        }
        guard messages.indices.contains(index), messages[index].isWaiting, generation == self.generation
        else {
            return false
        }
        if let before = outcome.attemptsBefore, before != messages[index].attempts { return false }
        if outcome.countsAttempt { messages[index].attempts += 1 }
        switch outcome.change {
        case .sent: break
        case .failed(let cause): set(index, .failed, cause, at: now)
        case .cancelled(let cause): set(index, .cancelled, cause, at: now)
        case .excluded(let cause): set(index, .excluded, cause, at: now)
        case .retrying(let due, let cause):
            set(index, .retrying, cause, at: now)
            messages[index].due = due
        }
        return true
    }

    mutating func expire(at now: WallTime) {
        guard deadline <= now else { return }
        for index in messages.indices {
            switch messages[index].state {
            case .pending: set(index, .cancelled, .expired, at: now)
            case .retrying: set(index, .failed, messages[index].cause, at: now)
            default: break
            }
        }
    }

    mutating func stop(at now: WallTime) {
        for index in messages.indices {
            switch messages[index].state {
            case .pending: set(index, .cancelled, .stopped, at: now)
            case .retrying: set(index, .failed, messages[index].cause, at: now)
            default: break
            }
        }
    }

    mutating func lose(_ lost: [Int], as state: MessageState, at now: WallTime, under generation: Int64) {
        guard generation == self.generation else { return }
        for index in lost where messages.indices.contains(index) && messages[index].state == state {
            if let due = messages[index].due, due > now { continue }
            set(index, .failed, .childLost, at: now)
        }
    }

    mutating func reopen(_ chosen: [Int], at now: WallTime, deadline newDeadline: WallTime) {
        let wasOpen = waiting > 0
        var count = 0
        for index in chosen where messages.indices.contains(index) && messages[index].state == .failed {
            set(index, .retrying, messages[index].cause, at: now)
            messages[index].due = now
            count += 1
        }
        if count > 0 { deadline = wasOpen ? max(deadline, newDeadline) : newDeadline }
    }

    mutating func move(_ step: ClockStepBack) {
        for index in messages.indices {
            guard let due = messages[index].due, due > step.now else { continue }
            let since = messages[index].since
            let back = max(since >= step.recordedSince ? step.seconds : 0, since.seconds(since: step.now))
            guard back > 0 else { continue }
            messages[index].due = due.advanced(bySeconds: -back)
            messages[index].since = since.advanced(bySeconds: -back)
        }
    }

    func due(at now: WallTime) -> [Int] {
        messages.indices.filter { messages[$0].due.map { $0 <= now } ?? false }
    }

    /// Returns a difference between this part and the real part; `nil` if there is none.
    func complaint(about part: PartProgress, _ notes: PartNotes) -> String? {
        guard part.states.count == messages.count else { return "\(part.states.count) messages" }
        guard part.waiting == waiting, part.isOpen == (waiting > 0) else { return "waiting \(part.waiting)" }
        guard part.nextDue == nextDue else { return "next due \(String(describing: part.nextDue))" }
        guard part.deadline == deadline, part.generation == generation else {
            return "deadline or generation"
        }
        var complaint: String?
        part.states.forEachRun(in: 0..<messages.count) { range, status in
            for index in range where complaint == nil {
                let (message, note) = (messages[index], notes[index])
                let isSame =
                    status.state == message.state && status.cause == message.cause
                    && status.since == message.since
                    && max(note?.attempts ?? 0, status.isTried ? 1 : 0) == message.attempts
                    && (message.state != .retrying || (note?.due ?? status.since) == message.due)
                    && note?.providerID == message.providerID
                if !isSame {
                    complaint = "message \(index): \(message) is \(status), \(String(describing: note))"
                }
            }
        }
        return complaint
    }
}
