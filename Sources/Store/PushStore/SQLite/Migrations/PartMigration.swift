internal import PushModel
internal import PushQueue
internal import PushSystem

/// Makes parts of the message rows that an earlier version wrote, a few thousand rows a step.
///
/// **Promises.** Numbers stay: a message's `_mId` and `apns-id` are what they were. A step is one transaction
/// that takes the old rows away as it writes the new ones, so that the file never grows, and whatever ends it
/// in between, the next opening goes on. A part that cannot be read keeps its old rows, and its delivery is
/// held.
struct PartMigration {
    let connection: Connection

    /// Small parts share a transaction, or there would be one for each delivery of a few messages.
    private static let mostRows = PartLimits.messages
    private static let mostMilliseconds: Int64 = 50

    func run(_ progress: (MigrationProgress) -> Void) throws(StoreError) {
        let waiting = try connection.read("look for parts of an earlier version") { db in
            try OldParts(db)?.waiting()
        }
        guard let waiting else { return }
        var done = MigrationProgress()
        var last = Int64.min
        while let step = try step(after: last) {
            last = step.last
            done.partsDone += step.parts
            done.parts = max(waiting, done.partsDone)
            progress(done)
        }
        try leave()
    }

    /// Tries parts of a delivery again that could not be read: somebody may have mended their rows.
    /// - Returns: how many could.
    func takeAgain(_ delivery: DeliveryID) throws(StoreError) -> Int {
        let parts = try connection.read("look for parts of an earlier version") { db in
            try OldParts(db)?.setAside(of: delivery) ?? []
        }
        var taken = 0
        for part in parts {
            let isTaken = try connection.write("take over parts of an earlier version", of: delivery) { db in
                guard let parts = try OldParts(db), try parts.isThere(part) else { return false }
                return try take(part, parts)
            }
            if isTaken { taken += 1 }
        }
        if taken > 0 { try leave() }
        return taken
    }

    /// - Returns: nil where there is nothing left to take.
    private func step(after last: Int64) throws(StoreError) -> (parts: Int, last: Int64)? {
        let end = Clocks.monotonic().advanced(byMilliseconds: Self.mostMilliseconds)
        return try connection.write("take over parts of an earlier version") { db in
            guard let old = try OldParts(db) else { return nil }
            var (parts, rows, place) = (0, 0, last)
            while let next = try old.next(after: place), parts == 0 || rows + next.rows <= Self.mostRows {
                try take(next, old)
                (parts, rows, place) = (parts + 1, rows + next.rows, next.id)
                guard Clocks.monotonic() < end else { break }
            }
            return parts > 0 ? (parts, place) : nil
        }
    }

    private func leave() throws(StoreError) {
        try connection.write("leave the rows of an earlier version behind") { db in
            try OldParts(db)?.dropIfEmpty()
        }
    }

    // MARK: A part

    /// - Returns: whether it could be read; one that cannot is set aside.
    @discardableResult
    private func take(_ old: OldPart, _ table: OldParts) throws -> Bool {
        let db = table.db
        let parts: [OldPart.NewPart]
        do { parts = try old.newParts(db) } catch let error where !isOfEngine(error) {
            try table.setAside(old, at: Clocks.moment())
            return false
        }
        let new = PartTable(db: db)
        var tallies = TallyByApp()
        for made in parts {
            try new.insert(made.part, members: made.members, progress: made.progress)
            try new.write(made.notes, of: made.part.id)
            tallies.add(made.progress.states.tally(), of: made.part.app)
        }
        try TallyTable(db: db).add(tallies, of: old.delivery)
        try table.remove(old)
        return true
    }

    /// Whether the engine met it, and the rows may be well.
    private func isOfEngine(_ error: any Error) -> Bool {
        StoreError(error, during: "migrate", path: connection.path).remedy != .setAside
    }
}
