internal import PushModel
internal import PushQueue

/// The parts, read and written within the caller's transaction. The rules of a part (``PartProgress``)
/// determine its changes. This type writes the resulting rows: one for the part, one for each note, and one
/// for each figure of the app's tally.
struct PartTable {
    let db: any Session

    // MARK: Reading

    /// Returns the part that contains this message; `nil` if there is none.
    func part(of message: MessageID) throws -> StoredPart? {
        guard let found = try one(HotSQL.partOfMessage(db.dialect), message.rawValue, holderAt: 16) else {
            return nil
        }
        return found.index(of: message) == nil ? nil : found
    }

    /// Returns the delivery's part that contains this message, even if a damaged part of another delivery
    /// claims the same numbers.
    func part(of message: MessageID, in delivery: DeliveryID) throws -> StoredPart? {
        guard let nearest = try one(HotSQL.partOfMessage(db.dialect), message.rawValue, holderAt: 16) else {
            return nil
        }
        if nearest.part.delivery == delivery { return nearest.index(of: message) == nil ? nil : nearest }
        let own = try db.value(
            Int64.self, sql: HotSQL.partOfMessageInDelivery(db.dialect),
            arguments: [message.rawValue, delivery.rawValue])
        guard let own, let found = try part(PartID(rawValue: own)) else { return nil }
        return found.index(of: message) == nil ? nil : found
    }

    func part(_ id: PartID) throws -> StoredPart? { try one(HotSQL.part, id.rawValue) }

    /// Starts a query for the states of the messages in a part that was read before.
    func ask(forProgressOf part: Part) throws -> any Statement {
        let statement = try db.statement(HotSQL.progress)
        statement.bind(part.id.rawValue, at: 1)
        try statement.start()
        return statement
    }

    /// - Returns: `nil` if the progress cannot be determined without reading the part again.
    func progress(of part: Part, answered statement: any Statement) throws -> PartProgress? {
        defer { statement.reset() }
        guard try statement.next(), statement.integer(9) == part.delivery.rawValue else { return nil }
        return try? PartProgress(StoredPart.row(statement, from: 0), count: part.count)
    }

    /// - Parameter column: The column that contains the term of the host that has the part; `nil` if the term
    ///   is not queried.
    private func one(
        _ sql: String, _ number: Int64, holderAt column: Int32? = nil
    ) throws -> StoredPart? {
        let statement = try db.statement(sql)
        defer { statement.reset() }
        statement.bind(number, at: 1)
        guard try statement.next() else { return nil }
        var part = try StoredPart(statement)
        part.holder = column.flatMap { statement.optionalInteger($0) }
        let owner = DeliveryID(rawValue: statement.integer(14))
        if owner != part.part.delivery, try !mayBe(part.part) {
            throw DamagedPart(part.part.id, of: owner, PartDamage(.contents, .disagrees(column: "delivery")))
        }
        return part
    }

    /// Reports whether a part may belong to the delivery that it claims. If the part's two rows name
    /// different deliveries, one of the rows is wrong.
    func mayBe(_ part: Part) throws -> Bool {
        let last = part.firstOrdinal + Int64(part.count) - 1
        return try db.value(
            Bool.self, sql: HotSQL.impossibleClaim,
            arguments: [part.id.rawValue, part.delivery.rawValue, part.firstOrdinal, last]) == false
    }

    /// Returns the delivery's parts that follow the part `after`, in order.
    func parts(of delivery: DeliveryID, after: PartID?, limit: Int) throws -> [StoredPart] {
        let statement = try db.statement(HotSQL.partsOfDelivery(db.dialect))
        defer { statement.reset() }
        statement.bind(delivery.rawValue, at: 1)
        statement.bind(after?.rawValue ?? 0, at: 2)
        statement.bind(Int64(limit), at: 3)
        var parts: [StoredPart] = []
        while try statement.next() { parts.append(try StoredPart(statement)) }
        return parts
    }

    func members(of part: Part) throws -> PartMembers {
        let statement = try db.statement(HotSQL.members)
        defer { statement.reset() }
        statement.bind(part.id.rawValue, at: 1)
        guard try statement.next() else {
            throw DamagedPart(part.id, of: part.delivery, PartDamage(.members, .count))
        }
        do {
            return try PartMembers(decoding: unsafe Array(statement.bytes(0)), count: part.count)
        } catch {
            throw DamagedPart(part.id, of: part.delivery, error)
        }
    }

    func notes(of part: PartID) throws -> PartNotes {
        let statement = try db.statement(HotSQL.notes)
        defer { statement.reset() }
        statement.bind(part.rawValue, at: 1)
        var notes: ContiguousArray<PartNote> = []
        while try statement.next() {
            notes.append(
                PartNote(
                    index: Int(statement.integer(0)), attempts: Int(statement.integer(1)),
                    due: statement.optionalInteger(2).map(WallTime.init(secondsSince1970:)),
                    providerID: statement.isNull(3)
                        ? nil : unsafe String(decoding: statement.bytes(3), as: UTF8.self)))
        }
        return PartNotes(notes)
    }

    // MARK: Writing

    func insert(_ part: Part, members: PartMembers, progress: PartProgress) throws {
        try db.run(
            sql: """
                INSERT INTO part (id, delivery_id, app_id, first_number, count, members, content)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
                """,
            arguments: [
                part.id.rawValue, part.delivery.rawValue, part.app.rawValue, part.firstOrdinal, part.count,
                members.bytes, part.content.rawValue,
            ])
        let row = progress.row
        try db.run(
            sql: """
                INSERT INTO part_progress (part_id, delivery_id, app_id, states, waiting, next_due, is_open,
                    has_pending, deadline, generation, revision, held_until)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
                """,
            arguments: [
                part.id.rawValue, part.delivery.rawValue, part.app.rawValue, row.states, row.waiting,
                row.nextDue,
                row.isOpen, row.hasPending, row.deadline, row.generation, row.revision,
                row.heldUntil,
            ])
    }

    /// Writes the changes of a part and its notes. The caller writes the tally.
    /// - Returns: `false` if the part has changed since it was read. The caller must read and change it
    ///   again.
    func write(_ change: PartChange, of stored: StoredPart) throws -> Bool {
        guard change.isChanged else { return true }
        let (old, new) = (stored.progress, change.progress)
        let isNarrow =
            old.nextDue == new.nextDue && old.isOpen == new.isOpen && old.hasPending == new.hasPending
            && old.deadline == new.deadline && old.generation == new.generation
            && old.heldUntil == new.heldUntil
        // Most changes affect no indexed column.
        let statement = try db.statement(isNarrow ? HotSQL.writeStates : HotSQL.writePart)
        statement.bind(stored.part.id.rawValue, at: 1)
        statement.bind(old.revision, at: 2)
        unsafe new.row.states.withUnsafeBytes { unsafe statement.bind(blob: $0, at: 3) }
        statement.bind(Int64(new.waiting), at: 4)
        statement.bind(new.revision, at: 5)
        if !isNarrow {
            statement.bind(new.nextDue?.secondsSince1970, at: 6)
            statement.bind(new.isOpen, at: 7)
            statement.bind(new.hasPending, at: 8)
            statement.bind(new.deadline.secondsSince1970, at: 9)
            statement.bind(new.generation, at: 10)
            statement.bind(new.heldUntil?.secondsSince1970, at: 11)
        }
        guard try statement.change() == 1 else { return false }
        try write(change.changedNotes, of: stored.part.id)
        return true
    }

    private func write(_ notes: ContiguousArray<PartNote>, of part: PartID) throws {
        guard !notes.isEmpty else { return }
        let statement = try db.statement(HotSQL.writeNote)
        statement.bind(part.rawValue, at: 1)
        for note in notes {
            statement.bind(Int64(note.index), at: 2)
            statement.bind(Int64(note.attempts), at: 3)
            statement.bind(note.due?.secondsSince1970, at: 4)
            statement.bind(note.providerID, at: 5)
            try statement.run()
        }
    }

    /// Reads, changes and writes a part, and starts again if another writer interferes.
    /// - Returns: `nil` if the part does not exist.
    func change(
        _ id: PartID, _ tallies: inout TallyByApp, _ body: (StoredPart) throws -> PartChange
    ) throws -> (part: StoredPart, change: PartChange)? {
        for _ in 0..<Self.maxTries {
            guard let stored = try part(id) else { return nil }
            let change = try body(stored)
            guard try write(change, of: stored) else { continue }
            tallies.add(change.tally, of: stored.part.app)
            return (stored, change)
        }
        throw ChangedMeanwhile()
    }

    private static let maxTries = 5
}

/// Another writer was repeatedly faster. The transaction must be started again.
struct ChangedMeanwhile: Error {}
