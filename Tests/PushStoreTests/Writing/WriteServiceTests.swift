import Foundation
import PushModel
import PushStore
import Synchronization
import Testing

@Suite(.eachEngine) struct WriteServiceTests {
    /// Provides a service on its own thread, which ends with the test.
    private func with(
        _ fixture: TemporaryStore, events: @escaping @Sendable (WriteService.Event) -> Void = { _ in },
        _ story: (WriteService) throws -> Void
    ) throws {
        let service = WriteService(
            store: fixture.store, judge: { _ in .wait }, clock: WriteClock(wall: { TemporaryStore.noon }),
            events: events)
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

    @Test func `if a thread waited for its work, the work is on disk when the thread continues`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            let order = fixture.order(apps: [app])
            try with(fixture) { service in
                let id = try service.perform(.control, rows: 3) { store throws(StoreError) in
                    try store.deliverySubmitter.submit(order, at: TemporaryStore.noon)
                }
                #expect(try fixture.reopened().deliveries.summary(of: id) != nil)
            }
        }
    }

    @Test func `units that add, quarantine and lift subscribers share commits with other units`() throws {
        try TemporaryStore.with { fixture in
            let (app, gone) = (try fixture.app(), AppID(rawValue: 999))
            @Sendable func add(
                _ key: String, to app: AppID, _ store: Store, registers: Bool = false
            ) throws(StoreError) -> ImportCounts {
                let record = SubscriberRecord(
                    token: TemporaryStore.token(1), userKey: key, parametersJSON: #"{"a":"b"}"#)
                return try store.subscriberImporter.upsert(
                    [record], into: app, at: TemporaryStore.noon, registers: registers)
            }
            try with(fixture) { service in
                let new = try service.perform(.control, rows: 3) { store throws(StoreError) in
                    try add("anna", to: app.id, store)
                }
                #expect(new.inserted == 1)
                let device = try service.perform(.control, rows: 3) { store throws(StoreError) in
                    try store.quarantineWriter.add(
                        app.id, token: TemporaryStore.token(1), reason: "why", at: TemporaryStore.noon)
                }
                #expect(device?.isChanged == true)
                #expect(throws: (any Error).self) {
                    try service.perform(.control, rows: 3) { store throws(StoreError) in
                        try add("carl", to: gone, store)
                    }
                }
                let kept = try service.perform(.control, rows: 3) { store throws(StoreError) in
                    try add("bert", to: app.id, store)
                }
                #expect(kept.updated == 1 && kept.excluded == 1)
                let lifted = try service.perform(.control, rows: 3) { store throws(StoreError) in
                    try add("bert", to: app.id, store, registers: true)
                }
                #expect(lifted.unchanged == 1 && lifted.excluded == 0)
                #expect(try fixture.reopened().quarantine.list().entries.isEmpty)
                let found = try fixture.reopened().subscriberFinder.find(userKey: "bert", in: app.id)
                #expect(found.map(\.parametersJSON) == [#"{"a":"b"}"#])
            }
        }
    }

    @Test func `a task waits without occupying a thread, and receives the same result as a thread`()
        async throws
    {
        let folder = NSTemporaryDirectory() + "/write-service-\(UUID())"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = try Store.open(path: folder + "/pushmta.db")
        let service = WriteService(
            store: store, judge: { _ in .wait }, clock: WriteClock(wall: { TemporaryStore.noon }),
            events: { _ in })
        Thread.detachNewThread { service.run() }
        Thread.detachNewThread { service.callBack() }
        defer { service.end() }
        let error = StoreError(.unknown(.app, name: "x"), path: store.path)
        await #expect(throws: WriteService.Failure.refused(error)) {
            try await service.perform(.control, rows: 1) { _ throws(StoreError) in throw error }
        }
        let held = DeliveryID(rawValue: 7)
        _ = try await service.perform(.control, rows: 1) { store throws(StoreError) in
            try store.repair.hold(held, because: "test", at: TemporaryStore.noon)
        }
        #expect(try store.repair.held().map(\.delivery) == [held])
    }

    @Test func `units share a commit, and completions are not called from the writer's thread`() throws {
        try TemporaryStore.with { fixture in
            let (threads, writers) = (Guarded<Set<UInt>>([]), Guarded<Set<UInt>>([]))
            let here: @Sendable () -> UInt = { UInt(pthread_self()) }
            let service = WriteService(
                store: fixture.store, judge: { _ in .wait }, clock: WriteClock(wall: { TemporaryStore.noon }),
                events: { _ in })
            let before = try fixture.store.writeEngine(name: "master").lastGroup()
            for number in 1...20 {
                service.submit(
                    .control, rows: 1,
                    { store throws(StoreError) in
                        writers.change { $0.insert(here()) }
                        try store.repair.hold(
                            DeliveryID(rawValue: Int64(number)), because: "test", at: TemporaryStore.noon)
                    }, completion: { _ in threads.change { $0.insert(here()) } })
            }
            service.end()
            let ended = DispatchSemaphore(value: 0)
            // When a thread has ended, the next one may reuse its identity.
            let mayEnd = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                service.run()
                mayEnd.wait()
            }
            Thread.detachNewThread {
                service.callBack()
                ended.signal()
            }
            #expect(ended.wait(timeout: .now() + 120) == .success)
            mayEnd.signal()
            #expect(try fixture.store.repair.held().count == 20)
            // The units form one group, unless the machine is so busy that the time for a group passes before
            // the group is complete.
            let groups = try fixture.store.writeEngine(name: "master").lastGroup() - before
            #expect(groups >= 1 && groups < 20)
            #expect(writers.value.count == 1)
            #expect(!threads.value.isEmpty)
            #expect(threads.value.isDisjoint(with: writers.value))
        }
    }

    /// A server reports the first error while its answer is awaited, and the second error with the following
    /// answers.
    @Test(arguments: ["a part that contradicts itself", "a figure that is full"])
    func `an outcome that cannot be recorded puts its delivery on hold, and its credit is returned`(
        damage: String
    )
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...20, to: app)
            let (sick, sound) = (try fixture.submit(apps: [app]), try fixture.submit(apps: [app]))
            let parts = [try fixture.prepare(sick), try fixture.prepare(sound)].map { $0[0] }
            let (sent, minute) = (MessageState.sent.rawValue, TemporaryStore.noon.time.secondsSince1970 / 60)
            try fixture.alter(
                damage == "a figure that is full"
                    ? """
                    INSERT INTO tally (delivery_id, app_id, state, cause, minute, count)
                    VALUES (\(sick.rawValue), \(app.id.rawValue), \(sent), 0, \(minute), \(Int64.max))
                    """ : "UPDATE part_progress SET waiting = 19 WHERE delivery_id = \(sick.rawValue)")
            let (damaged, committed) = (Guarded<[DeliveryID]>([]), Guarded(0))
            try with(
                fixture,
                events: { event in if case .damaged(let id, _) = event { damaged.change { $0.append(id) } } }
            ) { service in
                for part in parts {
                    for ids in [part.ids.prefix(10), part.ids.suffix(10)] {
                        var batch = OutcomeBatch(delivery: part.delivery)
                        batch.accepted = Array(ids)
                        service.record([batch], decided: TemporaryStore.noon.time) {
                            if $0 == nil { committed.change { $0 += 1 } }
                        }
                    }
                }
            }
            #expect(committed.value == 4)
            #expect(damaged.value == [sick])
            #expect(try fixture.store.repair.held().map(\.delivery) == [sick])
            #expect(try fixture.counts(sound).sent == 20)
            #expect(try fixture.store.work.openParts().parts.allSatisfy { $0.delivery == sound })
            #expect(try fixture.store.repair.recount(sick, at: TemporaryStore.noon).isRepaired)
        }
    }

    @Test func `credit is not returned for outcomes whose recording is uncertain`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...1, to: app)
            let delivery = try fixture.submit(apps: [app])
            let messages = try fixture.prepare(delivery).flatMap(\.ids)
            let engine = FaultyEngine(fixture.store.writeEngine(name: "master"))
            let failure = StoreError(.sqlite(code: 10, during: "write"), path: fixture.path)
            engine.fail(.init(place: .afterCommit, error: failure, times: 1, isSilent: true))
            let isTold = DispatchSemaphore(value: 0)
            let ends = Guarded<[WriteService.Failure?]>([])
            let service = WriteService(
                store: fixture.store, engine: engine, judge: { _ in .wait },
                clock: WriteClock(wall: { TemporaryStore.noon })
            ) { if case .failure = $0 { isTold.signal() } }
            var batch = OutcomeBatch(delivery: delivery)
            batch.accepted = messages
            service.record([batch], decided: TemporaryStore.noon.time) { end in ends.change { $0.append(end) }
            }
            let ended = DispatchSemaphore(value: 0)
            Thread.detachNewThread { service.run() }
            Thread.detachNewThread {
                service.callBack()
                ended.signal()
            }
            #expect(isTold.wait(timeout: .now() + 30) == .success)
            service.hurry(until: MonotonicTime(nanoseconds: 0))
            service.end()
            #expect(ended.wait(timeout: .now() + 30) == .success)
            #expect(ends.value == [.unknown])
        }
    }

    @Test
    func `an end in a hurry writes units that exist nowhere else and leaves the others to the next run`()
        throws
    {
        try TemporaryStore.with { fixture in
            let ends = Guarded<[String]>([])
            let service = WriteService(
                store: fixture.store, judge: { _ in .wait }, clock: WriteClock(wall: { TemporaryStore.noon }),
                events: { _ in })
            for kind in WriteClass.allCases {
                service.submit(
                    kind, rows: 1,
                    { store throws(StoreError) in
                        try store.repair.hold(
                            DeliveryID(rawValue: Int64(kind.rawValue) + 1), because: "test",
                            at: TemporaryStore.noon)
                    },
                    completion: { result in
                        if case .failure(.ended) = result { ends.change { $0.append("\(kind)") } }
                    })
            }
            service.hurry(until: MonotonicTime(nanoseconds: .max))
            service.end()
            let ended = DispatchSemaphore(value: 0)
            Thread.detachNewThread { service.run() }
            Thread.detachNewThread {
                service.callBack()
                ended.signal()
            }
            #expect(ended.wait(timeout: .now() + 30) == .success)
            #expect(ends.value == ["preparation", "bulk"])
            let written = try fixture.store.repair.held().count
            #expect(written == WriteClass.allCases.count - 2)
        }
    }
}

private final class Guarded<Value: Sendable>: Sendable {
    private let state: Mutex<Value>
    init(_ value: Value) { state = Mutex(value) }
    func change(_ body: (inout Value) -> Void) { state.withLock { body(&$0) } }
    var value: Value { state.withLock { $0 } }
}
