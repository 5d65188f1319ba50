internal import PushModel

/// A number that each transaction raises that lets existing parts be sent, or keeps them from it: a pause, a
/// resumption, a stop, a release, a recount. A master that received no notification learns of the change when it
/// polls the store and finds another number, at the cost of one row, however large the store is.
///
/// Other work needs no entry, because a poll finds it by its own index: parts of new messages have numbers above all
/// that are known, retries have a due time, deliveries to prepare have a state, and storms are rows of their accounts.
enum WorkChange {
    /// To be called in the transaction that makes the change, behind all its other statements: until it commits, no
    /// other such transaction goes past this row, so that a number that was read stands for all changes up to it.
    static func note(_ db: any Session) throws { try db.execute(sql: HotSQL.noteWorkChange) }
}

extension WorkReader {
    /// See ``WorkChange``. It differs from an earlier answer if existing parts may have become due, or are due no more.
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
