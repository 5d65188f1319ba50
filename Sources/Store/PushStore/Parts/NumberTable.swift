internal import PushModel
internal import PushQueue

/// Which message numbers are taken: one row, beside the parts that have them. Within the caller's
/// transaction.
///
/// A row that is gone, or says what the parts contradict, is written anew from the parts when numbers are
/// taken: there it would do harm, and whoever damaged it has damaged no delivery. Nobody needs to be held for
/// it.
struct NumberTable {
    let db: any Session

    /// Numbers that follow one another and that no message has.
    struct Taken {
        let first: Int64
        /// What the row said that could not be; nil: nothing was wrong with it.
        var mended: String?
    }

    func take(_ count: Int) throws -> Taken {
        var mended: String?
        for _ in 0..<Self.mostTries {
            guard let found = try take(Int64(count)) else {
                let said = try last()
                mended = mended ?? (said.map { "it said \($0)" } ?? "its row was gone")
                try write(try endOfParts(borneOutOnly: false) ?? 0)
                continue
            }
            guard found.taken >= found.first else { return Taken(first: found.first, mended: mended) }
            // Whichever of the two is wrong, what comes after both is free.
            mended = mended ?? "it said \(found.first - 1), and a part has messages up to \(found.taken)"
            try write(max(found.taken, try endOfParts(borneOutOnly: true) ?? 0))
        }
        throw UnreadableValue()
    }

    /// The last number that a message has: what is beyond is no part.
    func lastTaken() throws -> Int64 {
        let said = try last() ?? -1
        let isPossible = Self.possible.contains(said)
        return max(isPossible ? said : 0, try endOfParts(borneOutOnly: isPossible) ?? 0)
    }

    /// What the row says; nil: it is gone.
    func last() throws -> Int64? { try db.value(Int64.self, sql: "SELECT last_message FROM numbering") }

    /// - Returns: the first number, and the last one that a part at or before them has; nil: the row is gone
    ///   or impossible.
    private func take(_ count: Int64) throws -> (first: Int64, taken: Int64)? {
        let statement = try db.statement(HotSQL.takeNumbers)
        defer { statement.reset() }
        statement.bind(count, at: 1)
        guard try statement.next() else { return nil }
        return (statement.integer(0) - count + 1, statement.optionalInteger(1) ?? 0)
    }

    private func write(_ last: Int64) throws {
        try db.execute(
            sql: """
                INSERT INTO numbering ("only", last_message) VALUES (1, ?1)
                ON CONFLICT ("only") DO UPDATE SET last_message = ?1
                """,
            arguments: [last])
    }

    /// The last message of the last part whose number another bears out: parts follow one another, so that a
    /// part that begins elsewhere may be damaged itself. nil: there is none.
    /// - Parameter borneOutOnly: false: where none is borne out, the last one.
    private func endOfParts(borneOutOnly: Bool) throws -> Int64? {
        let parts = try db.rows(
            sql: "SELECT id, count FROM part WHERE id BETWEEN 1 AND ?1 ORDER BY id DESC LIMIT ?2",
            arguments: [Self.possible.upperBound - Int64(PartLimits.messages), Self.partsLookedAt]
        ).map { (id: try $0["id"] as Int64, count: try $0["count"] as Int64) }
            .filter { (1...Int64(PartLimits.messages)).contains($0.count) }
        let sound = parts.indices.first { place in
            let part = parts[place]
            guard part.id > 1, parts.indices.contains(place + 1) else { return part.id == 1 }
            return parts[place + 1].id + parts[place + 1].count == part.id
        }
        let last = sound.map { parts[$0] } ?? (borneOutOnly ? nil : parts.first)
        return last.map { $0.id + $0.count - 1 }
    }

    private static let mostTries = 3
    private static let partsLookedAt = 100
    /// No store comes near to it.
    static let possible: ClosedRange<Int64> = 0...(1 << 60)
}
