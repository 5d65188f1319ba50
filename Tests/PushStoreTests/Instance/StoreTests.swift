import Dispatch
import FoundationEssentials
import GRDB
import Glibc
import PushModel
import PushStore
import TestSupport
import Testing

@Suite struct StoreTests {
    @Test func `a store and its folder are created with permissions for the owner only`() throws {
        try TemporaryStore.with { fixture in
            for (path, mode): (String, UInt32?) in [
                (fixture.path, 0o600), (fixture.path + "-wal", 0o600), (fixture.folder + "/var", 0o700),
            ] {
                #expect(TemporaryFolder.mode(of: path) == mode, "\(path)")
            }
        }
    }

    @Test func `committed data is on disk`() throws {
        try TemporaryStore.with { fixture in
            let durability = try fixture.store.inspection.durability()
            #expect(durability.journalMode == "wal" && durability.synchronous == 2)
        }
    }

    @Test func `a reopened store contains all its data`() throws {
        try TemporaryFolder.with { folder in
            let path = folder + "/pushmta.db"
            var id = DeliveryID(rawValue: 0)
            do {
                let fixture = TemporaryStore(
                    folder: folder, store: try Store.open(path: path),
                    key: try Store.open(path: path).instanceKey())
                let app = try fixture.app()
                try fixture.subscribe(1...20, to: app)
                id = try fixture.submit(apps: [app])
                _ = try fixture.store.preparation.prepareChunk(of: id, at: TemporaryStore.noon)
            }
            let again = try Store.open(path: path)
            #expect(try again.deliveries.summary(of: id)?.counts.pending == 20)
            #expect(try again.work.openParts().parts.map(\.delivery) == [id])
            #expect(try again.catalogue.app(named: "neotrips-ios") != nil)
        }
    }

    @Test func `a store from a newer version is refused and left unchanged`() throws {
        try TemporaryFolder.with { folder in
            let path = folder + "/pushmta.db"
            _ = try Store.open(path: path)
            try alter(path, "INSERT INTO grdb_migrations (identifier) VALUES ('99 from the future')")
            expect(.newerVersion(unknown: "99 from the future")) { _ = try Store.open(path: path) }
        }
    }

    @Test func `another program's SQLite file is refused and left unchanged`() throws {
        try TemporaryFolder.with { folder in
            let path = folder + "/other.db"
            try alter(path, "CREATE TABLE other (id INTEGER)")
            let before = try Data(contentsOf: URL(filePath: path))
            expect(.notAStore) { _ = try Store.open(path: path) }
            #expect(try Data(contentsOf: URL(filePath: path)) == before)
        }
    }

    @Test func `a file that is not a database is refused`() throws {
        try TemporaryFolder.with { folder in
            let path = folder + "/letter.txt"
            try Data("Dear reader, this is not a database, though it is long enough to have a header.".utf8)
                .write(to: URL(filePath: path))
            expect(.notAStore) { _ = try Store.open(path: path) }
        }
    }

    @Test func `a damaged page is reported as damage`() throws {
        try TemporaryFolder.with { folder in
            let path = folder + "/pushmta.db"
            do {
                let fixture = TemporaryStore(
                    folder: folder, store: try Store.open(path: path),
                    key: try Store.open(path: path).instanceKey())
                try fixture.subscribe(1...4_000, to: try fixture.app())
            }
            try alter(path, "PRAGMA wal_checkpoint(TRUNCATE)")
            var bytes = try Data(contentsOf: URL(filePath: path))
            // Overwrites everything except the schema's page.
            for index in stride(from: 4_096 * 8, to: bytes.count, by: 1) { bytes[index] = 0xA5 }
            try bytes.write(to: URL(filePath: path))
            let found = cause(of: {
                let store = try Store.open(path: path)
                let page = try store.subscribers.page(of: AppID(rawValue: 1))
                #expect(page.records.count == 4_000)
            })
            guard case .corrupt = found else {
                Issue.record("reported as \(String(describing: found))")
                return
            }
        }
    }

    @Test func `a folder that cannot be created leads to one clear line`() throws {
        try TemporaryFolder.with { folder in
            try Data().write(to: URL(filePath: folder + "/file"))
            let path = folder + "/file/pushmta.db"
            guard case .cannotOpen = cause(of: { _ = try Store.open(path: path) }) else {
                Issue.record("not reported")
                return
            }
        }
    }

    @Test func `many processes can open a new store at once`() throws {
        try TemporaryFolder.with { folder in
            let path = folder + "/deep/er/pushmta.db"
            let failures = Failures()
            DispatchQueue.concurrentPerform(iterations: 8) { _ in
                do {
                    let store = try Store.open(path: path)
                    _ = try store.instanceKey()
                    _ = try store.catalogue.apps()
                } catch {
                    failures.add("\(error)")
                }
            }
            #expect(failures.all == [])
        }
    }

    @Test func `opening waits for a new store that another process is creating`() throws {
        try TemporaryFolder.with { folder in
            let path = folder + "/pushmta.db"
            let other = try StoreFile.open(path) { $0.allowsUnsafeTransactions = true }
            let clock = ContinuousClock()
            try other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
            // The call fails after the given timeout, and not immediately.
            let patience = clock.measure {
                expect(.busy) { _ = try Store.open(path: path, busyTimeoutMilliseconds: 300) }
            }
            #expect(patience >= .milliseconds(300))
            let failures = Failures()
            DispatchQueue.concurrentPerform(iterations: 2) { number in
                do {
                    if number == 0 {
                        _ = try Store.open(path: path).instanceKey()
                    } else {
                        usleep(100_000)
                        try other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
                    }
                } catch {
                    failures.add("\(error)")
                }
            }
            #expect(failures.all == [])
        }
    }

    @Test func `folders are created at any depth, for the owner only, and existing folders are accepted`()
        throws
    {
        try TemporaryFolder.with { folder in
            for path in ["/a/b/c/one.db", "/a/b/c/two.db", "/a/d/three.db"] {
                _ = try Store.open(path: folder + path)
            }
            for made in ["/a", "/a/b", "/a/b/c", "/a/d"] {
                #expect(TemporaryFolder.mode(of: folder + made) == 0o700, "\(made)")
            }
        }
    }

    @Test func `a reader sees committed data immediately`() throws {
        try TemporaryStore.with { fixture in
            let other = try fixture.reopened()
            let app = try fixture.app()
            #expect(try other.catalogue.app(app.id) == app)
            try fixture.subscribe(1...3, to: app)
            #expect(try other.subscribers.count(of: app.id) == 3)
        }
    }
}

/// Changes the file as another program would.
func alter(_ path: String, _ sql: String) throws {
    let queue = try StoreFile.open(path)
    try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
    try queue.close()
}
