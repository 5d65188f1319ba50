internal import PushModel
internal import PushQueue

/// The record of assigned message numbers: one row, in addition to the parts that have the numbers. It is
/// read and written within the caller's transaction.
///
/// A row that is missing, or that contradicts the parts, is rewritten from the parts when numbers are
/// assigned, because that is when the damage would do harm. Damage to this row is not damage to a delivery,
/// so no delivery needs to be put on hold.
struct NumberTable {
    let db: any Session

    /// Consecutive numbers that no message has.
    struct Taken {
        let first: Int64
        /// A description of what was wrong with the row; `nil` if the row was correct.
        var repaired: String?
    }

    func take(_ count: Int) throws -> Taken {
        var repaired: String?
        for _ in 0..<Self.maxTries {
            guard let found = try take(Int64(count)) else {
                let said = try last()
                repaired = repaired ?? (said.map { "it said \($0)" } ?? "its row was missing")
                try write(try endOfParts(borneOutOnly: false) ?? 0)
                continue
            }
            guard found.taken >= found.first else { return Taken(first: found.first, repaired: repaired) }
            // Whether the row or the part is wrong, the numbers after both are free.
            repaired =
                repaired ?? "it contained \(found.first - 1), but a part has messages up to \(found.taken)"
            try write(max(found.taken, try endOfParts(borneOutOnly: true) ?? 0))
        }
        throw UnreadableValue()
    }

    /// Returns the last number that a message has. A row of the table `part` with a greater number is
    /// damaged.
    func lastTaken() throws -> Int64 {
        let said = try last() ?? -1
        let isPossible = Self.possible.contains(said)
        return max(isPossible ? said : 0, try endOfParts(borneOutOnly: isPossible) ?? 0)
    }

    /// Returns the content of the row; `nil` if the row is missing.
    func last() throws -> Int64? { try db.value(Int64.self, sql: "SELECT last_message FROM numbering") }

    /// - Returns: The first of the newly assigned numbers, and the last number of the last existing part that
    ///   begins before or among the assigned numbers; `nil` if the row is missing or its content is
    ///   impossible.
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

    /// Returns the last message of the last part whose number is confirmed by the part before it. Parts
    /// follow one another, so a part that does not begin where the previous one ends may itself be damaged.
    /// Returns `nil` if no part is confirmed.
    /// - Parameter borneOutOnly: `false` to use the last part if none is confirmed.
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

    private static let maxTries = 3
    private static let partsLookedAt = 100
    /// The possible numbers. No store comes near the limit.
    static let possible: ClosedRange<Int64> = 0...(1 << 60)
}
