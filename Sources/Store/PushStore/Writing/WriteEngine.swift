internal import PushModel

/// A transaction that did not end well.
package struct TransactionFailure: Error {
    package var error: StoreError
    /// Whether the error came with the commit, so that only ``WriteEngine/lastGroup()`` can tell.
    package var mayBeCommitted: Bool

    package init(_ error: StoreError, mayBeCommitted: Bool) {
        self.error = error
        self.mayBeCommitted = mayBeCommitted
    }
}

/// What ``WriteService`` needs of a database: a transaction that notes its group's number.
package protocol WriteEngine: Sendable {
    /// Runs the body in one transaction; where it changed anything, the number is written in the same.
    func transaction(group: Int64, _ body: () throws(StoreError) -> Void) throws(TransactionFailure)
    /// The number of the last group that is committed; 0: none.
    func lastGroup() throws(StoreError) -> Int64
}

/// A group that is written with its number, which counts its writer's.
struct WrittenGroup: Equatable, Sendable {
    var writer: String
    var number: Int64
}

/// What lies in a store, by the number in its writer's row.
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
