package import PushModel

/// Decides what is written next, and what becomes of what could not be written. Pure: the thread of
/// ``WriteService`` obeys.
///
/// **Promises.** Every unit that was admitted comes to one end: committed, refused, set aside or unknown.
/// Classes are served in their order, but each that waits gets at least a tenth of the writer's time over a
/// second; while the store cannot be written, units that somebody waits for are refused. A group is at most
/// ``maximumRows``, where no unit alone is more. A group that fails for good is halved until the unit that
/// cannot be written stands alone: the others are not held up by it, nor lost with it. Where units of a third
/// delivery within a minute fail so, and nothing of any other delivery was committed in between, the store
/// itself is taken for damaged: everything waits, and what waits is tried by turns.
package struct WriteQueue: Sendable {
    /// What one group may change: 5 000 rows with its bookkeeping.
    package static let maximumRows = OutcomeWriter.maximumRows
    /// How long a group may take before it is committed as it is.
    package static let maximumGroupMilliseconds: Int64 = 50
    /// Outcomes come in drops, and a commit costs as much as some hundreds of them: where nothing else waits
    /// and a group ended less than this ago, they wait for company, so long at most and until they are so
    /// many. What devices say while a delivery is sent waits with them: two thousand commits a second for as
    /// many reports would take a third of its rate.
    package struct Gathering: Equatable, Sendable {
        package var milliseconds: Int64
        /// So long instead if a third of ``rows`` has gathered by then: the rest follows soon, and half as many
        /// commits are made at full speed.
        package var millisecondsIfMany: Int64
        package var rows: Int
        /// Whether chunks are prepared while outcomes wait, or outcomes go before these at once.
        package var preparesMeanwhile: Bool

        package static let inAFile = Gathering(
            milliseconds: 3, millisecondsIfMany: 8, rows: 4_000, preparesMeanwhile: false)
        /// A commit costs a server ten times as much.
        package static let byAServer = Gathering(
            milliseconds: 40, millisecondsIfMany: 40, rows: 4_000, preparesMeanwhile: true)

        /// For children with so much room for messages: with more than a quarter of it uncommitted, one that
        /// sends fast would run out of credit.
        package func within(capacity: Int) -> Gathering {
            var gathering = self
            gathering.rows = max(1, min(rows, capacity / 4))
            return gathering
        }
    }
    /// After a trouble that passes by itself.
    static let restSeconds: Int64 = 1
    /// Deliveries whose units may be set aside within ``setAsideSeconds``: one more is the store's own
    /// trouble. What is committed of another delivery proves the store sound, and the count begins anew.
    static let mostSetAside = 2
    static let setAsideSeconds: Int64 = 60
    /// Tries without a rest.
    static let mostTriesAtOnce = 3

    package struct Unit: Equatable, Sendable {
        package var id: UInt64
        package var kind: WriteClass
        package var rows: Int
        /// Written together with its like, before everything else of its group.
        package var merges: Bool
        /// Whose rows it changes, where it is of one delivery.
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
        /// Write these in this order, in one transaction, and say how it ended.
        case run([Unit])
        /// Nothing until then, nil: until something is added.
        case rest(until: MonotonicTime?)
    }

    package enum End: Sendable {
        /// So many of the group, from its first, are on disk; the others were not tried.
        case committed(units: Int)
        /// Nothing of the group is on disk.
        case failed(WriteRemedy, delivery: DeliveryID?)
        /// Nobody can say whether the group is on disk, and there is no time left to find out.
        case unknown
    }

    package enum Action: Equatable, Sendable {
        case committed(Unit)
        case refused(Unit)
        case setAside(Unit, DeliveryID?)
        /// Not to be written again: it may have been.
        case unknown(Unit)
        /// Everything waits, and it was not said yet.
        case trouble
        case recovered
    }

    private var waiting: [[Unit]] = WriteClass.allCases.map { _ in [] }
    /// Groups in one of which is a unit that cannot be written.
    private var suspects: [[Unit]] = []
    private var running: [Unit] = []
    /// When the last group ended, and the last one with outcomes.
    private var lastEnd: MonotonicTime?
    private var lastEndOfOutcomes: MonotonicTime?
    private var runsSuspects = false
    /// Time that a class is owed, in nanoseconds: a tenth of what passes while it waits, less what it gets.
    private var owed = WriteClass.allCases.map { _ in Int64(0) }
    private var restsUntil: MonotonicTime?
    private var triesAtOnce = 0
    private var recentlySetAside: [(delivery: DeliveryID, at: MonotonicTime)] = []
    package private(set) var isInTrouble = false

    private let gathering: Gathering

    package init(gathering: Gathering = .inAFile) { self.gathering = gathering }

    /// What waits of each class, beside what is being written.
    package var waitingClasses: [WriteFigures.Class] {
        WriteClass.allCases.map { kind in
            var figures = WriteFigures.Class(name: kind.name)
            figures.waiting = waiting[kind.rawValue].count
            figures.oldest = waiting[kind.rawValue].first?.submitted
            return figures
        }
    }

    package var isEmpty: Bool { running.isEmpty && suspects.isEmpty && waiting.allSatisfy(\.isEmpty) }

    /// - Returns: false where the class has too much to do already, and may say no.
    package mutating func add(_ unit: Unit) -> Bool {
        let kind = unit.kind.rawValue
        if let most = unit.kind.maximumWaiting {
            let age = waiting[kind].first.map { unit.submitted.milliseconds(since: $0.submitted) } ?? 0
            guard waiting[kind].count < most, age <= WriteClass.maximumAgeMilliseconds else { return false }
        }
        waiting[kind].append(unit)
        return true
    }

    /// Takes all units of these classes away that have not begun.
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
            guard gathering.preparesMeanwhile, isToPrepare else { return .rest(until: gatheringEnds) }
            leader = .preparation
        }
        runsSuspects = false
        running = takeGroup(ledBy: leader)
        return .run(running)
    }

    private static let quantum: Int64 = 5_000_000

    /// nil where what waits need not wait any more, or others must not wait for it.
    private var gatheringEnds: MonotonicTime? {
        let present = WriteClass.allCases.filter { !waiting[$0.rawValue].isEmpty }
        let mayWait = present.allSatisfy {
            $0 == .outcomes || $0.goesWithOutcomes || gathering.preparesMeanwhile && $0 == .preparation
        }
        let gathered = present.filter { $0 != .preparation }
        // Reports and registrations alone are written at once, unless outcomes come and go.
        let begin = waiting[WriteClass.outcomes.rawValue].isEmpty ? lastEndOfOutcomes : lastEnd
        guard mayWait, let begin,
            let first = gathered.compactMap({ waiting[$0.rawValue].first?.submitted }).min()
        else { return nil }
        var rows = 0
        for kind in gathered {
            for unit in waiting[kind.rawValue] {
                rows += unit.rows
                if rows >= gathering.rows { return nil }
            }
        }
        let milliseconds =
            rows >= gathering.rows / 3 ? gathering.millisecondsIfMany : gathering.milliseconds
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

    // MARK: How it ended

    /// - Parameter nanoseconds: what the group took, its wait for the disk included.
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

    /// What is no unit could not be written: everything waits.
    package mutating func interrupted(at now: MonotonicTime) -> [Action] { rest([], at: now) }
    /// What is no unit could be written.
    package mutating func recovered() -> [Action] { recover() }

    /// Whether everything waits for a trouble to pass.
    package func isResting(at now: MonotonicTime) -> Bool { restsUntil.map { now < $0 } ?? false }

    private mutating func failed(
        _ group: [Unit], _ remedy: WriteRemedy, _ delivery: DeliveryID?, at now: MonotonicTime
    ) -> [Action] {
        switch remedy {
        case .tryAgain where triesAtOnce < Self.mostTriesAtOnce:
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
            // Behind the others: one of them may prove the store sound.
            guard recentlySetAside.count < Self.mostSetAside else {
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
        let left = group.filter { !$0.kind.isAnsweredInTrouble }
        if behindOthers {
            for unit in left { waiting[unit.kind.rawValue].append(unit) }
        } else {
            requeued(left)
        }
        triesAtOnce = 0
        restsUntil = now.advanced(bySeconds: Self.restSeconds)
        defer { isInTrouble = true }
        return group.filter(\.kind.isAnsweredInTrouble).map { .refused($0) } + (isInTrouble ? [] : [.trouble])
    }

    private mutating func recover() -> [Action] {
        defer { isInTrouble = false }
        return isInTrouble ? [.recovered] : []
    }

    private mutating func requeued(_ units: [Unit]) {
        guard !units.isEmpty else { return }
        if runsSuspects { return suspects.insert(units, at: 0) }
        for kind in WriteClass.allCases {
            waiting[kind.rawValue].insert(contentsOf: units.filter { $0.kind == kind }, at: 0)
        }
    }

    private static let mostOwed: Int64 = 100_000_000

    /// Each class that waited earns a tenth of the time; those that were served pay for it by their rows.
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
