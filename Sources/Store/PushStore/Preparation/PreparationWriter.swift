package import PushModel
internal import PushQueue

/// The result of one call of ``PreparationWriter/prepareChunk(of:at:)``.
package struct PreparationStep: Equatable, Sendable {
    /// The prepared part; `nil` if the chunk contained no message that can be sent.
    package var part: Part?
    /// The priority of the delivery.
    package var priority = DeliveryPriority.normal
    /// The number of message rows that were written, including excluded ones.
    package var rows = 0
    /// The number of subscriptions that were examined, including those that do not match.
    package var looked = 0
    /// The number of parts that were created.
    package var parts = 0
    /// Whether the delivery is completely prepared.
    package var isComplete = false
    /// Whether the delivery has ended: it is completely prepared, and no message is left to send.
    package var isFinished = false
    /// The impossible content of the table of message numbers, if that table had to be rewritten from the
    /// parts; `nil` if it was not rewritten.
    package var repairedNumbers: String?
}

/// A writer that converts a delivery's target into parts, one chunk at a time.
///
/// **Promises.** A chunk's part, its figures and the cursor are written in one transaction that examines at
/// most 5 000 subscriptions. Whichever process is killed between chunks, no subscription is taken twice and
/// none is omitted. The messages of a part have consecutive numbers that no other messages have ever had. If
/// the delivery has a calendar, a chunk becomes one part for each time at which some of its members are due
/// (``DueTimes``).
package struct PreparationWriter: Sendable {
    let connection: Connection
    let frequency: FrequencyCapMemory
    let groups: SentGroupMemory

    /// The maximum number of small deliveries that share a transaction.
    private static let maxAtOnce = 100

    /// Prepares a chunk of the next delivery. If the chunk is small, chunks of the following deliveries are
    /// added.
    /// - Returns: The steps that were performed, with their deliveries; empty if nothing waits for
    ///   preparation.
    package func prepareNext(
        _ turns: inout PreparationTurns, at now: WallMoment
    ) throws(StoreError) -> [(delivery: DeliveryID, step: PreparationStep)] {
        let before = turns
        let (steps, after) = try connection.write("prepare deliveries") { db in
            var turns = before
            var steps: [(DeliveryID, PreparationStep)] = []
            var room = Connection.chunkRows
            // A large delivery is begun in the rest of a chunk only if the rest is at least half a chunk.
            while room >= Connection.chunkRows / 2, steps.count < Self.maxAtOnce,
                let delivery = try WorkReader(connection: connection).nextToPrepare(at: now, &turns)
            {
                let step = try prepareChunk(of: delivery, limit: room, at: now)
                steps.append((delivery, step))
                room -= max(step.rows, step.looked) + Self.rowsPerStep + step.parts * Self.rowsOfPart
            }
            return (steps, turns)
        }
        turns = after
        return steps
    }

    /// The number of rows that a chunk changes in addition to those that it reads (its delivery's row twice,
    /// a figure, and the row of message numbers), and the number of rows for each of its parts. A calendar
    /// can create hundreds of parts in one chunk.
    private static let rowsPerStep = 4
    private static let rowsOfPart = 2

    /// Prepares the next chunk. For a delivery that needs no further preparation, the step is empty and
    /// complete.
    /// - Parameter limit: The maximum number of messages; `nil` means as many as one transaction can take.
    package func prepareChunk(
        of delivery: DeliveryID, limit: Int? = nil, at now: WallMoment
    ) throws(StoreError) -> PreparationStep {
        try connection.write("prepare a delivery", of: delivery) { db in
            guard var plan = try PreparationPlan.load(delivery, db) else {
                throw StoreError(.unknown(.delivery, name: "\(delivery)"), path: connection.path)
            }
            guard !plan.contradictsItself else {
                // Without this error, a search for work would find the delivery again and again.
                let what = "delivery \(delivery) is in progress but not prepared"
                throw StoreError(.unsound(what: what), path: connection.path)
            }
            guard plan.isUnfinished else { return PreparationStep(isComplete: true) }
            let most = min(limit ?? PartLimits.messages, PartLimits.messages)
            if plan.cursor.app < plan.apps.count, try !isCounted(&plan, at: now, db) {
                // From now on the delivery alternates with other deliveries, even if its start time has just
                // come.
                try db.execute(
                    sql: """
                        UPDATE delivery SET state = 'preparing', started_ms = coalesce(started_ms, ?1)
                        WHERE id = ?2 AND state = 'startPending'
                        """,
                    arguments: [now.millisecondsSince1970, delivery.rawValue])
                return PreparationStep(priority: plan.priority, looked: most)
            }
            guard plan.cursor.app < plan.apps.count else {
                let finished = try conclude(plan, at: now, db)
                return PreparationStep(isComplete: true, isFinished: finished)
            }
            return try prepare(
                plan, app: plan.apps[plan.cursor.app], limit: most, at: now, db)
        }
    }

    /// Performs a step of the counting that comes before the first chunk, or after an interruption.
    /// - Returns: Whether a chunk can be prepared.
    private func isCounted(
        _ plan: inout PreparationPlan, at now: WallMoment, _ db: any Session
    ) throws -> Bool {
        if !plan.groupKeys.isEmpty {
            plan.groups = try groups.step(for: plan, db)
            guard plan.groups != nil else { return false }
        }
        guard let cap = plan.frequencyCap else { return true }
        return try frequency.count(for: plan, cap, at: now.time, db)
    }

    private func prepare(
        _ plan: PreparationPlan, app: AppID, limit: Int, at now: WallMoment, _ db: any Session
    ) throws -> PreparationStep {
        var selection = TargetSelection(plan, app: app, limit: limit)
        try selection.select(db)
        if plan.frequencyCap != nil { frequency.mark(&selection.members, of: app, plan.service) }
        var step = PreparationStep(
            priority: plan.priority, rows: selection.members.count, looked: selection.looked)
        try insertParts(of: plan, app: app, selection, at: now, &step, db)
        try db.run(
            sql: """
                UPDATE delivery SET state = 'preparing', started_ms = coalesce(started_ms, ?1),
                    app_cursor = ?2, page_cursor = ?3, value_cursor = ?4, subscription_cursor = ?5,
                    last_ordinal = last_ordinal + ?6, target_parameters = coalesce(?8, target_parameters)
                WHERE id = ?7
                """,
            arguments: [
                now.millisecondsSince1970, selection.next.app, selection.next.page, selection.next.value,
                selection.next.subscription, step.rows, plan.delivery.rawValue,
                try UnknownRecipients.column(of: plan, adding: selection.unknown, devices: selection.found),
            ])
        if selection.next.app >= plan.apps.count {
            step.isComplete = true
            step.isFinished = try conclude(plan, at: now, db)
        }
        return step
    }

    /// Inserts one part, or one for each time at which some of the members are due.
    private func insertParts(
        of plan: PreparationPlan, app: AppID, _ selection: TargetSelection, at now: WallMoment,
        _ step: inout PreparationStep, _ db: any Session
    ) throws {
        let members = selection.members
        var groups = [DueTimes.Group(due: nil, members: members)]
        if let calendar = plan.calendar, !members.isEmpty {
            var times = DueTimes(calendar, of: plan.delivery, begin: plan.begin, now: now.time)
            groups = try times.groups(of: members, from: plan.lastOrdinal, db)
        }
        guard !members.isEmpty else { return }
        // The row of message numbers and the figures are each written once, however many parts are made of
        // the chunk.
        let numbers = try NumberTable(db: db).take(members.count)
        step.repairedNumbers = numbers.repaired
        var (taken, tallies, events) = (0, TallyByApp(), EndedEvents?.none)
        for group in groups {
            let part = Part(
                id: PartID(rawValue: numbers.first + Int64(taken)), delivery: plan.delivery, app: app,
                firstOrdinal: plan.lastOrdinal + Int64(taken) + 1, count: group.members.count)
            guard let part else { throw UnreadableValue() }
            let made = try insert(part, group, saying: selection.variables, of: plan, at: now, db)
            let tally = made.states.tally()
            tallies.add(tally, of: app)
            if tally.counts.excluded > 0 {
                let known = try events ?? EndedEvents(WantedEvents(db))
                try known.note(excludedIn: made.states, of: part)
                events = known
            }
            step.parts += 1
            taken += group.members.count
            // A part that is held back is not reported here, because it is found when it is released.
            if group.due == nil, made.isOpen { step.part = part }
        }
        try TallyTable(db: db).add(tallies, of: plan.delivery)
        try events?.write(of: plan.delivery, at: now, db)
    }

    /// - Returns: Whether any of the part's messages waits to be sent, and the states of the messages.
    private func insert(
        _ part: Part, _ group: DueTimes.Group, saying variables: [[UInt8]], of plan: PreparationPlan,
        at now: WallMoment, _ db: any Session
    ) throws -> (isOpen: Bool, states: PartStates) {
        let members = group.members
        let isSorted = zip(members, members.dropFirst()).allSatisfy { $0.subscription <= $1.subscription }
        let sorted = isSorted ? members : members.sorted { $0.subscription < $1.subscription }
        let states = try PartStates(Self.stretches(sorted, at: now.time))
        let progress = PartProgress(states: states, deadline: plan.expiresAt, due: group.due)
        let ids = try PartMembers(ContiguousArray(sorted.map { SubscriptionID(rawValue: $0.subscription) }))
        try PartTable(db: db).insert(part, members: ids, progress: progress)
        if plan.details?.variables != nil {
            try PartVariables(db: db).insert(sorted, of: part.id, variables)
        }
        note(part, sorted, of: plan)
        return (progress.isOpen, states)
    }

    private func note(_ part: Part, _ members: [TargetSelection.Member], of plan: PreparationPlan) {
        guard plan.isCounted else { return frequency.forget(plan.service) }
        let meant = members.lazy.filter(\.isMeant).map { SubscriptionID(rawValue: $0.subscription) }
        frequency.note(part, ContiguousArray(meant), of: plan.service)
    }

    private static func stretches(
        _ members: [TargetSelection.Member], at now: WallTime
    ) -> ContiguousArray<(status: MessageStatus, count: Int)> {
        var stretches: ContiguousArray<(status: MessageStatus, count: Int)> = []
        for member in members {
            let cause: CauseCode =
                switch member.disabled {
                case StateCode.valid where member.isReachedElsewhere: .oncePerUser
                case StateCode.valid: member.isCapped ? .frequencyCap : .none
                case StateCode.quarantined: .quarantined
                case StateCode.optedOut: .optedOut
                default: .disabled
                }
            if let last = stretches.last, last.status.cause == cause {
                stretches[stretches.count - 1].count += 1
            } else {
                let state: MessageState = cause == .none ? .pending : .excluded
                stretches.append((MessageStatus(state, isTried: false, cause: cause, since: now), 1))
            }
        }
        return stretches
    }

    /// - Returns: Whether this ended the delivery.
    private func conclude(_ plan: PreparationPlan, at now: WallMoment, _ db: any Session) throws -> Bool {
        if plan.groups != nil { groups.forget(plan.delivery) }
        try db.execute(
            sql: """
                UPDATE delivery SET prepared = 1, state = 'inProgress', started_ms = coalesce(started_ms, \
                ?1) WHERE id = ?2
                """,
            arguments: [now.millisecondsSince1970, plan.delivery.rawValue])
        if plan.details?.variables != nil {
            // The parts now contain the values.
            try db.execute(
                sql: "UPDATE delivery_target SET variables = NULL WHERE delivery_id = ?1",
                arguments: [plan.delivery.rawValue])
        }
        return try DeliveryEnd.finishIfDone(plan.delivery, at: now, db)
    }
}
