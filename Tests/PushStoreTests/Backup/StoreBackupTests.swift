import FoundationEssentials
import PushModel
import PushStore
import TestSupport
import Testing

@Suite(.eachEngine) struct StoreBackupTests {
    private let noon = TemporaryStore.noon

    /// Backs up the store of the test and restores the backup as another store.
    private func restored(_ fixture: TemporaryStore, _ story: (TemporaryStore) throws -> Void) throws {
        let file = fixture.folder + "/backup.db"
        let done = try #require(
            try fixture.store.backup(to: file, withKey: true, isForced: false).run(
                at: noon.later(seconds: 60)))
        #expect(done.file == file && done.keyFile == file + ".key" && done.bytes > 0)
        for name in [file, file + ".key"] { #expect(TemporaryFolder.mode(of: name) == 0o600) }
        #expect(
            Set(try FileManager.default.contentsOfDirectory(atPath: fixture.folder)) == [
                "var", "backup.db", "backup.db.key",
            ])
        let place = Store.Place.sqlite(path: fixture.folder + "/other/pushmta.db")
        let result = try #require(try StoreRestore(from: file, to: place, isForced: false).run())
        #expect(result.takenAt == noon.later(seconds: 60) && result.replaced == nil)
        let store = try Store.open(place)
        try TestEngine.$current.withValue(.sqlite) {
            try story(
                TemporaryStore(
                    folder: fixture.folder, place: place, store: store, key: try store.instanceKey()))
        }
        for summary in try store.deliveries.list() {
            #expect(try store.inspection.recount(summary.id) == summary.counts)
            #expect(try store.inspection.agrees(summary.id))
        }
    }

    @Test func `a backup contains the whole store and its key`() throws {
        try TemporaryStore.with { fixture in
            let (app, delivery) = try CopyFixture.fill(fixture)
            let log = try fixture.log(delivery)
            let tables = try StoreTable.all.map { try fixture.rows("\"\($0.name)\"") }
            try restored(fixture) { copy in
                let copied = try copy.log(delivery)
                #expect(copied == log && log.count > 500)
                #expect(try copy.store.catalogue.app(app.id) == app)
                let cipher = MessageIDCipher(key: copy.key)
                #expect(
                    cipher.opaqueID(of: log[0].message, in: delivery)
                        == MessageIDCipher(key: fixture.key).opaqueID(of: log[0].message, in: delivery))
                for (table, count) in zip(StoreTable.all, tables) where table.name != "damaged_delivery" {
                    #expect(try copy.rows("\"\(table.name)\"") == count, "\(table.name)")
                }
            }
        }
    }

    @Test func `after a restore, deliveries in progress are on hold until the operator releases them`() throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...100, to: app)
            let ended = try fixture.finished(apps: [app])
            let (amid, messages) = try fixture.deliver(to: app)
            try fixture.accept((1...40).map { messages[$0]! }, of: amid)
            let waiting = try fixture.submit(apps: [app]) {
                $0.schedule.start = noon.later(seconds: 600).time
            }
            let damaged = try fixture.submit(apps: [app])
            try fixture.store.repair.hold(damaged, because: "a test", at: noon)
            try restored(fixture) { copy in
                let repair = copy.store.repair
                #expect(try Set(repair.held().map(\.delivery)) == [amid, waiting, damaged])
                #expect(try repair.held().allSatisfy(\.isRestored))
                #expect(
                    try repair.held().first { $0.delivery == amid }?.why.contains(
                        "a backup of 2026-11-21T12:01:00") == true)
                #expect(try copy.store.work.openParts().parts == [])
                #expect(try copy.nextToPrepare(at: noon.later(seconds: 700)) == nil)
                // A delivery that is submitted from now on is sent, under a number that was never used.
                let next = try copy.submit(.userKeys(["user-1"]), apps: [app])
                #expect(next.rawValue == damaged.rawValue + 10_001)
                #expect(try copy.nextToPrepare(at: noon) == next)
                try copy.prepare(next)
                #expect(try copy.store.work.openParts().parts.map(\.delivery) == [next])
                // A recount repairs the delivery but does not release it.
                #expect(try repair.recount(amid, at: noon).isRepaired)
                #expect(try repair.held().count == 3)
                let number = try copy.store.work.changeNumber()
                #expect(try repair.release(amid) && !repair.release(amid) && !repair.release(ended))
                #expect(try copy.store.work.changeNumber() == number + 1, "a master finds it by this")
                #expect(
                    try copy.store.work.openParts().parts.map(\.delivery).sorted() == [amid, next].sorted())
                #expect(try repair.releaseSome() == 2 && repair.releaseSome() == 0)
                #expect(try copy.store.work.changeNumber() == number + 2)
                #expect(try repair.held() == [])
                // After it is opened again, it is an ordinary store.
                #expect(try copy.reopened().repair.held() == [] && copy.rows("backup") == 0)
            }
            #expect(try fixture.rows("backup") == 0)
            #expect(try fixture.store.repair.held().map(\.delivery) == [damaged])
        }
    }

    @Test func `a delivery that is never released ends when its validity ends`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...10, to: app)
            let id = try fixture.submit(apps: [app]) { $0.schedule.validitySeconds = 600 }
            try fixture.prepare(id)
            try restored(fixture) { copy in
                while try copy.store.outcomes.expire(at: noon.later(seconds: 600)).hasMore {}
                #expect(try copy.state(id) == .finished && copy.counts(id).cancelled == 10)
                #expect(try copy.store.repair.held() == [])
            }
        }
    }

    @Test func `a backup can be restored to either database`() throws {
        try CopyFixture.withPlaces { folder, file, server in
            let from = TestEngine.current == .sqlite ? file : server
            let store = try Store.open(from)
            let fixture = TemporaryStore(
                folder: folder, place: from, store: store, key: try store.instanceKey())
            let (_, delivery) = try CopyFixture.fill(fixture)
            let log = try fixture.log(delivery)
            _ = try store.backup(to: folder + "/b", withKey: true, isForced: false).run(at: noon)
            let to =
                TestEngine.current == .sqlite
                ? server : Store.Place.sqlite(path: folder + "/again/pushmta.db")
            let note = AuditNote(who: "an operator", action: "store.restore", .of("b"), at: noon)
            let restore = StoreRestore(from: folder + "/b", to: to, isForced: false, noting: note)
            #expect(try restore.run() != nil)
            let copy = try Store.open(to)
            let line = try copy.audit.page(limit: 1).first
            #expect(line?.action == "store.restore" && line?.who == "an operator" && line?.what == "b")
            let cipher = MessageIDCipher(key: try copy.instanceKey())
            let id = cipher.opaqueID(of: log[0].message, in: delivery)
            #expect(id == MessageIDCipher(key: fixture.key).opaqueID(of: log[0].message, in: delivery))
            #expect(try copy.deliveries.log(of: delivery) == log)
            #expect(try copy.repair.held().contains { $0.delivery == delivery && $0.isRestored })
            #expect(try copy.inspection.agrees(delivery))
        }
    }

    @Test func `writers continue during a backup, which is a snapshot of one moment`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...20_000, to: app)
            let id = try fixture.submit(apps: [app])
            let messages = try fixture.prepare(id).flatMap(\.ids)
            let copied = try fixture.reopened()
            var steps = 0
            _ = try copied.backup(to: fixture.folder + "/b", withKey: false, isForced: false).run(at: noon) {
                _ in
                // Another connection does this in the middle of the backup.
                if steps < 100 { _ = try? fixture.accept([messages[steps]], of: id) }
                steps += 1
                return true
            }
            #expect(try fixture.counts(id).sent > 0 && steps > 1)
            #expect(!FileManager.default.fileExists(atPath: fixture.folder + "/b.key"))
            // The key already exists there.
            let place = Store.Place.sqlite(path: fixture.folder + "/var/other.db")
            _ = try StoreRestore(from: fixture.folder + "/b", to: place, isForced: false).run()
            let copy = try Store.open(place)
            #expect(try copy.inspection.agrees(id))
            #expect(try copy.deliveries.summary(of: id)?.counts.sent == 0)
            _ = try copy.instanceKey()
        }
    }
}
