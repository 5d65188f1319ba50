package import PushModel

/// The status of each message of a part, as runs of neighbours with equal status. A part that was sent in one
/// go is a single run; the worst case is one run for each message.
package struct PartStates: Equatable, Sendable {
    /// Eight bytes: the status, and the index after the run's last message.
    struct Run: Equatable, Sendable {
        let bits: UInt64

        init(_ status: MessageStatus, to end: Int) {
            bits = status.bits << 16 | UInt64(UInt16(truncatingIfNeeded: end))
        }
        var status: MessageStatus { MessageStatus(bits: bits >> 16) }
        var end: Int { Int(bits & 0xFFFF) }
    }

    /// The runs by index, without gaps. Neighbours differ.
    let runs: ContiguousArray<Run>

    init(runs: ContiguousArray<Run>) { self.runs = runs }

    /// Creates the states from stretches in order. A stretch is a number of messages with the same status.
    /// Throws ``PartDamage`` if there are more messages than ``PartLimits/messages``.
    package init(_ stretches: some Sequence<(status: MessageStatus, count: Int)>) throws(PartDamage) {
        try self.init(ContiguousArray(stretches))
    }

    /// Creates the same states as the generic initialiser. Other modules call this one for each part, because
    /// it is faster.
    package init(_ stretches: ContiguousArray<(status: MessageStatus, count: Int)>) throws(PartDamage) {
        var runs = RunList()
        var end = 0
        for (status, count) in stretches where count > 0 {
            guard count <= PartLimits.messages - end else { throw PartDamage(.states, .tooMany) }
            end += count
            runs.append(status, to: end)
        }
        self.runs = runs.runs
    }

    /// Creates the states that a part has after preparation if no recipient is excluded.
    package init(pending count: Int, since: WallTime) throws(PartDamage) {
        try self.init([(status: MessageStatus(.pending, isTried: false, since: since), count: count)])
    }

    package var count: Int { runs.last?.end ?? 0 }
    package var runCount: Int { runs.count }

    /// Returns the status of a message; `nil` if the message does not exist. The time is logarithmic in the
    /// number of runs.
    package func status(at index: Int) -> MessageStatus? {
        guard index >= 0, index < count else { return nil }
        return runs[runIndex(of: index)].status
    }

    /// Returns the index of the run that contains the message. The message must exist.
    func runIndex(of index: Int) -> Int {
        var (low, high) = (0, runs.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].end <= index { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Calls `body` with each stretch of equal status within the range, in order.
    package func forEachRun(in range: Range<Int>, _ body: (Range<Int>, MessageStatus) -> Void) {
        let range = range.clamped(to: 0..<count)
        guard !range.isEmpty else { return }
        var start = range.lowerBound
        var run = runIndex(of: start)
        while start < range.upperBound {
            let end = min(runs[run].end, range.upperBound)
            body(start..<end, runs[run].status)
            start = end
            run += 1
        }
    }

    /// Returns the tally of all states.
    package func tally() -> Tally {
        var tally = Tally()
        forEachRun(in: 0..<count) { tally.add($0.count, to: TallyKey($1)) }
        return tally
    }

    package func counts() -> DeliveryCounts {
        var counts = DeliveryCounts()
        forEachRun(in: 0..<count) { counts.add($0.count, to: $1.state) }
        return counts
    }
}

/// Runs under construction. Equal neighbours are merged.
struct RunList {
    private(set) var runs: ContiguousArray<PartStates.Run> = []

    mutating func reserve(_ capacity: Int) { runs.reserveCapacity(capacity) }

    mutating func append(_ status: MessageStatus, to end: Int) {
        let run = PartStates.Run(status, to: end)
        if let last = runs.last, last.status == status {
            runs[runs.count - 1] = run
        } else {
            runs.append(run)
        }
    }

    /// Appends runs whose neighbours differ. The first of these runs may have the same status as the present
    /// last run.
    mutating func append(contentsOf more: ContiguousArray<PartStates.Run>.SubSequence) {
        guard let first = more.first else { return }
        append(first.status, to: first.end)
        runs.append(contentsOf: more.dropFirst())
    }
}

extension DeliveryCounts {
    /// Adds messages in this state, or subtracts them if `number` is negative. Excluded messages do not count
    /// as targeted.
    mutating func add(_ number: Int, to state: MessageState) {
        switch state {
        case .pending: pending += number
        case .retrying: retrying += number
        case .sent: sent += number
        case .failed: failed += number
        case .cancelled: cancelled += number
        case .excluded:
            excluded += number
            return
        }
        targeted += number
    }
}
