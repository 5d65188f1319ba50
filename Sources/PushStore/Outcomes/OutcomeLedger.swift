internal import PushModel

/// Applies outcomes to the messages of one delivery and keeps count, within the caller's transaction.
struct OutcomeLedger {
    private(set) var tally: DeliveryTally
    /// Rows that left `pending` and `retrying`, less those that entered `retrying`.
    private var fromPending = 0
    private var fromRetrying = 0
    /// Accepted messages that had ended before the answer came.
    private var fromCancelled = 0
    private var fromFailed = 0

    private let db: any Session
    private let now: WallTime
    private let sendPending: any Statement
    private let sendRetrying: any Statement
    private let sendEnded: any Statement
    private let change: any Statement

    init(_ delivery: DeliveryID, at now: WallTime, _ db: any Session) throws {
        tally = DeliveryTally(delivery: delivery)
        self.db = db
        self.now = now
        sendPending = try db.statement(HotSQL.sendPending)
        sendRetrying = try db.statement(HotSQL.sendRetrying)
        sendEnded = try db.statement(HotSQL.sendEnded)
        change = try db.statement(HotSQL.change)
        for statement in [sendPending, sendRetrying, sendEnded, change] {
            statement.bind(delivery.rawValue, at: 3)
            statement.bind(now.secondsSince1970, at: 4)
        }
    }

    var changedAnything: Bool { fromPending > 0 || fromRetrying > 0 || fromCancelled > 0 || fromFailed > 0 }

    /// Answers come back nearly in the order of sending, so sorted ids are mostly one run: one statement then changes
    /// thousands of neighbouring rows.
    mutating func accept(_ messages: [MessageID]) throws {
        for run in Self.runs(of: messages) { try accept(run) }
    }

    /// Neighbouring messages.
    struct Run {
        var messages: ClosedRange<MessageID>
        /// How many outcomes it stands for; ids given twice make it more than the range holds.
        var given: Int
    }

    static func runs(of messages: [MessageID]) -> [Run] {
        let sorted = messages.sorted()
        var runs: [Run] = []
        var start = 0
        while start < sorted.count {
            var last = sorted[start]
            var end = start + 1
            while end < sorted.count, sorted[end].rawValue <= last.rawValue + 1 {
                last = sorted[end]
                end += 1
            }
            runs.append(Run(messages: sorted[start]...last, given: end - start))
            start = end
        }
        return runs
    }

    private mutating func accept(_ run: Run) throws {
        let (first, last) = (run.messages.lowerBound.rawValue, run.messages.upperBound.rawValue)
        let range = Int(last - first) + 1
        /// - Returns: how many rows became sent; nothing is asked of the store once the whole range is accounted for.
        func send(_ statement: any Statement, unlessDone done: Int) throws -> Int {
            guard done < range else { return 0 }
            statement.bind(first, at: 1)
            statement.bind(last, at: 2)
            return try statement.change()
        }
        let pending = try send(sendPending, unlessDone: 0)
        let retrying = try send(sendRetrying, unlessDone: pending)
        sendEnded.bind(MessageState.cancelled.rawValue, at: 5)
        let cancelled = try send(sendEnded, unlessDone: pending + retrying)
        sendEnded.bind(MessageState.failed.rawValue, at: 5)
        let failed = try send(sendEnded, unlessDone: pending + retrying + cancelled)
        fromPending += pending
        fromRetrying += retrying
        fromCancelled += cancelled
        fromFailed += failed
        let sent = pending + retrying + cancelled + failed
        tally.sent += sent
        tally.late += run.given - sent
    }

    /// Fails what still waits of a range that was granted: messages in that state, and of retrying ones those that are
    /// due, because one that got its answer meanwhile waits for another day.
    mutating func lose(_ messages: ClosedRange<MessageID>, from state: MessageState, because word: String) throws {
        let failing = try db.statement(HotSQL.failLost)
        failing.bind(messages.lowerBound.rawValue, at: 1)
        failing.bind(messages.upperBound.rawValue, at: 2)
        failing.bind(tally.delivery.rawValue, at: 3)
        failing.bind(now.secondsSince1970, at: 4)
        failing.bind(state.rawValue, at: 5)
        failing.bind(word, at: 6)
        let failed = try failing.change()
        if state == .pending { fromPending += failed } else { fromRetrying += failed }
        tally.failed += failed
    }

    /// - Returns: whether the message changed; where not, the outcome was late.
    mutating func apply(_ record: MessageRecord) throws -> Bool {
        change.bind(record.message.rawValue, at: 1)
        change.bind(record.countsAttempt, at: 6)
        let state = bindChange(record.change)
        change.bind(state.rawValue, at: 5)
        if try changes(from: .pending) {
            fromPending += 1
        } else if try changes(from: .retrying) {
            fromRetrying += 1
        } else if state == .sent, try changes(from: .cancelled) {
            fromCancelled += 1
        } else if state == .sent, try changes(from: .failed) {
            fromFailed += 1
        } else {
            tally.late += 1
            return false
        }
        switch state {
        case .sent: tally.sent += 1
        case .failed: tally.failed += 1
        case .retrying: tally.retrying += 1
        case .cancelled: tally.cancelled += 1
        case .excluded: tally.excluded += 1
        case .pending: break
        }
        return true
    }

    private func changes(from state: MessageState) throws -> Bool {
        change.bind(state.rawValue, at: 2)
        return try change.change() == 1
    }

    /// - Returns: the state that the change leads to.
    private func bindChange(_ what: MessageRecord.Change) -> MessageState {
        func bind(
            due: WallTime? = nil, _ type: FailureType? = nil, _ reason: FailureReason? = nil, _ word: String? = nil,
            providerID: String? = nil
        ) {
            change.bind(due?.secondsSince1970, at: 7)
            change.bind(type?.rawValue, at: 8)
            change.bind(reason?.rawValue, at: 9)
            change.bind(word, at: 10)
            change.bind(providerID, at: 11)
        }
        switch what {
        case .sent(let providerID):
            bind(providerID: providerID)
            return .sent
        case .failed(let type, let reason, let word):
            bind(type, reason, word)
            return .failed
        case .retrying(let due, let type, let reason, let word):
            bind(due: due, type, reason, word)
            return .retrying
        case .cancelled(let reason, let why):
            bind(nil, reason, why)
            return .cancelled
        case .excluded(let reason, let why):
            bind(nil, reason, why)
            return .excluded
        }
    }

    /// The same transaction carries what changed into the delivery's row.
    func writeCounters(_ db: any Session) throws {
        guard changedAnything else { return }
        let counting = try db.statement(HotSQL.countOutcomes)
        let changes = [
            tally.excluded, fromPending, tally.retrying - fromRetrying, tally.sent, tally.failed - fromFailed,
            tally.cancelled - fromCancelled,
        ]
        counting.bind(tally.delivery.rawValue, at: 1)
        for (index, change) in changes.enumerated() { counting.bind(Int64(change), at: Int32(index) + 2) }
        try counting.run()
    }
}
