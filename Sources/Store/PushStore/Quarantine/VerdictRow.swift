internal import PushModel
internal import PushQueue

/// The values that all verdicts of a row have in common.
struct VerdictHead: Equatable, Hashable {
    /// The account's number in `account_trust`.
    var account: Int64
    var delivery: DeliveryID
    /// The raw value of ``TokenVerdict/Gravity``.
    var gravity: Int64
    /// The gateway's reason code.
    var reason: String
    var decided: WallMoment
}

/// The values of one verdict in a row.
struct VerdictEntry: Equatable {
    var subscription: Int64
    var deadSince: WallMoment?
}

/// A row of `held_verdict`: verdicts from one call that recorded outcomes. They have the same head, concern
/// subscriptions whose numbers are near each other, and are sorted by subscription. Verdicts about the same
/// subscription are in order of arrival.
struct VerdictRow {
    static let maxVerdicts = 1_000
    /// The exclusive maximum distance between the first and the last subscription of a row. A search for the
    /// rows about a subscription can therefore stop early in the index of last subscriptions. Without this
    /// limit, the search would read all rows that end later, possibly one for each later subscription. The
    /// maximum distance is half of ``maxVerdicts``, so that two rows with one verdict for each subscription
    /// fill one call of ``VerdictWriter``.
    static let widest: Int64 = 500

    let id: Int64
    let head: VerdictHead
    let entries: ContiguousArray<VerdictEntry>

    init(id: Int64, _ head: VerdictHead, _ entries: ContiguousArray<VerdictEntry>) {
        self.id = id
        self.head = head
        self.entries = entries
    }

    /// Reads the columns ``HotSQL/verdictColumns``.
    /// - Throws: ``DamagedVerdicts`` if the row is not valid.
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
        guard (1...Int64(maxVerdicts)).contains(stored) else { throw PartDamage(.contents, .count) }
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

    /// Returns the number of verdicts in a row. It is also used for a damaged row.
    static func count(_ stored: Int64) -> Int { Int(min(max(stored, 1), Int64(maxVerdicts))) }

    // MARK: Making rows

    /// - Parameter entries: The entries, in any order.
    /// - Returns: The entries of each row to write.
    static func cut(_ entries: ContiguousArray<VerdictEntry>) -> [ArraySlice<VerdictEntry>] {
        var sorted = Array(entries)
        // Sorting is stable.
        if !isSorted(entries) { sorted.sort { $0.subscription < $1.subscription } }
        var rows: [ArraySlice<VerdictEntry>] = []
        var start = 0
        for end in sorted.indices.dropFirst()
        where end - start == maxVerdicts || !fits(sorted[start].subscription, sorted[end].subscription) {
            rows.append(sorted[start..<end])
            start = end
        }
        if start < sorted.count { rows.append(sorted[start...]) }
        return rows
    }

    /// Reports whether one row may contain both subscriptions: they are near each other and belong to one
    /// app.
    private static func fits(_ first: Int64, _ last: Int64) -> Bool {
        let (width, overflow) = last.subtractingReportingOverflow(first)
        return !overflow && width < widest
            && SubscriptionRange.app(of: first) == SubscriptionRange.app(of: last)
    }

    private static func isSorted(_ entries: ContiguousArray<VerdictEntry>) -> Bool {
        zip(entries, entries.dropFirst()).allSatisfy { $0.subscription <= $1.subscription }
    }

    // MARK: Taking verdicts out

    /// Returns the entries that remain when the verdicts about these subscriptions are removed; `nil` if
    /// there are no such verdicts.
    /// - Parameter sorted: Subscriptions in ascending order.
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

/// A row of verdicts that is not valid. It disables no subscription and affects no other row: readers skip it
/// until its account is judged, and then it is deleted.
struct DamagedVerdicts: Error, CustomStringConvertible {
    let row: Int64
    let delivery: DeliveryID
    let damage: PartDamage

    var description: String {
        "held verdicts \(row) of delivery \(delivery): a damaged row \(damage.detail)"
    }
}

/// The verdicts of one call, grouped by their common values in order of first occurrence.
struct VerdictGroups {
    private(set) var groups: ContiguousArray<(head: VerdictHead, entries: ContiguousArray<VerdictEntry>)> = []
    private var places: [VerdictHead: Int] = [:]
    private var last = 0

    mutating func add(_ entry: VerdictEntry, to head: VerdictHead) {
        // Most verdicts have the same head as the previous one.
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
