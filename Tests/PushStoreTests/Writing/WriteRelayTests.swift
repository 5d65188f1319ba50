import Foundation
import PushModel
import PushStore
import Testing

/// Tests writes by other parts of the process through a relayed store.
@Suite(.eachEngine) struct WriteRelayTests {
    private func with(
        _ fixture: TemporaryStore, engine: (any WriteEngine)? = nil,
        events: @escaping @Sendable (WriteService.Event) -> Void = { _ in },
        _ story: (WriteService) throws -> Void
    ) throws {
        let service = WriteService(
            store: fixture.store, engine: engine, judge: { _ in .wait },
            clock: WriteClock(wall: { TemporaryStore.noon }), events: events)
        let ended = DispatchSemaphore(value: 0)
        Thread.detachNewThread { service.run() }
        Thread.detachNewThread {
            service.callBack()
            ended.signal()
        }
        defer {
            service.end()
            #expect(ended.wait(timeout: .now() + 30) == .success)
        }
        try story(service)
    }

    @Test func `many callers share commits, and each caller receives its own answer`() throws {
        try TemporaryStore.with { fixture in
            let relay = WriteRelay()
            let shared = fixture.store.writing(through: relay)
            let order = fixture.order(apps: [try fixture.app()])
            try with(fixture) { service in
                let engine = fixture.store.writeEngine(name: "master")
                let before = try engine.lastGroup()
                relay.forward(to: service)
                // The writer is kept busy until all callers are waiting.
                let (gate, all) = (DispatchSemaphore(value: 0), DispatchGroup())
                service.submit(.control, rows: 1) { _ throws(StoreError) in
                    gate.wait()
                } completion: { _ in
                }
                let ids = Answers()
                for _ in 1...20 {
                    all.enter()
                    Thread.detachNewThread {
                        ids.add(try? shared.deliverySubmitter.submit(order, at: TemporaryStore.noon))
                        all.leave()
                    }
                }
                gate.signal()
                #expect(all.wait(timeout: .now() + 30) == .success)
                #expect(Set(ids.all).count == 20)
                #expect(try fixture.store.deliveries.list(limit: 100).count == 20)
                #expect(try engine.lastGroup() - before < 20)
                relay.forward(to: nil)
            }
        }
    }

    @Test func `a change through a relay has its line in the audit trail`() throws {
        try TemporaryStore.with { fixture in
            let relay = WriteRelay()
            let shared = fixture.store.writing(through: relay)
            func create(_ name: String) throws {
                let note = AuditNote(
                    who: "a test", action: "service.create", .of(name), at: TemporaryStore.noon)
                let writer = shared.noting(note).catalogueWriter(key: fixture.key)
                _ = try writer.createService(name: name, label: name)
            }
            try with(fixture) { service in
                relay.forward(to: service)
                try create("one")
                expect(.duplicate(.service, name: "one")) { try create("one") }
                relay.forward(to: nil)
            }
            try create("two")
            #expect(try fixture.store.audit.page().map(\.what) == ["two", "one"])
        }
    }

    @Test func `a refusal reaches only its caller, with the same text as without a relay`() throws {
        try TemporaryStore.with { fixture in
            let relay = WriteRelay()
            let shared = fixture.store.writing(through: relay)
            let order = fixture.order(apps: [try fixture.app()]) { $0.apps = [AppID(rawValue: 99)] }
            try with(fixture) { service in
                relay.forward(to: service)
                expect(.unknown(.app, name: "99")) {
                    _ = try shared.deliverySubmitter.submit(order, at: TemporaryStore.noon)
                }
            }
        }
    }

    @Test func `callers write to the store directly if no service is running`() throws {
        try TemporaryStore.with { fixture in
            let relay = WriteRelay()
            let shared = fixture.store.writing(through: relay)
            let order = fixture.order(apps: [try fixture.app()])
            _ = try shared.deliverySubmitter.submit(order, at: TemporaryStore.noon)
            try with(fixture) { service in relay.forward(to: service) }
            _ = try shared.deliverySubmitter.submit(order, at: TemporaryStore.noon)
            #expect(try fixture.store.deliveries.list(limit: 10).count == 2)
        }
    }

    @Test(arguments: [FaultyEngine.Place.commit, .afterCommit])
    func `a change that may have happened is not repeated, and the error asks the caller to check`(
        place: FaultyEngine.Place
    )
        throws
    {
        try TemporaryStore.with { fixture in
            let relay = WriteRelay()
            let shared = fixture.store.writing(through: relay)
            let order = fixture.order(apps: [try fixture.app()])
            let engine = FaultyEngine(fixture.store.writeEngine(name: "master"))
            let failure = StoreError(.sqlite(code: 10, during: "write"), path: fixture.path)
            engine.fail(.init(place: place, error: failure, times: 1, isSilent: true))
            let isTold = DispatchSemaphore(value: 0)
            try with(fixture, engine: engine, events: { if case .failure = $0 { isTold.signal() } }) {
                service in
                relay.forward(to: service)
                Thread.detachNewThread {
                    // The order to end arrives while the writer queries the store.
                    isTold.wait()
                    service.hurry(until: MonotonicTime(nanoseconds: 0))
                }
                expect(.endUnknown(what: "submit a delivery")) {
                    _ = try shared.deliverySubmitter.submit(order, at: TemporaryStore.noon)
                }
            }
            #expect(try fixture.store.deliveries.list(limit: 10).count == (place == .afterCommit ? 1 : 0))
        }
    }

    private final class Answers: @unchecked Sendable {
        private let lock = NSLock()
        private var ids: [DeliveryID?] = []
        func add(_ id: DeliveryID?) { lock.withLock { ids.append(id) } }
        var all: [DeliveryID] { lock.withLock { ids.compactMap(\.self) } }
    }
}
