internal import PushModel

/// A number that is raised by each transaction that allows existing parts to be sent or prevents them from
/// being sent: a pause, a resumption, a stop, a release, a recount. A master that received no notification
/// notices the change when it polls the store and finds a different number. The poll reads one row, however
/// large the store is.
///
/// Other work does not raise the number, because a poll finds each kind of work by its own index: parts of
/// new messages have numbers above all known ones, retries have a due time, deliveries to prepare have a
/// state, and a storm is recorded in the row of its account.
enum WorkChange {
    /// Raises the number. Must be called in the transaction that makes the change, after all its other
    /// statements. Until this transaction commits, no other such transaction can change this row, so a
    /// number that was read covers all changes up to it.
    static func note(_ db: any Session) throws { try db.execute(sql: HotSQL.noteWorkChange) }
}

extension WorkReader {
    /// Returns the number that ``WorkChange`` describes. It differs from an earlier result if existing parts
    /// may have become due, or may no longer be due.
    package func changeNumber() throws(StoreError) -> Int64 {
        try connection.read("look for work") { db in
            try db.value(Int64.self, sql: HotSQL.workChangeNumber) ?? 0
        }
    }
}

extension HotSQL {
    static let workChangeNumber = "SELECT number FROM work_change"

    static let noteWorkChange = """
        INSERT INTO work_change ("only", number) VALUES (1, 1)
        ON CONFLICT ("only") DO UPDATE SET number = work_change.number + 1
        """
}
