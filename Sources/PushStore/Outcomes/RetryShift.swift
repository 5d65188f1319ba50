package import PushModel

/// What becomes of due times after the wall clock was set back, and how far that has come.
///
/// A retry's row bears the second in which it was recorded, and its due time was reckoned from there. So a row is moved
/// as a whole, both times by the same seconds: by the step's where the clock before the step recorded it, and at least
/// so far that it does not come from the future. What was moved bears a date that a second pass finds in order: a crash
/// in mid-pass moves nothing twice.
package struct RetryShift: Sendable {
    /// By how much the clock was set back; 0: nobody saw it, only rows from the future tell.
    package let stepSeconds: Int64
    /// What was recorded then or later, by the clock before the step, was recorded by that clock.
    let recordedSince: WallTime
    /// By the clock after the step.
    package var now: WallTime
    private(set) var isDone = false
    fileprivate var app: Int64 = 0
    /// The last row that was looked at; nil: none of this app.
    fileprivate var last: (due: Int64, message: Int64)?

    /// A step that was seen.
    package init(stepSeconds: Int64, recordedSince: WallTime, now: WallTime) {
        self.stepSeconds = stepSeconds
        self.recordedSince = recordedSince
        self.now = now
    }

    /// For a store whose rows may have been recorded by a clock that has been set back since.
    package init(now: WallTime) {
        self.init(stepSeconds: 0, recordedSince: now, now: now)
    }

    /// Rows of the present app, or of the one after it. - Returns: how many were looked at.
    fileprivate mutating func advance(_ db: any Session, room: Int) throws -> Int {
        if last == nil {
            let next = try db.value(
                Int64.self, sql: "SELECT id FROM app WHERE id > ?1 ORDER BY id LIMIT 1", arguments: [app])
            guard let next else {
                isDone = true
                return 0
            }
            app = next
            // What is due already need not move.
            last = (now.secondsSince1970, .max)
        }
        guard let start = last else { return 0 }
        let page = try db.statement(HotSQL.retriesAfter)
        defer { page.reset() }
        for (index, value) in [app, start.due, start.message, Int64(room)].enumerated() {
            page.bind(value, at: Int32(index + 1))
        }
        var end = start
        var count = 0
        while try page.next() {
            end = (page.integer(0), page.integer(1))
            count += 1
        }
        if count > 0 {
            let move = try db.statement(HotSQL.moveRetries)
            let arguments = [
                app, start.due, start.message, end.due, end.message, recordedSince.secondsSince1970, stepSeconds,
                now.secondsSince1970,
            ]
            for (index, value) in arguments.enumerated() { move.bind(value, at: Int32(index + 1)) }
            try move.run()
        }
        last = count < room ? nil : end
        return count
    }
}

extension OutcomeWriter {
    /// Moves due times, as many as one transaction takes.
    /// - Returns: false when none is left.
    package func move(_ shift: inout RetryShift) throws(StoreError) -> Bool {
        let start = shift
        shift = try connection.write("move due times with the clock") { db in
            var shift = start
            var room = Connection.chunkRows
            while room > 0, !shift.isDone { room -= try shift.advance(db, room: room) }
            return shift
        }
        return !shift.isDone
    }
}

extension HotSQL {
    /// ?1 app, (?2, ?3) the due time and id after which to go on, ?4 limit.
    static let retriesAfter = """
        SELECT due_at, id FROM message
        WHERE state = \(StateCode.retrying) AND app_id = ?1 AND (due_at, id) > (?2, ?3) ORDER BY due_at, id LIMIT ?4
        """

    /// ?1 app, (?2, ?3) due time and id before the first, (?4, ?5) those of the last, ?6 since when the clock before
    /// the step recorded them, ?7 by how much it was set back, ?8 now.
    static let moveRetries = """
        UPDATE message SET due_at = due_at - \(shift), updated_at = updated_at - \(shift)
        WHERE state = \(StateCode.retrying) AND app_id = ?1 AND (due_at, id) > (?2, ?3) AND (due_at, id) <= (?4, ?5) AND \(shift) > 0
        """

    private static let shift = "max(CASE WHEN updated_at >= ?6 THEN ?7 ELSE 0 END, updated_at - ?8)"
}
