internal import PushModel
internal import PushQueue

/// A part as an earlier version had it: a range of message rows.
struct OldPart {
    let id: Int64
    let delivery: DeliveryID
    let app: AppID
    /// The numbers of its messages.
    let first: Int64
    let last: Int64
    let firstOrdinal: Int64

    init(_ row: Row) throws {
        id = try row["id"]
        delivery = DeliveryID(rawValue: try row["delivery_id"])
        app = AppID(rawValue: try row["app_id"])
        (first, last, firstOrdinal) = (try row["first_id"], try row["last_id"], try row["first_ordinal"])
    }

    /// What to take it over changes, about; 1 where the part's own row makes no sense.
    var rows: Int {
        let (span, isNone) = last.subtractingReportingOverflow(first)
        return isNone || span < 0 ? 1 : Int(min(span, Int64(Connection.maximumRows))) + 5
    }

    struct NewPart {
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
    /// - Throws: where its rows make no sense.
    func newParts(_ db: any Session) throws -> [NewPart] {
        guard first > 0, first <= last, last &- first < Int64(Connection.maximumRows) else {
            throw UnreadableValue()
        }
        let deadline = try db.value(
            Int64.self, sql: "SELECT expires_at FROM delivery WHERE id = ?1", arguments: [delivery.rawValue])
        let messages = try messages(db)
        guard !messages.isEmpty else { throw UnreadableValue() }
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
            let id = messages[start].id
            guard
                let part = Part(
                    id: PartID(rawValue: id), delivery: delivery, app: app,
                    firstOrdinal: try ordinal(of: id), count: slice.count)
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
                    index: index, attempts: message.attempts, due: message.due, providerID: message.providerID
                ))
        }
        let states = try PartStates(messages.lazy.map { (status: $0.status, count: 1) })
        let fresh = PartProgress(states: states, deadline: deadline)
        let progress = try PartProgress(mending: fresh.row, count: states.count, notes: PartNotes(notes))
        return NewPart(
            part: part, members: try PartMembers(messages.lazy.map(\.subscription)), progress: progress,
            notes: notes)
    }

    private func ordinal(of id: Int64) throws -> Int64 {
        let (ordinal, isTooLarge) = firstOrdinal.addingReportingOverflow(id - first)
        guard !isTooLarge else { throw UnreadableValue() }
        return ordinal
    }

    private func messages(_ db: any Session) throws -> [OldMessage] {
        var causes = CauseStore(delivery, db)
        return try db.rows(
            sql: "SELECT * FROM old_message WHERE id BETWEEN ?1 AND ?2 AND delivery_id = ?3 ORDER BY id",
            arguments: [first, last, delivery.rawValue]
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
