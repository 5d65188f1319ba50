internal import PushModel

/// A transaction that failed.
package struct TransactionFailure: Error {
    package var error: StoreError
    /// Whether the error occurred during the commit, so that the result can be determined only by
    /// ``WriteEngine/lastGroup()``.
    package var mayBeCommitted: Bool

    package init(_ error: StoreError, mayBeCommitted: Bool) {
        self.error = error
        self.mayBeCommitted = mayBeCommitted
    }
}

/// The part of a database that ``WriteService`` needs: a transaction that records its group's number.
package protocol WriteEngine: Sendable {
    /// Runs the body in one transaction. If the body changed anything, the same transaction writes the
    /// group's number.
    func transaction(group: Int64, _ body: () throws(StoreError) -> Void) throws(TransactionFailure)
    /// Returns the number of the last committed group; 0 if there is none.
    func lastGroup() throws(StoreError) -> Int64
}

/// A group that is written with its number. The numbers count the groups of a writer.
struct WrittenGroup: Equatable, Sendable {
    var writer: String
    var number: Int64
}

/// The write engine of a store. It reads the last committed group from the number in its writer's row.
struct StoreWriteEngine: WriteEngine {
    let connection: Connection
    let name: String

    func transaction(group: Int64, _ body: () throws(StoreError) -> Void) throws(TransactionFailure) {
        try connection.group(body) { db in
            let noting = try db.statement(HotSQL.noteGroup)
            noting.bind(name, at: 1)
            noting.bind(group, at: 2)
            try noting.run()
            return WrittenGroup(writer: name, number: group)
        }
    }

    func lastGroup() throws(StoreError) -> Int64 {
        try connection.readSettled("read its last group") { db in
            try db.value(Int64.self, sql: "SELECT last_group FROM writer WHERE name = ?1", arguments: [name])
                ?? 0
        }
    }
}
