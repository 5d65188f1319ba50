import PushMaster
import PushModel
import PushStore
import TestSupport
import Testing

/// The writing thread of a host among several.
@Suite struct StoreWriterSharingTests {
    @Test func `a host that does not lead prepares nothing, and looks around when it is asked`() throws {
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
            // What was stopped on another host is told before it is said that it was looked for.
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
