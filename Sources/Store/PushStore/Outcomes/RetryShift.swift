package import PushModel
internal import PushQueue

/// What becomes of due times after the wall clock was set back, and how far that has come.
///
/// A retry bears the second in which it was recorded, and its due time was reckoned from there. So a message
/// is moved as a whole, both times by the same seconds (``PartProgress/moveDueTimes(_:notes:)``). What was
/// moved bears a date that a second pass finds in order: a crash in mid-pass moves nothing twice.
package struct RetryShift: Sendable {
    /// By how much the clock was set back; 0: nobody saw it, only rows from the future tell.
    package let stepSeconds: Int64
    /// What was recorded then or later, by the clock before the step, was recorded by that clock.
    let recordedSince: WallTime
    /// By the clock after the step.
    package var now: WallTime
    private(set) var isDone = false
    /// The last part that was looked at.
    private var last: (delivery: Int64, part: Int64) = (0, 0)

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

    /// As many parts as may have `room` notes.
    fileprivate mutating func advance(_ db: any Session, room: Int) throws {
        let step = ClockStepBack(seconds: stepSeconds, recordedSince: recordedSince, now: now)
        let table = PartTable(db: db)
        // Other hosts' parts were dated by other clocks. A part whose next retry is far off is nobody's: where no other
        // host sends, this one dated it.
        let rows =
            if let term = db.term {
                try db.rows(
                    sql: Self.othersSend(db, term) ? HotSQL.ownRetryingParts : HotSQL.freeRetryingParts,
                    arguments: [last.delivery, last.part, Self.partsPerPage, term])
            } else {
                try db.rows(
                    sql: HotSQL.retryingParts, arguments: [last.delivery, last.part, Self.partsPerPage])
            }
        let parts = try rows.map { (delivery: try $0[0] as Int64, part: try $0[1] as Int64) }
        var written = 0
        for part in parts {
            guard written == 0 || written + PartLimits.messages <= room else { return }
            last = part
            var tallies = TallyByApp()
            do {
                let done = try table.change(PartID(rawValue: part.part), &tallies) { stored in
                    stored.progress.moveDueTimes(step, notes: try table.notes(of: stored.part.id))
                }
                if let (stored, change) = done {
                    written += change.changedNotes.count
                    try TallyTable(db: db).add(tallies, of: stored.part.delivery)
                }
            } catch is DamagedPart {
                // Whoever reads its messages says so.
            }
        }
        isDone = parts.count < Self.partsPerPage
    }

    private static let partsPerPage = 100

    private static func othersSend(_ db: any Session, _ term: Int64) throws -> Bool {
        let sql =
            "SELECT count(*) FROM host WHERE term <> ?1 AND shares > 0 AND state IN ('serving', 'sending')"
        return try db.value(Int64.self, sql: sql, arguments: [term]) ?? 0 > 0
    }
}

extension OutcomeWriter {
    /// Moves due times, as many as one transaction takes.
    /// - Returns: false when none is left.
    package func move(_ shift: inout RetryShift) throws(StoreError) -> Bool {
        let start = shift
        shift = try connection.write("move due times with the clock") { db in
            var shift = start
            try shift.advance(db, room: Connection.chunkRows)
            return shift
        }
        return !shift.isDone
    }
}
