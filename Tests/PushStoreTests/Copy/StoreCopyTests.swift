import PushModel
import PushStore
import Synchronization
import TestSupport
import Testing

@Suite(.onPostgreSQL) struct StoreCopyTests {
    /// Runs a test with a store on each database, and a destination on each database.
    private func eachWay(
        _ story: (_ fixture: TemporaryStore, _ place: Store.Place, _ folder: String) throws -> Void
    ) throws {
        for engine in TestEngine.allCases {
            for isServer in [false, true] {
                try TestEngine.$current.withValue(engine) {
                    try TemporaryStore.with { fixture in
                        try CopyFixture.withPlaces { folder, file, server in
                            try story(fixture, isServer ? server : file, folder)
                        }
                    }
                }
            }
        }
    }

    @Test func `every row of every table is the same after a copy to PostgreSQL and back`() throws {
        try CopyFixture.withPlaces { folder, back, server in
            let path = folder + "/pushmta.db"
            do {
                let store = try Store.open(path: path)
                _ = try CopyFixture.fill(
                    TemporaryStore(folder: folder, store: store, key: try store.instanceKey()))
            }
            try alter(path, CopyFixture.extremes)
            let before = try CopyFixture.rows(of: path)
            // A backup's mark is removed when the backup is opened.
            for table in StoreTable.all where table.name != "backup" {
                #expect(before[table.name]?.isEmpty == false, "\(table.name) has no rows")
            }
            let copied = try CopyFixture.copy(.sqlite(path: path), to: server)
            #expect(copied.tables == before.filter { $0.key != "sqlite_sequence" }.mapValues(\.count))
            #expect(copied.deliveries == 3)
            try CopyFixture.copy(server, to: back)
            let after = try CopyFixture.rows(of: back.instancePath)
            #expect(Set(after.keys) == Set(before.keys))
            for (table, rows) in before { #expect(after[table] == rows, "\(table)") }
        }
    }

    @Test func `a copied delivery in progress continues with the same message ids`() throws {
        try eachWay { fixture, place, _ in
            let (app, delivery) = try CopyFixture.fill(fixture)
            let log = try fixture.log(delivery)
            try CopyFixture.copy(fixture.place, to: place)
            let store = try Store.open(place)
            let other = TemporaryStore(folder: "", place: place, store: store, key: try store.instanceKey())
            #expect(try other.log(delivery) == log)
            #expect(
                TemporaryFolder.mode(of: PrivateFiles.folder(of: store.instancePath) + "/instance.key")
                    == 0o600)
            let (cipher, otherCipher) = (MessageIDCipher(key: fixture.key), MessageIDCipher(key: other.key))
            for entry in log.prefix(20) {
                #expect(
                    cipher.opaqueID(of: entry.message, in: delivery)
                        == otherCipher.opaqueID(of: entry.message, in: delivery))
            }
            // Both stores continue and reach the same result.
            for side in [fixture, other] {
                let waiting = log.filter { $0.state == .pending || $0.state == .retrying }.map(\.message)
                #expect(waiting.count == 510)
                try side.accept(waiting, of: delivery)
                #expect(try side.state(delivery) == .finished)
                #expect(try side.settle().hasMore == false)
                try side.checkVerdicts()
                #expect(try side.store.inspection.agrees(delivery))
            }
            #expect(try other.counts(delivery) == fixture.counts(delivery))
            #expect(try other.counts(delivery).sent == 565)
            #expect(try other.quarantine(of: app) == fixture.quarantine(of: app))
            // Numbering continues identically in both stores.
            for side in [fixture, other] { _ = try side.writer.createService(name: "another", label: "") }
            let services = try [fixture, other].map { try $0.store.catalogue.service(named: "another")?.id }
            let next = try [fixture, other].map { try $0.deliver(to: app) }
            let apps = try [fixture, other].map { try $0.app("second").id }
            try fixture.subscribe(1_000...1_002, to: app)
            try other.subscribe(1_000...1_002, to: app)
            let subscriptions = try [fixture, other].map {
                try $0.store.subscriberFinder.find(userKey: "user-1001", in: app.id).map(\.subscription)
            }
            #expect(services[0] == services[1] && apps[0] == apps[1] && subscriptions[0] == subscriptions[1])
            #expect(
                next[0].id == next[1].id && next[0].messages == next[1].messages
                    && next[0].messages.count > 500)
            try fixture.record([TemporaryStore.bad(try #require(next[0].messages[1]))], of: next[0].id)
            try other.record([TemporaryStore.bad(try #require(next[1].messages[1]))], of: next[1].id)
            let last = "SELECT max(id) || '' FROM held_verdict"
            #expect(try fixture.query(last) == other.query(last))
        }
    }

    /// Runs a copy until it must end. A copy that was ended is not a store.
    private func isCopied(
        _ fixture: TemporaryStore, to place: Store.Place, while proceed: @escaping (CopyProgress) -> Bool
    ) throws -> Bool {
        let copied = try StoreCopy(from: fixture.place, to: place).run(proceed)
        if copied == nil { expect(.unfinishedCopy) { _ = try Store.open(place) } }
        return copied != nil
    }

    private func isCopied(_ fixture: TemporaryStore, to place: Store.Place, steps: Int) throws -> Bool {
        let taken = Mutex(0)
        return try isCopied(fixture, to: place) { _ in
            taken.withLock { count in
                count += 1
                return count < steps
            }
        }
    }

    @Test
    func `a copy that is interrupted at any step is not a store, and the next copy completes from the start`()
        throws
    {
        try eachWay { fixture, place, _ in
            let delivery = try CopyFixture.fill(fixture).delivery
            let log = try fixture.log(delivery)
            for stage in [CopyProgress.Stage.copying, .emptying, .counting, .recounting] {
                #expect(try !isCopied(fixture, to: place) { $0.stage != stage })
            }
            // Each attempt copies more than the previous one.
            var steps = 1
            while try !isCopied(fixture, to: place, steps: steps) { steps += 9 }
            let store = try Store.open(place)
            let other = TemporaryStore(folder: "", place: place, store: store, key: try store.instanceKey())
            #expect(try other.log(delivery) == log)
            // The copy is now in use.
            expect(.notEmpty) { _ = try StoreCopy(from: fixture.place, to: place).run() }
        }
    }

    @Test func `a new, unused store can be the destination once its own instance key is removed`() throws {
        try eachWay { fixture, place, _ in
            try fixture.subscribe(1...10, to: try fixture.app())
            _ = try Store.open(place).instanceKey()
            let path = PrivateFiles.folder(of: place.instancePath) + "/instance.key"
            expect(.keyOfAnother(path: path)) { _ = try StoreCopy(from: fixture.place, to: place).run() }
            // Nothing was changed, so the store opens.
            _ = try Store.open(place)
            try PrivateFiles.remove(path)
            try CopyFixture.copy(fixture.place, to: place)
            #expect(try Store.open(place).subscribers.count(of: AppID(rawValue: 1)) == 10)
            _ = try Store.open(place).instanceKey()
        }
    }

    @Test func `during a copy no other process can write to the source store, and any process can read it`()
        throws
    {
        try eachWay { fixture, place, _ in
            let app = try fixture.app()
            try fixture.subscribe(1...10, to: app)
            let impatient = try fixture.reopened(busyTimeoutMilliseconds: 50)
            var tries = 0
            _ = try StoreCopy(from: fixture.place, to: place).run { progress in
                guard progress.stage == .counting, progress.table == "service" else { return true }
                tries += 1
                expect(.busy) { try fixture.subscribeThrough(impatient, 11...11, to: app) }
                #expect((try? impatient.catalogue.apps()) == [app])
                return true
            }
            #expect(tries > 0)
            try fixture.subscribeThrough(impatient, 11...11, to: app)
        }
    }
}
