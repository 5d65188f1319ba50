package import PushModel
internal import PushQueue

/// An adjustment of due times after the wall clock was set back, and how far the adjustment has progressed.
///
/// A retry contains the second in which it was recorded, and its due time was calculated from that second.
/// Both times of a message are therefore moved together, by the same number of seconds
/// (``PartProgress/moveDueTimes(_:notes:)``). A second pass finds the times of a moved message correct, so
/// nothing is moved twice after a crash during a pass.
package struct RetryShift: Sendable {
    /// The number of seconds by which the clock was set back; 0 if the step was not observed and the only
    /// indication of it is rows dated in the future.
    package let stepSeconds: Int64
    /// The start of the affected period, according to the clock before the step. Any record with this time or
    /// a later one was dated by that clock.
    let recordedSince: WallTime
    /// The current time, by the clock after the step.
    package var now: WallTime
    private(set) var isDone = false
    /// The last part that was examined.
    private var last: (delivery: Int64, part: Int64) = (0, 0)

    /// Creates the adjustment for a step that was observed.
    package init(stepSeconds: Int64, recordedSince: WallTime, now: WallTime) {
        self.stepSeconds = stepSeconds
        self.recordedSince = recordedSince
        self.now = now
    }

    /// Creates the adjustment for a store whose rows may have been recorded before the clock was set back.
    package init(now: WallTime) {
        self.init(stepSeconds: 0, recordedSince: now, now: now)
    }

    /// Moves the due times of the next parts. Stops before the notes that change could exceed `room`, but
    /// processes at least one part.
    fileprivate mutating func advance(_ db: any Session, room: Int) throws {
        let step = ClockStepBack(seconds: stepSeconds, recordedSince: recordedSince, now: now)
        let table = PartTable(db: db)
        // Parts of other hosts were dated by other clocks. A part whose next retry is far off belongs to no
        // host. If no other host sends, such a part was dated by this host.
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
                // The component that reads the part's messages reports the damage.
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
    /// Moves as many due times as one transaction can take.
    /// - Returns: `false` if none are left.
    package func move(_ shift: inout RetryShift) throws(StoreError) -> Bool {
        let start = shift
        shift = try connection.write("adjust due times to the clock") { db in
            var shift = start
            try shift.advance(db, room: Connection.chunkRows)
            return shift
        }
        return !shift.isDone
    }
}
