import PushModel
import PushStore
import TestSupport
import Testing

/// A database that several hosts share.
struct SharedDatabase {
    let server: PostgreSQLServer
    private let folder: String

    /// A host of it, as a process has it that has entered.
    struct Host {
        let store: Store
        let register: any HostRegister
        let name: String
        let folder: String
        var id: String { register.host }
        var leases: any PartLeases { register.leases() }

        /// A word of a host that sends and does not lead.
        @discardableResult
        func speak(shares: Int = 1, obeyed moment: Int64 = 0) throws -> HostNews {
            try register.look(
                saying: HostReport(sends: true, shares: shares, obeyedMilliseconds: moment))
        }

        /// What others see of it now.
        func seen(by other: Host) throws -> SeenHost {
            let news = try other.register.look(saying: HostReport(sends: true, shares: 1))
            return try #require(news.others.first { $0.seen.host == id }).seen
        }

        /// Something that a host writes.
        func write(_ number: Int64) throws(StoreError) {
            try store.repair.hold(DeliveryID(rawValue: number), because: "a test", at: TemporaryStore.noon)
        }

        /// A place of another's is not found by a connection that was ended a moment ago.
        func losesPlace(sourceLocation: SourceLocation = #_sourceLocation) {
            eventually("\(name) to be told that its place is not its own", sourceLocation: sourceLocation) {
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

    /// A host that has entered, and stands by.
    func host(_ name: String) throws -> Host {
        let store = try open(name)
        let register = try #require(try store.hostRegister())
        #expect(try register.enter(name: name, release: "1", replacing: nil) == .entered)
        return Host(store: store, register: register, name: name, folder: "\(folder)/\(name)")
    }

    /// A host that sends.
    func sender(_ name: String) throws -> Host {
        let host = try host(name)
        try host.speak()
        return host
    }

    /// What another program makes of statements: a line a row.
    @discardableResult
    func run(_ sql: String) throws -> [String] {
        try #require(TemporaryCluster.shared).run(sql, in: server.database)
    }

    /// `part:name` of all parts that somebody has, in the order of parts.
    func owners() throws -> [String] {
        try run(
            """
            SELECT l.part_id || ':' || coalesce(h.name, 'nobody') FROM part_lease l
                LEFT JOIN host h ON h.term = l.term
            ORDER BY l.part_id
            """)
    }

    /// What stories need to make deliveries, by this host.
    func fixture(of host: Host) throws -> TemporaryStore {
        TemporaryStore(
            folder: host.folder, place: .postgreSQL(server, instanceFolder: host.folder), store: host.store,
            key: try host.store.instanceKey())
    }
}
