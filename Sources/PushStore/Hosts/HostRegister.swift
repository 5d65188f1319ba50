package import PushModel

/// The host that serves, as the store showed it.
package struct SeenHost: Equatable, Sendable {
    package var host: String
    package var name: String
    /// Of its process, at random.
    package var session: String
    package var generation: Int64
    /// Counts what it said: another number is another renewal, whatever the store's clock was set to.
    package var word: Int64

    package init(host: String, name: String, session: String, generation: Int64, word: Int64) {
        (self.host, self.name, self.session) = (host, name, session)
        (self.generation, self.word) = (generation, word)
    }
}

/// What came of entering a host into the list.
package enum HostEntry: Equatable, Sendable {
    case entered
    /// A process has this id already, or had it. - Parameter isConnected: the server knows a connection of it.
    case known(SeenHost, isConnected: Bool)
}

/// This host in the list of those that share a store, by a connection of its own that waits for nobody's
/// writes.
package protocol HostRegister: AnyObject, Sendable {
    /// This host's id: of its instance folder, at random.
    var host: String { get }
    /// - Parameter session: of an earlier process of this host, whose place is taken.
    func enter(name: String, release: String, replacing session: String?) throws(StoreError) -> HostEntry
    /// Says that this host stands by, and looks who serves; nil: nobody, or whoever did said goodbye.
    /// - Throws: also where this id is another process's by now.
    func look() throws(StoreError) -> SeenHost?
    /// Serves from now on, where what was seen is still so and the store's clock agrees that it is time.
    /// - Returns: nil where it is not.
    func takeOver(
        from seen: SeenHost?, afterMilliseconds: Int64
    ) throws(StoreError) -> (generation: Int64, claim: any StoreClaim)?
    /// - Returns: whether this host serves still, by this generation.
    func renew(generation: Int64, forMilliseconds: Int64) throws(StoreError) -> Bool
    /// Nothing of this host is under way any more: another may take over at once.
    func leave() throws(StoreError)
}

/// A host as an operator sees it.
package struct HostRow: Equatable, Sendable {
    package var id: String
    package var name: String
    package var release: String
    /// `serving`, `standby`, `gone` after a goodbye, or `lost`: another took over.
    package var state: String
    package var since: WallMoment
    /// How old its last word is, by the store's clock.
    package var silentMilliseconds: Int64
    /// By which it serves, or served last; 0: it never did.
    package var generation: Int64
}

/// Reads the list of hosts.
package struct HostReader: Sendable {
    let connection: Connection

    /// Whoever serves first, then by name. Where a store is one host's by its nature, nobody.
    package func all() throws(StoreError) -> [HostRow] {
        try connection.read("list the hosts") { db in
            guard db.dialect == .postgreSQL else { return [] }
            return try db.rows(sql: PostgreSQLHosts.list).map { row in
                HostRow(
                    id: try row["id"], name: try row["name"], release: try row["release"],
                    state: try row["state"],
                    since: WallMoment(millisecondsSince1970: try row["since_ms"]),
                    silentMilliseconds: max(try row["silent_ms"], 0), generation: try row["generation"])
            }
        }
    }
}
