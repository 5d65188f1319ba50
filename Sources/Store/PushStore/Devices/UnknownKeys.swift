package import PushModel

/// Counts of registrations by integration keys that no app has. Devices choose the keys, so the number of
/// keys is limited: if there are ``maximumKeys``, a new key takes the place of the one with the fewest
/// registrations, whose count is added to ``further``. A key that many devices use therefore remains.
package struct UnknownKeyCounts: Equatable, Sendable {
    package static let maximumKeys = 50
    package static let maximumCharacters = 64

    package struct Key: Hashable, Comparable, Sendable {
        package var platform: String
        /// Printable and shortened.
        package var text: String

        package init(_ platform: Platform, _ text: String) {
            self.init(platform: platform.rawValue, text: text.printable(atMost: maximumCharacters))
        }

        init(platform: String, text: String) { (self.platform, self.text) = (platform, text) }

        package static func < (left: Self, right: Self) -> Bool {
            (left.platform, left.text) < (right.platform, right.text)
        }
    }

    package struct Sum: Equatable, Sendable {
        package var registrations = 0
        package var first: WallTime
        package var last: WallTime

        mutating func add(_ other: Sum) {
            registrations += other.registrations
            (first, last) = (min(first, other.first), max(last, other.last))
        }
    }

    package private(set) var keys: [Key: Sum] = [:]
    /// The registrations with all other keys; `nil` if there were none.
    package private(set) var further: Sum?

    package init() {}

    package var isEmpty: Bool { keys.isEmpty && further == nil }

    package mutating func note(_ key: Key, at now: WallTime) {
        add(Sum(registrations: 1, first: now, last: now), to: key)
    }

    mutating func add(_ other: Self) {
        for (key, sum) in other.keys.sorted(by: { $0.key < $1.key }) { add(sum, to: key) }
        if let sum = other.further { addFurther(sum) }
    }

    mutating func add(_ sum: Sum, to key: Key) {
        guard keys[key] == nil, keys.count >= Self.maximumKeys else { return keys.add(sum, to: key) }
        let rarest = keys.min {
            ($0.value.registrations, $0.value.last) < ($1.value.registrations, $1.value.last)
        }
        guard let rarest, rarest.value.registrations <= sum.registrations else { return addFurther(sum) }
        keys[rarest.key] = nil
        addFurther(rarest.value)
        keys[key] = sum
    }

    mutating func addFurther(_ sum: Sum) {
        guard further != nil else { return further = sum }
        further?.add(sum)
    }

    mutating func forget(lastBefore oldest: WallTime) {
        keys = keys.filter { $0.value.last >= oldest }
        if let sum = further, sum.last < oldest { further = nil }
    }
}

extension [UnknownKeyCounts.Key: UnknownKeyCounts.Sum] {
    fileprivate mutating func add(_ sum: UnknownKeyCounts.Sum, to key: UnknownKeyCounts.Key) {
        guard self[key] != nil else { return self[key] = sum }
        self[key]?.add(sum)
    }
}

/// Records which integration keys devices sent that no app has. Rows are written for many registrations
/// together, and there are at most ``UnknownKeyCounts/maximumKeys`` and one for all other keys.
package struct UnknownKeyWriter: Sendable {
    /// The number of rows that one call may change.
    package static let rowsPerCall = 2 * (UnknownKeyCounts.maximumKeys + 1)
    /// A key with which no device has registered for this time is forgotten.
    static let keptSeconds: Int64 = 30 * 86_400
    /// The platform and text of the row for all other keys.
    fileprivate static let further = UnknownKeyCounts.Key(platform: "", text: "")

    let connection: Connection

    package func add(_ new: UnknownKeyCounts, at now: WallTime) throws(StoreError) {
        try connection.write("count unknown integration keys") { db in
            var counts = try UnknownKeyCounts.read(db)
            let before = counts
            counts.add(new)
            counts.forget(lastBefore: now.advanced(bySeconds: -Self.keptSeconds))
            for key in before.keys.keys.sorted() where counts.keys[key] == nil { try Self.delete(key, db) }
            if before.further != nil, counts.further == nil { try Self.delete(Self.further, db) }
            for (key, sum) in counts.keys.sorted(by: { $0.key < $1.key }) where before.keys[key] != sum {
                try Self.write(sum, key, db)
            }
            if let sum = counts.further, sum != before.further { try Self.write(sum, Self.further, db) }
        }
    }

    private static func write(
        _ sum: UnknownKeyCounts.Sum, _ key: UnknownKeyCounts.Key, _ db: any Session
    ) throws {
        try db.run(
            sql: """
                INSERT INTO unknown_key (platform, name, registrations, first_at, last_at)
                VALUES (?1, ?2, ?3, ?4, ?5)
                ON CONFLICT (platform, name) DO UPDATE SET registrations = excluded.registrations,
                    first_at = excluded.first_at, last_at = excluded.last_at
                """,
            arguments: [
                key.platform, key.text, sum.registrations, sum.first.secondsSince1970,
                sum.last.secondsSince1970,
            ])
    }

    private static func delete(_ key: UnknownKeyCounts.Key, _ db: any Session) throws {
        try db.run(
            sql: "DELETE FROM unknown_key WHERE platform = ?1 AND name = ?2",
            arguments: [key.platform, key.text])
    }
}

extension UnknownKeyCounts {
    fileprivate static func read(_ db: any Session) throws -> UnknownKeyCounts {
        var counts = UnknownKeyCounts()
        let rows = try db.rows(
            sql: """
                SELECT platform, name, registrations, first_at, last_at FROM unknown_key
                ORDER BY platform, name LIMIT ?1
                """,
            arguments: [maximumKeys + 1])
        for row in rows {
            let sum = Sum(
                registrations: try row["registrations"],
                first: WallTime(secondsSince1970: try row["first_at"]),
                last: WallTime(secondsSince1970: try row["last_at"]))
            let key = Key(platform: try row["platform"], text: try row["name"])
            if key == UnknownKeyWriter.further { counts.addFurther(sum) } else { counts.add(sum, to: key) }
        }
        return counts
    }
}

/// Reads the counts of ``UnknownKeyWriter``.
package struct UnknownKeyReader: Sendable {
    let connection: Connection

    package func read() throws(StoreError) -> UnknownKeyCounts {
        try connection.read("list unknown integration keys") { try UnknownKeyCounts.read($0) }
    }
}
