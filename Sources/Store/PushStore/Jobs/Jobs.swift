package import PushModel

/// The state of a job: see ``JobRow``.
package enum JobState: Int64, CaseIterable, Sendable {
    case waiting = 0
    case running = 1
    case done = 2
    case failed = 3
    case cancelled = 4
}

/// An operation of many steps, as the store keeps it: accepted, in progress or ended.
package struct JobRow: Equatable, Sendable {
    package var id: Int64
    /// A use case's name, such as `subscribers.erase`.
    package var operation: String
    /// The members of the request as JSON, from which any process can perform the job; `nil` if the job has
    /// ended or cannot be repeated.
    package var request: String?
    /// A token's name, or the user of a command.
    package var caller: String
    /// The service to whose objects the job is limited; `nil` if the job may concern the whole instance.
    package var service: ServiceID?
    package var state: JobState
    /// The progress as JSON.
    package var progress: String?
    /// The result as JSON.
    package var result: String?
    /// One line for each fault, separated by line feeds.
    package var errors: String?
    package var isCancelled: Bool
    package var created: WallMoment
    /// The time of the last report from the process that performs the job.
    package var updated: WallMoment
    package var ended: WallMoment?

    fileprivate init(row: Row) throws {
        let cancelled: Int64 = try row["is_cancelled"]
        guard let state = JobState(rawValue: try row["state"]) else { throw UnreadableValue() }
        let ended: Int64? = try row["ended_ms"]
        id = try row["id"]
        service = (try row["service_id"] as Int64?).map(ServiceID.init(rawValue:))
        (operation, request, caller) = (try row["operation"], try row["request"], try row["caller"])
        (progress, result, errors) = (try row["progress"], try row["result"], try row["errors"])
        (self.state, isCancelled) = (state, cancelled != 0)
        created = WallMoment(millisecondsSince1970: try row["created_ms"])
        updated = WallMoment(millisecondsSince1970: try row["updated_ms"])
        self.ended = ended.map(WallMoment.init(millisecondsSince1970:))
    }
}

/// Reads jobs.
package struct JobReader: Sendable {
    let connection: Connection
    /// The services whose jobs exist for the caller. A job that may concern the whole instance exists only
    /// for a caller without bounds.
    var bounds = ServiceBounds.unbound

    package func find(_ id: Int64) throws(StoreError) -> JobRow? {
        try connection.read("read a job") { db in
            try db.row(sql: "SELECT * FROM job WHERE id = ?1", arguments: [id]).map { try JobRow(row: $0) }
                .flatMap { isAdmitted($0) ? $0 : nil }
        }
    }

    /// Returns jobs, the newest first. A page may have fewer jobs than the limit even if more follow.
    /// - Parameter before: `next` of the previous page; `nil` for the first page.
    package func page(before: Int64?, limit: Int) throws(StoreError) -> (jobs: [JobRow], next: Int64?) {
        try connection.read("list jobs") { db in
            let rows = try db.rows(
                sql: "SELECT * FROM job WHERE id < ?1 ORDER BY id DESC LIMIT ?2",
                arguments: [before ?? .max, limit]
            ).map { try JobRow(row: $0) }
            return (rows.filter(isAdmitted), rows.count == limit ? rows.last?.id : nil)
        }
    }

    private func isAdmitted(_ job: JobRow) -> Bool {
        job.service.map { bounds.admit($0) } ?? !bounds.areSet
    }

    /// Returns jobs that have not ended and whose process has not reported since this moment.
    package func silent(since moment: WallMoment, limit: Int) throws(StoreError) -> [JobRow] {
        try connection.read("look for jobs") { db in
            try db.rows(
                sql: """
                    SELECT * FROM job WHERE ended_ms IS NULL AND updated_ms < ?1 ORDER BY updated_ms, id \
                    LIMIT ?2
                    """, arguments: [moment.millisecondsSince1970, limit]
            ).map { try JobRow(row: $0) }
        }
    }
}

/// Writes jobs. A job that has ended is kept for ``keptDays`` days.
package struct JobWriter: Sendable {
    package static let keptDays: Int64 = 30
    /// The maximum number of old jobs that are deleted when a new job begins.
    private static let maxRemoved = 10

    let connection: Connection

    /// - Parameter service: The service to whose objects the job is limited; `nil` if the job may concern the
    ///   whole instance.
    /// - Returns: The id of the job.
    package func begin(
        _ operation: String, request: String?, caller: String, service: ServiceID? = nil, at now: WallMoment
    ) throws(StoreError) -> Int64 {
        try connection.write("begin a job") { db in
            let oldest = now.millisecondsSince1970.clampedDifference(Self.keptDays * 86_400_000)
            try db.execute(
                sql: """
                    DELETE FROM job WHERE id IN (
                        SELECT id FROM job WHERE ended_ms < ?1 AND ended_ms IS NOT NULL ORDER BY ended_ms
                        LIMIT ?2)
                    """, arguments: [oldest, Self.maxRemoved])
            return try db.insert(
                """
                INSERT INTO job
                    (operation, request, caller, state, is_cancelled, created_ms, updated_ms, service_id)
                VALUES (?1, ?2, ?3, ?4, 0, ?5, ?5, ?6)
                """,
                [
                    operation, request, caller, JobState.waiting.rawValue, now.millisecondsSince1970,
                    service?.rawValue,
                ])
        }
    }

    /// Records that this process is still performing these jobs.
    /// - Returns: The ids of the jobs that must be cancelled.
    package func touch(_ ids: [Int64], at now: WallMoment) throws(StoreError) -> [Int64] {
        try connection.write("keep jobs") { db in
            try ids.filter { id in
                try db.execute(
                    sql: "UPDATE job SET updated_ms = ?2 WHERE id = ?1 AND ended_ms IS NULL",
                    arguments: [id, now.millisecondsSince1970])
                return try db.value(Int64.self, sql: Self.isCancelled, arguments: [id]) == 1
            }
        }
    }

    /// - Returns: Whether the job must be cancelled.
    package func update(
        _ id: Int64, progress: String?, result: String?, at now: WallMoment
    ) throws(StoreError) -> Bool {
        try connection.write("record a job's progress") { db in
            try db.execute(
                sql: """
                    UPDATE job SET state = ?2, progress = ?3, result = ?4, updated_ms = ?5
                    WHERE id = ?1 AND ended_ms IS NULL
                    """,
                arguments: [
                    id, JobState.running.rawValue, progress, result, now.millisecondsSince1970,
                ])
            return try db.value(Int64.self, sql: Self.isCancelled, arguments: [id]) == 1
        }
    }

    /// Ends a job. The request is deleted, because it may name a person.
    package func end(
        _ id: Int64, as state: JobState, progress: String?, result: String?, errors: String?,
        at now: WallMoment
    ) throws(StoreError) {
        try connection.write("end a job") { db in
            try db.execute(
                sql: """
                    UPDATE job SET state = ?2, progress = coalesce(?3, progress), result = coalesce(?4, \
                    result),
                        errors = ?5, updated_ms = ?6, ended_ms = ?6, request = NULL
                    WHERE id = ?1 AND ended_ms IS NULL
                    """,
                arguments: [
                    id, state.rawValue, progress, result, errors, now.millisecondsSince1970,
                ])
        }
    }

    /// Requests that the process that performs the job end it between two steps.
    /// - Returns: The job; `nil` if it does not exist.
    package func cancel(_ id: Int64) throws(StoreError) -> JobRow? {
        try connection.write("cancel a job") { db in
            try db.execute(
                sql: "UPDATE job SET is_cancelled = 1 WHERE id = ?1 AND ended_ms IS NULL", arguments: [id])
            return try db.row(sql: "SELECT * FROM job WHERE id = ?1", arguments: [id]).map {
                try JobRow(row: $0)
            }
        }
    }

    /// Takes over a job whose process is silent.
    /// - Returns: `false` if another process was faster, or if the job's process has reported since.
    package func adopt(_ job: JobRow, at now: WallMoment) throws(StoreError) -> Bool {
        try connection.write("take over a job") { db in
            try db.execute(
                sql: "UPDATE job SET updated_ms = ?3 WHERE id = ?1 AND updated_ms = ?2 AND ended_ms IS NULL",
                arguments: [job.id, job.updated.millisecondsSince1970, now.millisecondsSince1970]) == 1
        }
    }

    private static let isCancelled = "SELECT is_cancelled FROM job WHERE id = ?1"
}
