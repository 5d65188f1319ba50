import PushMaster
import PushModel
import PushStore
import TestSupport
import Testing

/// Tests the writing thread of one host among several.
@Suite struct StoreWriterSharingTests {
    @Test func `a host that does not lead prepares nothing, and reads the store on request`() throws {
        try MasterFixture.with { fixture in
            let app = try fixture.app("one", subscribers: 3)
            let ids = try [fixture.submit(app), fixture.submit(app)]
            _ = try fixture.prepare(ids[1])
            let role = HostRole(isShared: true)
            let inbox = try WriterInbox(
                store: fixture.store, loop: fixture.loop, rules: .usual, role: role)
            let threads = WriterThreads(inbox)
            func lookedAround() throws -> Int64 {
                try fixture.next("looked around") { event -> Int64? in
                    if case .lookedAround(let moment) = event { moment } else { nil }
                }
            }
            inbox.send(.look)
            inbox.send(.lookAround(asOf: 5))
            #expect(try lookedAround() == 5)
            // A stop on another host is reported before the completion of the search is reported.
            _ = try fixture.store.stop.stop(ids[1], at: WallMoment(.init(secondsSince1970: 1)))
            inbox.send(.lookAround(asOf: 6))
            let stopped = try fixture.next("stopped or looked around") { event -> DeliveryID? in
                switch event {
                case .deliveryStopped(let id): id
                case .lookedAround: DeliveryID(rawValue: -1)
                default: nil
                }
            }
            #expect(stopped == ids[1])
            #expect(try lookedAround() == 6)
            #expect(try fixture.store.deliveries.summary(of: ids[0])?.state == .startPending)
            role.lead()
            inbox.send(.look)
            #expect(try fixture.next("prepared") { $0.isPrepared ? true : nil })
            inbox.send(.stop)
            #expect(threads.hasEnded())
        }
    }
}
