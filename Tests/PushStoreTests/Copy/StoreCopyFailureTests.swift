import PushModel
import PushStore
import TestSupport
import Testing

/// Tests a copy that runs out of space, or whose server becomes unavailable.
@Suite(.onPostgreSQL) struct StoreCopyFailureTests {
    @Test func `if the disk is full, the copy ends with one line, and it succeeds once there is space`()
        throws
    {
        for engine in TestEngine.allCases {
            try TestEngine.$current.withValue(engine) {
                try TemporaryStore.with { fixture in
                    let delivery = try CopyFixture.fill(fixture).delivery
                    let place = Store.Place.sqlite(path: fixture.folder + "/copy.db")
                    var full = 0
                    // Space that an unfinished copy returned is used again.
                    for pages in stride(from: 8, to: 2_000, by: 12) {
                        do {
                            try CopyFixture.copy(fixture.place, to: place, pages: pages)
                            break
                        } catch let error as StoreError {
                            #expect(error.cause == .diskFull && !error.description.contains("\n"))
                            full += 1
                            expect(.unfinishedCopy) { _ = try Store.open(place) }
                        }
                    }
                    #expect(full >= 5)
                    let store = try Store.open(place)
                    let other = TemporaryStore(
                        folder: "", place: place, store: store, key: try store.instanceKey())
                    #expect(try other.log(delivery) == fixture.log(delivery))
                }
            }
        }
    }

    @Test(arguments: [CopyProgress.Stage.copying, .counting, .recounting])
    func `if the server restarts during a copy, at most that copy fails`(stage: CopyProgress.Stage) throws {
        let cluster = try TemporaryCluster()
        try TemporaryFolder.with { folder in
            let store = try Store.open(path: folder + "/pushmta.db")
            let filled = TemporaryStore(folder: folder, store: store, key: try store.instanceKey())
            let delivery = try CopyFixture.fill(filled).delivery
            let log = try filled.log(delivery)
            let server = Store.Place.postgreSQL(
                try cluster.makeDatabase(), instanceFolder: folder + "/server")
            let back = Store.Place.sqlite(path: folder + "/back/pushmta.db")
            for (from, to) in [(filled.place, server), (server, back)] {
                var isRestarted = false
                do {
                    _ = try StoreCopy(from: from, to: to).run { progress in
                        guard progress.stage == stage, !isRestarted else { return true }
                        isRestarted = true
                        #expect(throws: Never.self) { try cluster.restart() }
                        return true
                    }
                    // A copy that only writes to this server continues with another connection. The source of
                    // a copy must not change.
                    #expect(to == server)
                } catch let error as StoreError {
                    guard case .unreachable = error.cause else { throw error }
                    expect(.unfinishedCopy) { _ = try Store.open(to) }
                    try CopyFixture.copy(from, to: to)
                }
                #expect(isRestarted)
                let copy = try Store.open(to)
                let other = TemporaryStore(folder: "", place: to, store: copy, key: try copy.instanceKey())
                #expect(try other.log(delivery) == log)
            }
        }
    }
}
