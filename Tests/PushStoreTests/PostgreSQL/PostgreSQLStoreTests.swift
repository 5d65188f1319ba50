import Dispatch
import Foundation
import PushModel
import PushStore
import Synchronization
import TestSupport
import Testing

/// Tests opening a store on PostgreSQL, and errors in doing so.
@Suite(.onPostgreSQL) struct PostgreSQLStoreTests {
    private func withDatabase(
        encoding: String? = nil, _ body: (TemporaryCluster, PostgreSQLServer) throws -> Void
    ) throws {
        let cluster = try #require(TemporaryCluster.shared)
        let server = try cluster.makeDatabase(encoding: encoding)
        defer { try? cluster.drop(server) }
        try body(cluster, server)
    }

    private func open(_ server: PostgreSQLServer, in folder: String) throws -> Store {
        try Store.open(.postgreSQL(server, instanceFolder: folder), busyTimeoutMilliseconds: 2_000)
    }

    private func expectUnreachable(
        _ server: PostgreSQLServer, _ words: String..., sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try TemporaryFolder.with { folder in
            guard case .unreachable(let why) = cause(of: { _ = try open(server, in: folder) }) else {
                Issue.record("it is in reach", sourceLocation: sourceLocation)
                return
            }
            for word in words { #expect(why.contains(word), "\(why)", sourceLocation: sourceLocation) }
            #expect(!why.contains("hunter2") && !why.contains("\n"), sourceLocation: sourceLocation)
        }
    }

    @Test func `the instance's own files are in its own folder`() throws {
        try withDatabase { _, server in
            try TemporaryFolder.with { folder in
                let store = try open(server, in: folder + "/var")
                _ = try store.instanceKey()
                #expect(store.path == server.place && store.instancePath == folder + "/var/pushmta")
                #expect(TemporaryFolder.mode(of: store.instancePath) == 0o600)
                #expect(TemporaryFolder.mode(of: folder + "/var/instance.key") == 0o600)
                // The same key is required in the other store. Another key is refused.
                expect(.keyMissing(path: folder + "/other/instance.key")) {
                    _ = try open(server, in: folder + "/other").instanceKey()
                }
            }
        }
    }

    /// The server refuses such a text in any statement. The error is attributed to the caller and is not
    /// trouble with the store.
    @Test func `a text with a NUL character is refused`() throws {
        try withDatabase { _, server in
            try TemporaryFolder.with { folder in
                let store = try open(server, in: folder)
                expect(.textWithNUL) { _ = try store.catalogue.app(named: "a\0b") }
                let writer = store.catalogueWriter(key: try store.instanceKey())
                expect(.textWithNUL) {
                    _ = try writer.createService(name: "a\0b", label: "b")
                }
                #expect(StoreError(.textWithNUL, path: store.path).isRefusal)
            }
        }
    }

    @Test func `several processes that open a new store together all find it complete`() throws {
        try withDatabase { _, server in
            try TemporaryFolder.with { folder in
                let failures = Failures()
                DispatchQueue.concurrentPerform(iterations: 4) { number in
                    do { _ = try open(server, in: folder + "/\(number)").catalogue.apps() } catch {
                        failures.add("\(error)")
                    }
                }
                #expect(failures.all == [])
            }
        }
    }

    @Test func `a wrong password is reported, and the correct password opens the store`() throws {
        try withDatabase { cluster, server in
            try cluster.run(
                "CREATE ROLE asked LOGIN PASSWORD 'sesame'; GRANT ALL ON DATABASE \(server.database) TO asked"
            )
            defer { _ = try? cluster.run("DROP OWNED BY asked; DROP ROLE asked", in: server.database) }
            try TemporaryFolder.with { folder in
                var asked = cluster.address(of: server.database, account: "asked")
                asked.passwordFile = folder + "/password"
                try "hunter2\n".write(toFile: folder + "/password", atomically: true, encoding: .utf8)
                TemporaryFolder.setMode(0o644, of: folder + "/password")
                expect(
                    .passwordFile(folder + "/password", why: "it can be read by others; run chmod 600 on it")
                ) {
                    _ = try open(asked, in: folder)
                }
                TemporaryFolder.setMode(0o600, of: folder + "/password")
                try expectUnreachable(asked, "password authentication failed", "passwordFile")
                try "sesame\n".write(toFile: folder + "/password", atomically: true, encoding: .utf8)
                TemporaryFolder.setMode(0o600, of: folder + "/password")
                #expect(try open(asked, in: folder).catalogue.apps() == [])
                asked.passwordFile = folder + "/absent"
                expect(.passwordFile(folder + "/absent", why: "there is no such file")) {
                    _ = try open(asked, in: folder)
                }
                asked.passwordFile = nil
                try expectUnreachable(asked, "no password supplied")
            }
        }
    }

    @Test func `a database with another encoding is refused`() throws {
        try withDatabase(encoding: "SQL_ASCII") { _, server in
            try expectUnreachable(server, "the database's encoding is SQL_ASCII")
        }
    }

    @Test func `the error for a missing database or server contains the name`() throws {
        let cluster = try #require(TemporaryCluster.shared)
        try expectUnreachable(cluster.address(of: "absent"), "\"absent\" does not exist")
        let nowhere = PostgreSQLServer(hosts: [.init(name: "/nowhere")], account: "a", database: "b")
        try expectUnreachable(nowhere, "/nowhere/.s.PGSQL.5432")
        #expect(nowhere.place == "postgresql:/nowhere/b")
    }

    @Test func `the error for an account without permissions names the permissions that it needs`() throws {
        try withDatabase { cluster, server in
            try TemporaryFolder.with { folder in _ = try open(server, in: folder) }
            try cluster.run("CREATE ROLE stranger LOGIN")
            defer { _ = try? cluster.run("DROP OWNED BY stranger; DROP ROLE stranger", in: server.database) }
            let stranger = cluster.address(of: server.database, account: "stranger")
            let grants = """
                GRANT USAGE ON SCHEMA pushmta TO stranger; GRANT ALL ON ALL TABLES IN SCHEMA pushmta TO stranger; \
                GRANT ALL ON ALL SEQUENCES IN SCHEMA pushmta TO stranger
                """
            try expectUnreachable(stranger, "42501", grants)
            try cluster.run("GRANT USAGE ON SCHEMA pushmta TO stranger", in: server.database)
            try expectUnreachable(stranger, "42501", grants)
            try cluster.run(grants, in: server.database)
            try TemporaryFolder.with { folder in _ = try open(stranger, in: folder).instanceKey() }
        }
    }

    @Test func `the error for an account that may not create objects names the GRANT that a new store needs`()
        throws
    {
        try withDatabase { cluster, server in
            try cluster.run(#"CREATE ROLE "new One" LOGIN"#)
            defer {
                _ = try? cluster.run(
                    #"DROP OWNED BY "new One" CASCADE; DROP ROLE "new One""#, in: server.database)
            }
            let account = cluster.address(of: server.database, account: "new One")
            // The schema is missing. Only the permission to create a schema helps, and a permission on the
            // schema public does not.
            try cluster.run(#"GRANT CREATE ON SCHEMA public TO "new One""#, in: server.database)
            try expectUnreachable(
                account, "42501", #"GRANT CREATE ON DATABASE \#(server.database) TO "new One""#)
            // An administrator has created the schema.
            try cluster.run("CREATE SCHEMA pushmta", in: server.database)
            let grant = #"GRANT USAGE, CREATE ON SCHEMA pushmta TO "new One""#
            try expectUnreachable(account, "42501", grant)
            try cluster.run(#"GRANT CREATE ON SCHEMA pushmta TO "new One""#, in: server.database)
            try expectUnreachable(account, "42501", grant)
            try cluster.run(grant, in: server.database)
            try TemporaryFolder.with { folder in _ = try open(account, in: folder).catalogue.apps() }
        }
    }

    @Test func `the GRANT in the error lets the account open a new store`() throws {
        try withDatabase { cluster, server in
            try cluster.run("CREATE ROLE maker LOGIN")
            defer {
                _ = try? cluster.run("DROP OWNED BY maker CASCADE; DROP ROLE maker", in: server.database)
            }
            let maker = cluster.address(of: server.database, account: "maker")
            try expectUnreachable(maker, "GRANT CREATE ON DATABASE \(server.database) TO maker")
            try cluster.run("GRANT CREATE ON DATABASE \(server.database) TO maker")
            try TemporaryFolder.with { folder in _ = try open(maker, in: folder).catalogue.apps() }
        }
    }

    @Test func `the error for an account that may not change an earlier version's tables names the GRANT`()
        throws
    {
        try withDatabase { cluster, server in
            try TemporaryFolder.with { folder in _ = try open(server, in: folder) }
            try cluster.run(
                """
                CREATE ROLE heir LOGIN; GRANT USAGE ON SCHEMA pushmta TO heir;
                GRANT ALL ON ALL TABLES IN SCHEMA pushmta TO heir;
                GRANT ALL ON ALL SEQUENCES IN SCHEMA pushmta TO heir;
                ALTER TABLE pushmta.service DROP COLUMN description; DROP TABLE pushmta.job
                """, in: server.database)
            defer { _ = try? cluster.run("DROP OWNED BY heir; DROP ROLE heir", in: server.database) }
            let heir = cluster.address(of: server.database, account: "heir")
            try expectUnreachable(heir, "42501", "GRANT CREATE ON SCHEMA pushmta TO heir")
            try cluster.run("GRANT CREATE ON SCHEMA pushmta TO heir", in: server.database)
            try expectUnreachable(
                heir, "42501", "may not change the tables of account postgres", "GRANT postgres TO heir")
        }
    }

    @Test func `a store from a newer version and a foreign schema are left unchanged`() throws {
        try withDatabase { cluster, server in
            try TemporaryFolder.with { folder in
                try cluster.run(
                    "CREATE SCHEMA pushmta; CREATE TABLE pushmta.theirs (a INT)", in: server.database)
                expect(.notAStore) { _ = try open(server, in: folder) }
                try cluster.run("DROP TABLE pushmta.theirs", in: server.database)
                _ = try open(server, in: folder)
                try cluster.run("UPDATE store SET version = 99", in: server.database)
                expect(.newerVersion(unknown: "version 99")) { _ = try open(server, in: folder) }
            }
        }
    }

    @Test func `the tables match those of a SQLite store, column by column`() throws {
        try withDatabase { cluster, server in
            try TemporaryFolder.with { folder in
                _ = try open(server, in: folder)
                _ = try Store.open(path: folder + "/pushmta.db")
                let here = try cluster.run(
                    """
                    SELECT table_name || '.' || column_name || CASE is_nullable WHEN 'NO' THEN ' NOT NULL' ELSE '' END
                    FROM information_schema.columns
                    WHERE table_schema = 'pushmta' AND table_name NOT IN ('store', 'host', 'part_lease')
                    """, in: server.database)
                let there = try query(
                    folder + "/pushmta.db",
                    """
                    SELECT m.name || '.' || c.name || iif(c."notnull" OR c.pk, ' NOT NULL', '')
                    FROM sqlite_master m JOIN pragma_table_info(m.name) c
                    WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.name <> 'grdb_migrations'
                    """)
                #expect(here.sorted() == there.sorted())
                let indexes = try cluster.run(
                    """
                    SELECT relname FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid
                    WHERE c.relnamespace = 'pushmta'::regnamespace AND c.relname NOT IN ('host_serving', 'subscription_disabled')
                        AND NOT EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conindid = c.oid)
                    """,
                    in: server.database)
                let wanted = try query(
                    folder + "/pushmta.db",
                    "SELECT name FROM sqlite_master WHERE type = 'index' AND name NOT LIKE 'sqlite_%'")
                #expect(indexes.sorted() == wanted.sorted())
            }
        }
    }
}
