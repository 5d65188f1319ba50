import Foundation
import PushModel
import PushStore
import Synchronization
import TestSupport
import Testing

@Suite(.eachEngine) struct MessageIntakeTests {
    /// Keeps the writer busy until the semaphore is signalled.
    private func gate(_ service: WriteService) -> DispatchSemaphore {
        let gate = DispatchSemaphore(value: 0)
        service.submit(.control, rows: 1) { _ throws(StoreError) in
            gate.wait()
        } completion: { _ in
        }
        return gate
    }

    @Test func `messages that arrive during a commit form one part`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...40, to: app)
            let told = Mutex<[AcceptedPart]>([])
            try fixture.withIntake(told: { parts in told.withLock { $0 += parts } }) { intake, service in
                let gate = gate(service)
                let results = Mutex<[MessageResult]>([])
                let all = DispatchGroup()
                for number in 1...40 {
                    all.enter()
                    let message = try fixture.message(to: .userKey("user-\(number)"), of: app)
                    intake.submit([message]) { given in
                        results.withLock { $0 += given }
                        all.leave()
                    }
                }
                gate.signal()
                #expect(all.wait(timeout: .now() + 30) == .success)
                let ids = try results.withLock { try $0.map { try $0.get().devices[0].message } }
                #expect(Set(ids).count == 40)
                let parts = told.withLock(\.self)
                #expect(try parts.map(\.part) == fixture.openParts())
                // The first message may have been written alone, before the other messages arrived.
                #expect(parts.count <= 2)
            }
        }
    }

    @Test func `the results for many concurrent messages are in order, one for each message`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...1_000, to: app)
            try fixture.withIntake { intake, _ in
                let messages = try (1...1_000).map {
                    try fixture.message(to: .userKey($0 % 7 == 0 ? "nobody" : "user-\($0)"), of: app)
                }
                let results = intake.accept(messages)
                #expect(results.count == 1_000)
                for (place, result) in results.enumerated() {
                    guard (place + 1) % 7 != 0 else {
                        #expect(result == .failure(.nobody))
                        continue
                    }
                    let accepted = try result.get()
                    let status = try fixture.store.messageStatus.status(
                        of: accepted.devices[0].message, in: accepted.delivery)
                    #expect(status?.entry.userKey == "user-\(place + 1)")
                }
            }
        }
    }

    @Test func `messages above the maximum number of waiting messages are refused immediately`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...1, to: app)
            let message = try fixture.message(to: .userKey("user-1"), of: app)
            try fixture.withIntake(maxWaiting: 3) { intake, service in
                let gate = gate(service)
                let done = Mutex<[MessageResult]>([])
                // The unit that was ordered first receives its messages when it runs.
                for _ in 1...5 { intake.submit([message]) { given in done.withLock { $0 += given } } }
                #expect(done.withLock(\.self) == [.failure(.busy), .failure(.busy)])
                gate.signal()
                eventually("all have an answer") { done.withLock(\.count) == 5 }
            }
        }
    }

    @Test(arguments: [FaultyEngine.Place.statement, .commit, .afterCommit])
    func `a unit of work that runs twice takes effect once`(place: FaultyEngine.Place) throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...3, to: app)
            let engine = FaultyEngine(fixture.store.writeEngine(name: "master"))
            try fixture.withIntake(engine: engine) { intake, _ in
                engine.fail(FaultyEngine.Fault(place: place, error: StoreError(.busy, path: ""), times: 1))
                var messages = try (1...3).map { try fixture.message(to: .userKey("user-\($0)"), of: app) }
                messages[0].idempotency = IdempotencyKey(scope: "", key: "k", body: [])
                let results = intake.accept(messages)
                let accepted = results.compactMap { try? $0.get() }
                let present = try fixture.openParts().reduce(0) { $0 + $1.size }
                #expect(present == accepted.count)
                // A refused caller may repeat the request.
                var again: AcceptedMessage?
                eventually("the store is well again") {
                    again = try? intake.accept([messages[0]])[0].get()
                    return again != nil
                }
                #expect(again?.isRepeated == !accepted.isEmpty)
            }
        }
    }

    @Test func `an inconsistent delivery is put on hold, and its further messages go into another delivery`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...3, to: app)
            try fixture.withIntake { intake, _ in
                let messages = try (1...3).map { try fixture.message(to: .userKey("user-\($0)"), of: app) }
                let first = try intake.accept([messages[0]])[0].get().delivery
                try fixture.alter("UPDATE delivery SET last_ordinal = 9000000000000")
                let accepted = try intake.accept(messages).map { try $0.get().delivery }
                #expect(Set(accepted).count == 1 && accepted[0] != first)
                #expect(try fixture.store.repair.held().map(\.delivery) == [first])
                try fixture.alter("UPDATE delivery SET last_ordinal = 1 WHERE id = \(first)")
                #expect(try fixture.store.repair.recount(first, at: TemporaryStore.noon).isRepaired)
            }
        }
    }
}
