package import PushModel

/// Decides which units are written next, and what happens to units that could not be written. This type is
/// pure; the thread of ``WriteService`` obeys it.
///
/// **Promises.** Every admitted unit gets one result: committed, refused, set aside or unknown. Classes are
/// served in their order, but each waiting class gets at least a tenth of the writer's time, measured over a
/// second. While the store cannot be written, units whose caller waits are refused. A group has at most
/// ``maximumRows``, unless a single unit has more. A group that fails permanently is halved until the unit
/// that cannot be written is alone, so the others are neither delayed by it nor lost with it. If units of a
/// third delivery fail in this way within a minute, and nothing of any other delivery was committed in
/// between, the store itself counts as damaged: everything waits, and the waiting units are tried in turn.
package struct WriteQueue: Sendable {
    /// The maximum number of rows that one group may change: 5 000 including bookkeeping.
    package static let maximumRows = OutcomeWriter.maximumRows
    /// The maximum time that a group may take before it is committed as it is.
    package static let maximumGroupMilliseconds: Int64 = 50
    /// Rules for collecting outcomes. Outcomes arrive a few at a time, and a commit costs as much as several
    /// hundred outcomes. If nothing else waits and a group ended less than `milliseconds` ago, outcomes wait
    /// for more outcomes. They wait for at most `milliseconds`, and only until they amount to `rows` rows.
    /// Reports that devices send during a delivery wait together with outcomes. Otherwise, two thousand
    /// commits per second for the same number of reports would reduce the sending rate by a third.
    package struct BatchingPolicy: Equatable, Sendable {
        package var milliseconds: Int64
        /// The time to wait instead if a third of ``rows`` has been collected by then. The rest follows soon,
        /// and at full speed this halves the number of commits.
        package var millisecondsIfMany: Int64
        package var rows: Int
        /// Whether chunks are prepared while outcomes wait. If not, the outcomes are written immediately,
        /// before the chunks.
        package var preparesMeanwhile: Bool

        package static let inAFile = BatchingPolicy(
            milliseconds: 3, millisecondsIfMany: 8, rows: 4_000, preparesMeanwhile: false)
        /// A commit on a server costs ten times as much.
        package static let byAServer = BatchingPolicy(
            milliseconds: 40, millisecondsIfMany: 40, rows: 4_000, preparesMeanwhile: true)

        /// Returns the rules for children with this capacity for messages. If more than a quarter of a
        /// child's capacity were uncommitted, a child that sends fast would run out of credit.
        package func within(capacity: Int) -> BatchingPolicy {
            var batching = self
            batching.rows = max(1, min(rows, capacity / 4))
            return batching
        }
    }
    /// The pause after a problem that passes by itself, in seconds.
    static let restSeconds: Int64 = 1
    /// The maximum number of deliveries whose units may be set aside within ``setAsideSeconds``. One more
    /// means that the store itself has a problem. A commit for another delivery proves that the store is
    /// sound, and the count starts again.
    static let maxSetAside = 2
    static let setAsideSeconds: Int64 = 60
    /// The maximum number of attempts without a pause.
    static let maxTriesAtOnce = 3

    package struct Unit: Equatable, Sendable {
        package var id: UInt64
        package var kind: WriteClass
        package var rows: Int
        /// Whether the unit is written together with other units of its kind, before everything else in its
        /// group.
        package var merges: Bool
        /// The delivery whose rows the unit changes, if it belongs to one.
        package var delivery: DeliveryID?
        var submitted: MonotonicTime

        package init(
            id: UInt64, kind: WriteClass, rows: Int, merges: Bool = false, delivery: DeliveryID? = nil,
            submitted: MonotonicTime
        ) {
            self.id = id
            self.kind = kind
            self.rows = rows
            self.merges = merges
            self.delivery = delivery
            self.submitted = submitted
        }
    }

    package enum Next: Equatable, Sendable {
        /// Write these units in this order, in one transaction, and report the result.
        case run([Unit])
        /// Do nothing until this time; `nil` means until a unit is added.
        case rest(until: MonotonicTime?)
    }

    package enum End: Sendable {
        /// The given number of units, counted from the first of the group, are on disk. The other units were
        /// not tried.
        case committed(units: Int)
        /// No unit of the group is on disk.
        case failed(WriteRemedy, delivery: DeliveryID?)
        /// It is unknown whether the group is on disk, and there is no time left to find out.
        case unknown
    }

    package enum Action: Equatable, Sendable {
        case committed(Unit)
        case refused(Unit)
        case setAside(Unit, DeliveryID?)
        /// The unit must not be written again, because it may have been committed.
        case unknown(Unit)
        /// Everything waits, and this has not been reported yet.
        case failure
        case recovered
    }

    private var waiting: [[Unit]] = WriteClass.allCases.map { _ in [] }
    /// Groups of units. One of the groups contains a unit that cannot be written.
    private var suspects: [[Unit]] = []
    private var running: [Unit] = []
    /// The times at which the last group, and the last group with outcomes, ended.
    private var lastEnd: MonotonicTime?
    private var lastEndOfOutcomes: MonotonicTime?
    private var runsSuspects = false
    /// The time that each class is owed, in nanoseconds: a tenth of the time during which it waits, less the
    /// time that it gets.
    private var owed = WriteClass.allCases.map { _ in Int64(0) }
    private var restsUntil: MonotonicTime?
    private var triesAtOnce = 0
    private var recentlySetAside: [(delivery: DeliveryID, at: MonotonicTime)] = []
    package private(set) var isFailing = false

    private let batching: BatchingPolicy

    package init(batching: BatchingPolicy = .inAFile) { self.batching = batching }

    /// The waiting units of each class, not including those that are being written.
    package var waitingClasses: [WriteFigures.Class] {
        WriteClass.allCases.map { kind in
            var figures = WriteFigures.Class(name: kind.name)
            figures.waiting = waiting[kind.rawValue].count
            figures.oldest = waiting[kind.rawValue].first?.submitted
            return figures
        }
    }

    package var isEmpty: Bool { running.isEmpty && suspects.isEmpty && waiting.allSatisfy(\.isEmpty) }

    /// - Returns: `false` if the unit is refused because too many units of its class are waiting, or because
    ///   the oldest of them has waited too long.
    package mutating func add(_ unit: Unit) -> Bool {
        let kind = unit.kind.rawValue
        if let most = unit.kind.maximumWaiting {
            let age = waiting[kind].first.map { unit.submitted.milliseconds(since: $0.submitted) } ?? 0
            guard waiting[kind].count < most, age <= WriteClass.maximumAgeMilliseconds else { return false }
        }
        waiting[kind].append(unit)
        return true
    }

    /// Removes all units of these classes that the writer has not begun.
    package mutating func drop(_ kinds: Set<WriteClass>) -> [Unit] {
        var dropped: [Unit] = []
        for kind in kinds.sorted() {
            dropped += waiting[kind.rawValue]
            waiting[kind.rawValue] = []
        }
        dropped += suspects.joined().filter { kinds.contains($0.kind) }
        suspects = suspects.map { $0.filter { !kinds.contains($0.kind) } }.filter { !$0.isEmpty }
        return dropped
    }

    // MARK: What is next

    package mutating func next(at now: MonotonicTime) -> Next {
        if let restsUntil, now < restsUntil { return .rest(until: restsUntil) }
        restsUntil = nil
        if !suspects.isEmpty {
            running = suspects.removeFirst()
            runsSuspects = true
            return .run(running)
        }
        guard var leader else { return .rest(until: nil) }
        if let gatheringEnds, now < gatheringEnds {
            let isToPrepare = !waiting[WriteClass.preparation.rawValue].isEmpty
            guard batching.preparesMeanwhile, isToPrepare else { return .rest(until: gatheringEnds) }
            leader = .preparation
        }
        runsSuspects = false
        running = takeGroup(ledBy: leader)
        return .run(running)
    }

    private static let quantum: Int64 = 5_000_000

    /// The end of the waiting time; `nil` if the waiting units need not wait any longer, or if other units
    /// must not wait for them.
    private var gatheringEnds: MonotonicTime? {
        let present = WriteClass.allCases.filter { !waiting[$0.rawValue].isEmpty }
        let mayWait = present.allSatisfy {
            $0 == .outcomes || $0.goesWithOutcomes || batching.preparesMeanwhile && $0 == .preparation
        }
        let gathered = present.filter { $0 != .preparation }
        // If only reports and registrations wait, they are written immediately, unless outcomes were written
        // recently.
        let begin = waiting[WriteClass.outcomes.rawValue].isEmpty ? lastEndOfOutcomes : lastEnd
        guard mayWait, let begin,
            let first = gathered.compactMap({ waiting[$0.rawValue].first?.submitted }).min()
        else { return nil }
        var rows = 0
        for kind in gathered {
            for unit in waiting[kind.rawValue] {
                rows += unit.rows
                if rows >= batching.rows { return nil }
            }
        }
        let milliseconds =
            rows >= batching.rows / 3 ? batching.millisecondsIfMany : batching.milliseconds
        return min(first, begin).advanced(byMilliseconds: milliseconds)
    }

    private var leader: WriteClass? {
        let present = WriteClass.allCases.filter { !waiting[$0.rawValue].isEmpty }
        let owedMost = present.max { owed[$0.rawValue] < owed[$1.rawValue] }
        if let owedMost, owed[owedMost.rawValue] >= Self.quantum { return owedMost }
        return present.first
    }

    private mutating func takeGroup(ledBy leader: WriteClass) -> [Unit] {
        var group: [Unit] = []
        var rows = 0
        for kind in [leader] + WriteClass.allCases.filter({ $0 != leader }) {
            let present = waiting[kind.rawValue]
            var taken = 0
            while taken < present.count, group.isEmpty || rows + present[taken].rows <= Self.maximumRows {
                rows += present[taken].rows
                group.append(present[taken])
                taken += 1
            }
            waiting[kind.rawValue].removeFirst(taken)
        }
        return group.filter(\.merges) + group.filter { !$0.merges }
    }

    // MARK: Results of groups

    /// - Parameter nanoseconds: The time that the group took, including its wait for the disk.
    package mutating func ended(_ end: End, nanoseconds: Int64, at now: MonotonicTime) -> [Action] {
        charge(nanoseconds)
        lastEnd = now
        let group = running
        if group.contains(where: { $0.kind == .outcomes }) { lastEndOfOutcomes = now }
        running = []
        switch end {
        case .committed(let count):
            requeued(Array(group.dropFirst(count)))
            triesAtOnce = 0
            noteProof(by: group.prefix(count))
            return group.prefix(count).map { .committed($0) } + recover()
        case .failed(let remedy, let delivery):
            return failed(group, remedy, delivery, at: now)
        case .unknown:
            triesAtOnce = 0
            return group.map { .unknown($0) }
        }
    }

    /// Called if a write that is not a unit failed. Everything then waits.
    package mutating func interrupted(at now: MonotonicTime) -> [Action] { rest([], at: now) }
    /// Called if a write that is not a unit succeeded.
    package mutating func recovered() -> [Action] { recover() }

    /// Reports whether everything waits for a problem to pass.
    package func isResting(at now: MonotonicTime) -> Bool { restsUntil.map { now < $0 } ?? false }

    private mutating func failed(
        _ group: [Unit], _ remedy: WriteRemedy, _ delivery: DeliveryID?, at now: MonotonicTime
    ) -> [Action] {
        switch remedy {
        case .tryAgain where triesAtOnce < Self.maxTriesAtOnce:
            triesAtOnce += 1
            requeued(group)
            return []
        case .tryAgain, .wait, .engineFault: return rest(group, at: now)
        case .refuse, .setAside: break
        }
        guard group.count <= 1 else {
            suspects.insert(
                contentsOf: [Array(group[..<(group.count / 2)]), Array(group[(group.count / 2)...])], at: 0)
            return []
        }
        guard let unit = group.first else { return [] }
        if remedy == .refuse { return [.refused(unit)] }
        recentlySetAside.removeAll { $0.at.advanced(bySeconds: Self.setAsideSeconds) <= now }
        if let delivery, !recentlySetAside.contains(where: { $0.delivery == delivery }) {
            // The unit is placed behind the other units, because one of them may prove that the store is
            // sound.
            guard recentlySetAside.count < Self.maxSetAside else {
                return rest(group, at: now, behindOthers: true)
            }
            recentlySetAside.append((delivery, now))
        }
        return recover() + [.setAside(unit, delivery)]
    }

    private mutating func noteProof(by committed: ArraySlice<Unit>) {
        guard !recentlySetAside.isEmpty else { return }
        let isProof = committed.contains { unit in
            guard let delivery = unit.delivery else { return false }
            return !recentlySetAside.contains { $0.delivery == delivery }
        }
        if isProof { recentlySetAside = [] }
    }

    private mutating func rest(
        _ group: [Unit], at now: MonotonicTime, behindOthers: Bool = false
    ) -> [Action] {
        let left = group.filter { !$0.kind.isAnsweredDuringFailure }
        if behindOthers {
            for unit in left { waiting[unit.kind.rawValue].append(unit) }
        } else {
            requeued(left)
        }
        triesAtOnce = 0
        restsUntil = now.advanced(bySeconds: Self.restSeconds)
        defer { isFailing = true }
        return group.filter(\.kind.isAnsweredDuringFailure).map { .refused($0) }
            + (isFailing ? [] : [.failure])
    }

    private mutating func recover() -> [Action] {
        defer { isFailing = false }
        return isFailing ? [.recovered] : []
    }

    private mutating func requeued(_ units: [Unit]) {
        guard !units.isEmpty else { return }
        if runsSuspects { return suspects.insert(units, at: 0) }
        for kind in WriteClass.allCases {
            waiting[kind.rawValue].insert(contentsOf: units.filter { $0.kind == kind }, at: 0)
        }
    }

    private static let mostOwed: Int64 = 100_000_000

    /// Each class that waited earns a tenth of the time. Classes that were served pay for it in proportion to
    /// their rows.
    private mutating func charge(_ nanoseconds: Int64) {
        let rows = running.reduce(0) { $0 + max($1.rows, 1) }
        for kind in WriteClass.allCases {
            let served = running.reduce(0) { $1.kind == kind ? $0 + max($1.rows, 1) : $0 }
            guard served > 0 || !waiting[kind.rawValue].isEmpty else {
                owed[kind.rawValue] = min(owed[kind.rawValue], 0)
                continue
            }
            let paid = rows > 0 ? Int64(Double(nanoseconds) * Double(served) / Double(rows)) : 0
            owed[kind.rawValue] = max(
                -Self.mostOwed, min(Self.mostOwed, owed[kind.rawValue] + nanoseconds / 10 - paid))
        }
    }
}
