internal import Glibc
internal import PushModel

/// A store in a database of a PostgreSQL server, in a separate schema.
struct PostgreSQLStore: StoreEngine {
    let place: String
    let instancePath: String
    let writer: Connection
    let reader: Connection
    private let server: PostgreSQLServer
    private let timeouts: PostgreSQLServer.Timeouts
    private let application: String
    private let connection: PostgreSQLWriter
    private let identity = IdentityWatch()
    private let term = HostTerm()
    private let announcer: PostgreSQLAnnouncer

    /// - Parameter instanceFolder: The folder for this host's own files: key, locks, control socket. Created
    ///   if it does not exist.
    init(
        _ server: PostgreSQLServer, instanceFolder: String, for purpose: StorePurpose,
        busyTimeoutMilliseconds: Int
    ) throws(StoreError) {
        let place = server.place
        self.server = server
        self.place = place
        timeouts = PostgreSQLServer.Timeouts(lockMilliseconds: busyTimeoutMilliseconds)
        // Distinguishes the connections of this process from those of all other processes, on whichever
        // machine.
        application = "pushmta \(getpid()) \(String(UInt64.random(in: 0 ... .max), radix: 36))"
        instancePath = try Self.instanceFile(in: instanceFolder, place)
        announcer = PostgreSQLAnnouncer(
            PostgreSQLChannel(server, timeouts, application: application, identity))
        let atOnce = Store.readersAtOnce
        do {
            connection = try PostgreSQLWriter(
                server, timeouts.ofAWriter(), application: application, identity, term: term)
            try PostgreSQLSchema.prepare(
                connection, for: purpose, timeouts: Double(busyTimeoutMilliseconds) / 1_000, place: place)
            let readers = try PostgreSQLReader(
                server, timeouts, application: application, identity, term: term, atOnce: atOnce)
            writer = Connection(connection, path: place)
            reader = Connection(readers, path: place)
        } catch {
            throw StoreError(postgreSQL: error, during: "open", place: place)
        }
    }

    var keyPath: String { PrivateFile.folder(of: instancePath) + "/instance.key" }

    /// Returns the path of the file with the host's random id, and creates the file if necessary. The store
    /// itself is elsewhere, so this file distinguishes one instance from another.
    private static func instanceFile(in folder: String, _ place: String) throws(StoreError) -> String {
        do throws(PrivateFile.Failure) {
            var path = try PrivateFile.target(of: folder + "/pushmta")
            if !PrivateFile.exists(path) {
                try PrivateFile.createFolder(of: path)
                let id = (0..<2).map { _ in String(UInt64.random(in: 0 ... .max), radix: 16) }.joined()
                _ = try PrivateFile.create(path, containing: Array("\(id)\n".utf8))
                path = try PrivateFile.target(of: path)
            }
            return path
        } catch {
            guard case .system(let why) = error else { throw StoreError(.unwritable, path: folder) }
            throw StoreError(.instanceFolder(folder, why: "\(why); \(StoreError.pathAdvice)"), path: place)
        }
    }

    func lone() throws(StoreError) -> Connection {
        do {
            return Connection(
                try PostgreSQLReader(
                    server, timeouts, application: application, identity, term: term, atOnce: 1),
                path: place)
        } catch {
            throw StoreError(postgreSQL: error, during: "open", place: place)
        }
    }

    func change() -> FileChange? {
        if identity.isReplaced { return FileChange(role: .database, path: place, kind: .replaced) }
        return connection.wasTaken ? FileChange(role: .claim, path: place, kind: .taken) : nil
    }

    func stayConnected() { connection.stayConnected() }

    var batching: WriteQueue.BatchingPolicy { .byAServer }

    /// A database contains one store.
    var nameCount: Int { 1 }

    func claim() throws(StoreError) -> (any StoreClaim)? {
        do { return try connection.claim() ? PostgreSQLClaim(connection) : nil } catch {
            throw StoreError(postgreSQL: error, during: "claim it", place: place)
        }
    }

    func hostRegister() throws(StoreError) -> (any HostRegister)? {
        let bytes: [UInt8]
        do throws(PrivateFile.Failure) { bytes = try PrivateFile.read(instancePath, limit: 1_000) } catch {
            let why =
                if case .system(let why) = error { "\(why); \(StoreError.pathAdvice)" } else { error.words }
            throw StoreError(.instanceFolder(instancePath, why: why), path: place)
        }
        let id = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        guard (8...64).contains(id.utf8.count), id.utf8.allSatisfy({ UInt8(ascii: "0") <= $0 && $0 < 0x7f })
        else {
            let why = "its contents are not a host's id; remove the file, and a new id is created"
            throw StoreError(.instanceFolder(instancePath, why: why), path: place)
        }
        // A renewal must not wait long for a lock, because a late renewal is useless.
        let timeouts = PostgreSQLServer.Timeouts(lockMilliseconds: 5_000)
        // A part that another host is about to take counts as taken.
        let shortPatience = PostgreSQLServer.Timeouts(lockMilliseconds: 200)
        return PostgreSQLHosts(
            host: id, place: place, term: term,
            channel: PostgreSQLChannel(server, timeouts.ofAWriter(), application: application, identity),
            leases: PostgreSQLLeases(
                place: place, term: term,
                channel: PostgreSQLChannel(server, shortPatience, application: application, identity)),
            writer: connection)
    }

    func announceChange() { announcer.announce() }

    /// There is no log that could be lost separately.
    func rescueLog() throws(StoreError) -> Bool { true }

    func copy(
        to file: String, at now: WallMoment, _ proceed: @escaping (BackupProgress) -> Bool
    ) throws(StoreError) -> Bool {
        try PostgreSQLBackup(source: self, destination: file).run(at: now, proceed)
    }

    func durability() throws(StoreError) -> StoreInspection.Durability {
        try writer.read("read its settings") { db in
            let row = try db.row(
                sql: """
                    SELECT current_setting('fsync') = 'on' AND current_setting('synchronous_commit') <> \
                    'off' AS is_full
                    """)
            return StoreInspection.Durability(
                journalMode: "wal", synchronous: try row?["is_full"] ?? false ? 2 : 0)
        }
    }

    /// Returns the generic plan of a statement, which does not depend on the values of parameters.
    func plan(of sql: String, _ db: any Session) throws -> [String] {
        let text = NumberedParameters(sql)
        let nulls = Array(repeating: "NULL", count: text.count).joined(separator: ", ")
        // A plan made specifically for the NULLs that are passed below would be a plan that finds no rows.
        try db.execute(sql: "SET LOCAL plan_cache_mode = force_generic_plan")
        try db.execute(sql: "PREPARE plan_of AS \(text.sql)")
        defer { _ = try? db.execute(sql: "DEALLOCATE plan_of") }
        return try db.values(
            String.self, sql: "EXPLAIN (COSTS OFF) EXECUTE plan_of\(text.count > 0 ? "(\(nulls))" : "")")
    }
}

/// A claim that the writing connection holds for as long as this object exists.
final class PostgreSQLClaim: StoreClaim {
    private let connection: PostgreSQLWriter

    init(_ connection: PostgreSQLWriter) { self.connection = connection }

    deinit { connection.releaseClaim() }
}
