import Glibc
import PushModel
import PushStore
import TestSupport
import Testing

/// Tests what prevents a copy from starting, and what ends it.
@Suite(.eachEngine) struct StoreCopyRefusalTests {
    private func refused(
        _ expected: StoreError.Cause, _ from: Store.Place, _ to: Store.Place,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        expect(expected, sourceLocation: sourceLocation) {
            _ = try StoreCopy(from: from, to: to, busyTimeoutMilliseconds: 1_000).run()
        }
    }

    @Test func `a store cannot be copied to itself or into a store that is in use`() throws {
        try TemporaryStore.with { fixture in
            refused(.sameStore, fixture.place, fixture.place)
            _ = try fixture.writer.createService(name: "s", label: "")
            let file = Store.Place.sqlite(path: fixture.folder + "/other/pushmta.db")
            try CopyFixture.copy(fixture.place, to: file)
            refused(.notEmpty, fixture.place, file)
            refused(.notEmpty, file, fixture.place)
            #expect(try fixture.store.catalogue.services().map(\.name) == ["s"])
        }
    }

    @Test func `copying a store that does not exist does not create it`() throws {
        try TemporaryFolder.with { folder in
            let absent = Store.Place.sqlite(path: folder + "/absent.db")
            refused(.noStore, absent, .sqlite(path: folder + "/copy.db"))
            #expect(TemporaryFolder.mode(of: folder + "/absent.db") == nil)
            #expect(TemporaryFolder.mode(of: folder + "/copy.db") == nil)
            guard TestEngine.current == .postgreSQL else { return }
            let cluster = try #require(TemporaryCluster.shared)
            let server = try cluster.makeDatabase()
            defer { try? cluster.drop(server) }
            refused(.noStore, .postgreSQL(server, instanceFolder: folder), .sqlite(path: folder + "/copy.db"))
            #expect(
                try cluster.run(
                    "SELECT count(*) FROM pg_namespace WHERE nspname = 'pushmta'", in: server.database) == [
                        "0"
                    ])
        }
    }

    @Test func `a store whose master is running cannot be the source or the target of a copy`() throws {
        try TemporaryStore.with { fixture in
            let other = Store.Place.sqlite(path: fixture.folder + "/other/pushmta.db")
            // The store is locked as if another process used it.
            let claim = try Claimant(fixture.place)
            refused(.served, fixture.place, other)
            #expect(TemporaryFolder.mode(of: fixture.folder + "/other") == nil)
            _ = try Store.open(other)
            refused(.served, other, fixture.place)
            claim.giveUp()
            _ = try fixture.writer.createService(name: "s", label: "")
            try CopyFixture.copy(fixture.place, to: other)
        }
    }

    @Test func `a store without its key cannot be copied`() throws {
        try TemporaryStore.with { fixture in
            let path = PrivateFiles.folder(of: fixture.store.instancePath) + "/instance.key"
            try PrivateFiles.remove(path)
            let other = Store.Place.sqlite(path: fixture.folder + "/other/pushmta.db")
            refused(.keyMissing(path: path), fixture.place, other)
            #expect(TemporaryFolder.mode(of: fixture.folder + "/other/pushmta.db") == nil)
        }
    }

    @Test func `an unfinished copy is not accepted as a source`() throws {
        try TemporaryStore.with { fixture in
            _ = try fixture.app()
            let (half, other) = (
                Store.Place.sqlite(path: fixture.folder + "/half.db"),
                Store.Place.sqlite(path: fixture.folder + "/other.db")
            )
            #expect(try StoreCopy(from: fixture.place, to: half).run { $0.stage != .counting } == nil)
            refused(.unfinishedCopy, half, other)
        }
    }

    @Test func `if the other database cannot store a text, the error names the table`() throws {
        guard TestEngine.current == .postgreSQL else { return }
        try CopyFixture.withPlaces { folder, file, server in
            let store = try Store.open(file)
            _ = try store.catalogueWriter(key: try store.instanceKey()).createService(name: "a\0b", label: "")
            guard case .unsound(let what) = cause(of: { try CopyFixture.copy(file, to: server) }) else {
                Issue.record("nothing was said")
                return
            }
            #expect(what.contains("table service") && what.contains("zero byte") && !what.contains("a\0b"))
            expect(.unfinishedCopy) { _ = try Store.open(server) }
        }
    }

    @Test func `a wrong password is reported`() throws {
        guard TestEngine.current == .postgreSQL else { return }
        try TemporaryStore.with { fixture in
            let cluster = try #require(TemporaryCluster.shared)
            guard case .postgreSQL(let server, _) = fixture.place else { return }
            // The server requests a password, and none is configured.
            let asked = Store.Place.postgreSQL(
                cluster.address(of: server.database, account: "asked"),
                instanceFolder: fixture.folder + "/asked")
            let file = Store.Place.sqlite(path: fixture.folder + "/other.db")
            for (from, to) in [(asked, file), (file, asked)] {
                if from == file { _ = try Store.open(file) }
                guard case .unreachable(let why) = cause(of: { _ = try StoreCopy(from: from, to: to).run() })
                else {
                    Issue.record("it is in reach")
                    return
                }
                #expect(why.contains("password") && !why.contains("\n"))
            }
        }
    }
}
