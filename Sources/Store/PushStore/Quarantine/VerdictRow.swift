internal import PushModel
internal import PushQueue

/// What the verdicts of a row have in common.
struct VerdictHead: Equatable, Hashable {
    /// Its number in `account_trust`.
    var account: Int64
    var delivery: DeliveryID
    /// As ``TokenVerdict/Gravity`` writes it.
    var gravity: Int64
    /// The gateway's word.
    var reason: String
    var decided: WallMoment
}

/// What each verdict of a row has of its own.
struct VerdictEntry: Equatable {
    var subscription: Int64
    var deadSince: WallMoment?
}

/// A row of `held_verdict`: verdicts of one call that recorded outcomes, as many as have their head in common
/// and lie near each other, in the order of subscriptions. Those about one subscription stand in the order in
/// which they came.
struct VerdictRow {
    static let mostVerdicts = 1_000
    /// No row reaches from a subscription to one that is so much greater: so a subscription's rows are found
    /// by where they end, without looking at all that end later, of which there may be one for each of them.
    /// Half of ``mostVerdicts``, so that two full rows are one call of ``VerdictWriter``.
    static let widest: Int64 = 500

    let id: Int64
    let head: VerdictHead
    let entries: ContiguousArray<VerdictEntry>

    init(id: Int64, _ head: VerdictHead, _ entries: ContiguousArray<VerdictEntry>) {
        self.id = id
        self.head = head
        self.entries = entries
    }

    /// The columns ``HotSQL/verdictColumns``.
    /// - Throws: ``DamagedVerdicts`` where the row makes no sense.
    init(_ statement: any Statement) throws(DamagedVerdicts) {
        id = statement.integer(0)
        head = VerdictHead(
            account: statement.integer(1), delivery: DeliveryID(rawValue: statement.integer(2)),
            gravity: statement.integer(3), reason: unsafe String(decoding: statement.bytes(4), as: UTF8.self),
            decided: WallMoment(millisecondsSince1970: statement.integer(5)))
        do throws(PartDamage) {
            entries = try Self.entries(statement)
            guard TokenVerdict.Gravity(rawValue: head.gravity) != nil else {
                throw PartDamage(.contents, .disagrees(column: "gravity"))
            }
        } catch {
            throw DamagedVerdicts(row: id, delivery: head.delivery, damage: error)
        }
    }

    private static func entries(_ statement: any Statement) throws(PartDamage) -> ContiguousArray<
        VerdictEntry
    > {
        let stored = statement.integer(6)
        guard (1...Int64(mostVerdicts)).contains(stored) else { throw PartDamage(.contents, .count) }
        let count = Int(stored)
        let members = try PartMembers(decoding: unsafe Array(statement.bytes(9)), count: count)
        let times =
            statement.isNull(10)
            ? nil : try DeadSinceTimes.decode(unsafe Array(statement.bytes(10)), count: count)
        var entries: ContiguousArray<VerdictEntry> = []
        entries.reserveCapacity(count)
        members.forEach(in: 0..<count) {
            entries.append(VerdictEntry(subscription: $1.rawValue, deadSince: times?[$0]))
        }
        guard let first = entries.first?.subscription, let last = entries.last?.subscription,
            first == statement.integer(7), last == statement.integer(8), fits(first, last), isSorted(entries)
        else { throw PartDamage(.members, .disagrees(column: "first or last subscription")) }
        return entries
    }

    /// What a damaged row counts for as well.
    static func count(_ stored: Int64) -> Int { Int(min(max(stored, 1), Int64(mostVerdicts))) }

    // MARK: Making rows

    /// - Parameter entries: in any order. - Returns: as many as the rows hold that they become.
    static func cut(_ entries: ContiguousArray<VerdictEntry>) -> [ArraySlice<VerdictEntry>] {
        var sorted = Array(entries)
        // Sorting is stable.
        if !isSorted(entries) { sorted.sort { $0.subscription < $1.subscription } }
        var rows: [ArraySlice<VerdictEntry>] = []
        var start = 0
        for end in sorted.indices.dropFirst()
        where end - start == mostVerdicts || !fits(sorted[start].subscription, sorted[end].subscription) {
            rows.append(sorted[start..<end])
            start = end
        }
        if start < sorted.count { rows.append(sorted[start...]) }
        return rows
    }

    /// Whether one row may have both: they are near each other, and of one app.
    private static func fits(_ first: Int64, _ last: Int64) -> Bool {
        let (width, overflow) = last.subtractingReportingOverflow(first)
        return !overflow && width < widest
            && SubscriptionRange.app(of: first) == SubscriptionRange.app(of: last)
    }

    private static func isSorted(_ entries: ContiguousArray<VerdictEntry>) -> Bool {
        zip(entries, entries.dropFirst()).allSatisfy { $0.subscription <= $1.subscription }
    }

    // MARK: Taking verdicts out

    /// What is left without the verdicts about these subscriptions; nil: all of it.
    /// - Parameter sorted: in ascending order.
    func without(_ sorted: ArraySlice<Int64>) -> ContiguousArray<VerdictEntry>? {
        var left: ContiguousArray<VerdictEntry> = []
        var place = sorted.startIndex
        for entry in entries {
            while place < sorted.endIndex, sorted[place] < entry.subscription { place += 1 }
            if place == sorted.endIndex || sorted[place] != entry.subscription { left.append(entry) }
        }
        return left.count == entries.count ? nil : left
    }
}

/// A row of verdicts that makes no sense. It disables nobody and harms no other: it is passed over until its
/// account is judged, and then thrown away.
struct DamagedVerdicts: Error, CustomStringConvertible {
    let row: Int64
    let delivery: DeliveryID
    let damage: PartDamage

    var description: String {
        "held verdicts \(row) of delivery \(delivery): a damaged row \(damage.detail)"
    }
}

/// Verdicts of one call by what they have in common, in the order in which that came first.
struct VerdictGroups {
    private(set) var groups: ContiguousArray<(head: VerdictHead, entries: ContiguousArray<VerdictEntry>)> = []
    private var places: [VerdictHead: Int] = [:]
    private var last = 0

    mutating func add(_ entry: VerdictEntry, to head: VerdictHead) {
        // Most are as the one before.
        if groups.isEmpty || groups[last].head != head { last = place(of: head) }
        groups[last].entries.append(entry)
    }

    private mutating func place(of head: VerdictHead) -> Int {
        if let known = places[head] { return known }
        places[head] = groups.count
        groups.append((head, []))
        return groups.count - 1
    }
}
