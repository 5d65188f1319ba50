import Dispatch
import PushModel
import PushStore
import TestSupport
import Testing

/// Tests how the tables get the additions from a later version of the store.
@Suite(.eachEngine) struct SchemaStepTests {
    private static let step = SchemaStep("notes of apps") { _ in
        ["ALTER TABLE app ADD COLUMN note TEXT", "UPDATE app SET note = name"]
    }

    /// Runs the body as a program with that later version.
    private func later<Value>(_ body: () throws -> Value) throws -> Value {
        try SchemaStep.$all.withValue(SchemaStep.all + [Self.step], operation: body)
    }

    private func isPresent(in fixture: TemporaryStore) throws -> Bool {
        try fixture.query(
            TestEngine.current == .sqlite
                ? "SELECT name FROM pragma_table_info('app') WHERE name = 'note'"
                : "SELECT column_name FROM information_schema.columns WHERE table_name = 'app' AND column_name = 'note'"
        ).count == 1
    }

    private var isNewer: StoreError.Cause {
        TestEngine.current == .sqlite
            ? .newerVersion(unknown: "\(StoreSchema.sqlite + 1) notes of apps")
            : .newerVersion(unknown: "version \(StoreSchema.postgreSQL + 1)")
    }

    @Test func `a migration step changes the store once, and earlier versions then refuse the store`() throws
    {
        try TemporaryStore.with { fixture in
            _ = try fixture.app("shop")
            for _ in 0..<2 { _ = try later { try fixture.reopened() } }
            #expect(try fixture.query("SELECT note FROM app") == ["shop"])
            expect(isNewer) { _ = try fixture.reopened() }
        }
    }

    @Test func `a new store includes all migration steps`() throws {
        try TemporaryFolder.with { folder in
            try later {
                let store = try Store.open(path: folder + "/pushmta.db")
                #expect(try store.catalogue.apps() == [])
                #expect(
                    try query(folder + "/pushmta.db", "SELECT count(*) || '' FROM grdb_migrations") == [
                        "\(StoreSchema.sqlite)"
                    ])
            }
        }
    }

    @Test func `a store is not migrated while a master with an earlier version serves it`() throws {
        try TemporaryStore.with { fixture in
            let master = try Claimant(fixture.place)
            let why =
                "a master of an earlier version serves it; stop that master, and start the master of this version"
            expect(TestEngine.current == .sqlite ? .cannotOpen(why: why) : .unreachable(why: why)) {
                _ = try later { try fixture.reopened(busyTimeoutMilliseconds: 100) }
            }
            #expect(try isPresent(in: fixture) == false)
            _ = try fixture.reopened()
            master.giveUp()
            _ = try later { try fixture.reopened() }
            #expect(try isPresent(in: fixture))
        }
    }

    @Test func `if several processes open a store together, one of them migrates it, and all succeed`() throws
    {
        try TemporaryStore.with { fixture in
            let (place, failures) = (fixture.place, Failures())
            DispatchQueue.concurrentPerform(iterations: 4) { _ in
                do { _ = try later { try Store.open(place) } } catch { failures.add("\(error)") }
            }
            #expect(failures.all == [])
            let isMade = try isPresent(in: fixture)
            #expect(isMade)
        }
    }

    @Test func `a store that cannot be migrated for lack of space is left unchanged`() throws {
        guard TestEngine.current == .sqlite else { return }
        try TemporaryStore.with { fixture in
            let counted = try fixture.query("SELECT page_count || '' FROM pragma_page_count")
            let pages = try #require(counted.first.flatMap(Int.init))
            let step = SchemaStep("a large table") { _ in
                [
                    "ALTER TABLE app ADD COLUMN note TEXT",
                    "CREATE TABLE large AS SELECT zeroblob(1000000) AS a",
                ]
            }
            SchemaStep.$all.withValue(SchemaStep.all + [step]) {
                expect(.diskFull) { _ = try Store.open(path: fixture.path, maximumPages: pages) }
            }
            #expect(try isPresent(in: fixture) == false)
            _ = try fixture.reopened()
        }
    }
}
