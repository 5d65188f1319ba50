import PushModel
import PushStore
import TestSupport
import Testing

/// A database that several hosts share.
struct SharedDatabase {
    let server: PostgreSQLServer
    private let folder: String

    /// A host of the database, as seen by a process that has entered.
    struct Host {
        let store: Store
        let register: any HostRegister
        let name: String
        let folder: String
        var id: String { register.host }
        var leases: any PartLeases { register.leases() }

        /// Writes a report, like a host that sends and does not lead.
        @discardableResult
        func speak(shares: Int = 1, obeyed moment: Int64 = 0) throws -> HostUpdate {
            try register.look(
                saying: HostReport(sends: true, shares: shares, obeyedMilliseconds: moment))
        }

        /// Returns what other hosts currently know about this host.
        func seen(by other: Host) throws -> SeenHost {
            let news = try other.register.look(saying: HostReport(sends: true, shares: 1))
            return try #require(news.others.first { $0.seen.host == id }).seen
        }

        /// Performs a write by this host.
        func write(_ number: Int64) throws(StoreError) {
            try store.repair.hold(DeliveryID(rawValue: number), because: "a test", at: TemporaryStore.noon)
        }

        /// Waits until the host learns that another host has its place. A connection that was closed a moment
        /// ago does not report this.
        func losesPlace(sourceLocation: SourceLocation = #_sourceLocation) {
            eventually(
                "\(name) to be notified that another host has its place", sourceLocation: sourceLocation
            ) {
                (try? speak().hasPlace) == false
            }
        }
    }

    static func with(_ story: (SharedDatabase) throws -> Void) throws {
        try TemporaryDatabase.with { server in
            try TemporaryFolder.with { try story(SharedDatabase(server: server, folder: $0)) }
        }
    }

    func open(_ name: String) throws -> Store {
        try Store.open(
            .postgreSQL(server, instanceFolder: "\(folder)/\(name)"), busyTimeoutMilliseconds: 5_000)
    }

    /// Returns a host that has entered and is standing by.
    func host(_ name: String) throws -> Host {
        let store = try open(name)
        let register = try #require(try store.hostRegister())
        #expect(try register.enter(name: name, release: "1", replacing: nil) == .entered)
        return Host(store: store, register: register, name: name, folder: "\(folder)/\(name)")
    }

    /// Returns a host that sends.
    func sender(_ name: String) throws -> Host {
        let host = try host(name)
        try host.speak()
        return host
    }

    /// Runs statements as another program would. Returns one line for each row.
    @discardableResult
    func run(_ sql: String) throws -> [String] {
        try #require(TemporaryCluster.shared).run(sql, in: server.database)
    }

    /// Returns `part:name` for each part that a host owns, in the order of parts.
    func owners() throws -> [String] {
        try run(
            """
            SELECT l.part_id || ':' || coalesce(h.name, 'nobody') FROM part_lease l
                LEFT JOIN host h ON h.term = l.term
            ORDER BY l.part_id
            """)
    }

    /// Returns a fixture with which tests create deliveries through this host.
    func fixture(of host: Host) throws -> TemporaryStore {
        TemporaryStore(
            folder: host.folder, place: .postgreSQL(server, instanceFolder: host.folder), store: host.store,
            key: try host.store.instanceKey())
    }
}
