internal import PushModel
internal import PushQueue

/// Makes parts of the message rows that an earlier version wrote, one part of theirs a step.
///
/// **Promises.** Numbers stay: a message's `_mId` and `apns-id` are what they were. A step is one transaction that takes
/// the old rows away as it writes the new ones, so that the file never grows, and whatever ends it in between, the next
/// opening goes on. A part that cannot be read keeps its old rows, and its delivery is held.
struct PartMigration {
    let connection: Connection

    func run(_ progress: (MigrationProgress) -> Void) throws(StoreError) {
        guard try count() != nil else { return }
        var done = MigrationProgress()
        while let left = try count(), left > 0 {
            done.parts = max(done.parts, done.partsDone + left)
            try connection.write("take over parts of an earlier version") { db in
                let row = try db.row(
                    sql: """
                        SELECT id, delivery_id, app_id, first_id, last_id, first_ordinal FROM old_part
                        WHERE open >= 0 ORDER BY id LIMIT 1
                        """)
                if let row { try take(row, db) }
            }
            done.partsDone += 1
            progress(done)
        }
        try connection.write("leave the rows of an earlier version behind") { db in
            guard try db.value(Int.self, sql: "SELECT count(*) FROM old_part") == 0 else { return }
            try db.execute(sql: "DROP TABLE old_part")
            try db.execute(sql: "DROP TABLE old_message")
        }
    }

    /// Whether there are old parts to be taken over.
    func isUnderWay() throws(StoreError) -> Bool { try count() ?? 0 > 0 }

    /// Old parts that stay, as they cannot be read.
    static func leftovers(_ db: any Session) throws -> Int {
        guard db.dialect == .sqlite,
            try db.value(Int.self, sql: "SELECT count(*) FROM sqlite_master WHERE name = 'old_part'") == 1
        else { return 0 }
        return try db.value(Int.self, sql: "SELECT count(*) FROM old_part") ?? 0
    }

    /// - Returns: old parts that are left; nil: there are no such tables.
    private func count() throws(StoreError) -> Int? {
        try connection.read("look for parts of an earlier version") { db in
            let isThere = try db.value(Int.self, sql: "SELECT count(*) FROM sqlite_master WHERE name = 'old_part'")
            guard isThere == 1 else { return nil }
            return try db.value(Int.self, sql: "SELECT count(*) FROM old_part WHERE open >= 0")
        }
    }

    // MARK: A part

    private func take(_ row: Row, _ db: any Session) throws {
        let old: Int64 = try row["id"]
        let delivery: DeliveryID = DeliveryID(rawValue: try row["delivery_id"])
        let (first, last): (Int64, Int64) = (try row["first_id"], try row["last_id"])
        let parts: [NewPart]
        do {
            guard first > 0, first <= last, last - first < Int64(Connection.maximumRows) else { throw UnreadableValue() }
            parts = try newParts(
                first...last, of: delivery, app: AppID(rawValue: try row["app_id"]), ordinal: try row["first_ordinal"],
                db)
        } catch let error where !isOfEngine(error) {
            return try setAside(old, of: delivery, db)
        }
        let table = PartTable(db: db)
        var tallies = TallyByApp()
        for new in parts {
            try table.insert(new.part, members: new.members, progress: new.progress)
            try table.write(new.notes, of: new.part.id)
            tallies.add(new.progress.states.tally(), of: new.part.app)
        }
        try TallyTable(db: db).add(tallies, of: delivery)
        try db.execute(sql: "DELETE FROM old_message WHERE id BETWEEN ?1 AND ?2", arguments: [first, last])
        try db.execute(sql: "DELETE FROM old_part WHERE id = ?1", arguments: [old])
    }

    /// Whether the engine met it, and the rows may be well.
    private func isOfEngine(_ error: any Error) -> Bool {
        StoreError(error, during: "migrate", path: connection.path).remedy != .setAside
    }

    private func setAside(_ old: Int64, of delivery: DeliveryID, _ db: any Session) throws {
        try db.execute(sql: "UPDATE old_part SET open = -1 WHERE id = ?1", arguments: [old])
        try db.execute(
            sql: """
                INSERT INTO damaged_delivery (delivery_id, why, since_ms, expires) VALUES (?1, ?2, 0, 1)
                ON CONFLICT DO NOTHING
                """,
            arguments: [delivery.rawValue, "part \(old) of an earlier version cannot be read"])
    }

    private struct NewPart {
        var part: Part
        var members: PartMembers
        var progress: PartProgress
        var notes: ContiguousArray<PartNote> = []
    }

    private struct OldMessage {
        var id: Int64
        var subscription: SubscriptionID
        var status: MessageStatus
        var attempts: Int
        var due: WallTime?
        var providerID: String?
    }

    /// Parts of an earlier version could be a little larger, so one may become two.
    private func newParts(
        _ range: ClosedRange<Int64>, of delivery: DeliveryID, app: AppID, ordinal: Int64, _ db: any Session
    ) throws -> [NewPart] {
        let deadline = try db.value(
            Int64.self, sql: "SELECT expires_at FROM delivery WHERE id = ?1", arguments: [delivery.rawValue])
        let messages = try messages(range, of: delivery, db)
        var parts: [NewPart] = []
        var start = 0
        while start < messages.count {
            var end = start + 1
            while end < messages.count, end - start < PartLimits.messages,
                messages[end].id == messages[end - 1].id + 1
            {
                end += 1
            }
            let slice = messages[start..<end]
            let first = messages[start].id
            guard
                let part = Part(
                    id: PartID(rawValue: first), delivery: delivery, app: app,
                    firstOrdinal: ordinal + first - range.lowerBound, count: slice.count)
            else { throw UnreadableValue() }
            parts.append(try newPart(part, slice, deadline: WallTime(secondsSince1970: deadline ?? 0)))
            start = end
        }
        return parts
    }

    private func newPart(
        _ part: Part, _ messages: ArraySlice<OldMessage>, deadline: WallTime
    ) throws -> NewPart {
        var notes: ContiguousArray<PartNote> = []
        for (index, message) in messages.enumerated()
        where message.attempts > 1 || message.due != nil || message.providerID != nil {
            notes.append(
                PartNote(
                    index: index, attempts: message.attempts, due: message.due, providerID: message.providerID))
        }
        let states = try PartStates(messages.lazy.map { (status: $0.status, count: 1) })
        let fresh = PartProgress(states: states, deadline: deadline)
        let progress = try PartProgress(mending: fresh.row, count: states.count, notes: PartNotes(notes))
        return NewPart(
            part: part, members: try PartMembers(messages.lazy.map(\.subscription)), progress: progress, notes: notes)
    }

    private func messages(
        _ range: ClosedRange<Int64>, of delivery: DeliveryID, _ db: any Session
    ) throws -> [OldMessage] {
        var causes = CauseStore(delivery, db)
        return try db.rows(
            sql: "SELECT * FROM old_message WHERE id BETWEEN ?1 AND ?2 AND delivery_id = ?3 ORDER BY id",
            arguments: [range.lowerBound, range.upperBound, delivery.rawValue]
        ).map { row in
            guard let state = MessageState(rawValue: try row["state"]) else { throw UnreadableValue() }
            let attempts: Int = try row["attempts"]
            let word: String? = try row["provider_reason"]
            let type = (try row["failure_type"] as Int64?).flatMap(FailureType.init(rawValue:))
            let reason = (try row["failure_reason"] as Int64?).flatMap(FailureReason.init(rawValue:))
            var code = CauseCode.none
            if state != .sent, word != nil || type != nil || reason != nil {
                code = try causes.intern(Cause(type, reason, word: word ?? ""))
            }
            return OldMessage(
                id: try row["id"], subscription: SubscriptionID(rawValue: try row["subscription_id"]),
                status: MessageStatus(
                    state, isTried: attempts > 0, cause: code,
                    since: WallTime(secondsSince1970: try row["updated_at"])),
                attempts: attempts, due: (try row["due_at"] as Int64?).map(WallTime.init(secondsSince1970:)),
                providerID: try row["provider_id"])
        }
    }
}
