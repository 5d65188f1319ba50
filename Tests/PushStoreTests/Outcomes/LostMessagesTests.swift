import PushModel
import PushStore
import Testing

/// Tests messages from a lost child, if they must not be sent again.
@Suite(.eachEngine) struct LostMessagesTests {
    private let noon = TemporaryStore.noon

    @Test func `pending messages in a lost range fail as unreachable, and answered messages are unchanged`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...20, to: app)
            let id = try fixture.submit(apps: [app])
            let ids = try #require(try fixture.prepare(id).first).ids
            try fixture.accept(Array(ids[2...4]), of: id)
            var tried = OutcomeBatch(delivery: id)
            tried.others = [
                MessageRecord(
                    message: ids[5],
                    change: .retrying(due: noon.time, .soft, .refused, providerReason: "later"),
                    countsAttempt: true)
            ]
            _ = try fixture.store.outcomes.record([tried], at: noon)
            let later = noon.later(seconds: 5)
            let step = try fixture.store.outcomes.failLost(ids[0]...ids[9], of: id, at: later)
            #expect(step.failed == 6 && !step.isFinished)
            let counts = try fixture.counts(id)
            #expect(counts.failed == 6 && counts.sent == 3 && counts.pending == 10 && counts.retrying == 1)
            let failed = try fixture.log(id).filter { $0.state == .failed }
            #expect(failed.map(\.message) == [0, 1, 6, 7, 8, 9].map { ids[$0] })
            #expect(
                failed.allSatisfy {
                    $0.failureType == .soft && $0.failureReason == .unreachable
                        && $0.providerReason == "(child lost)"
                        && $0.updatedAt == later.time
                })
            #expect(
                try fixture.store.work.nextMoment(after: noon.later(seconds: -9)) == noon.time,
                "it is tried again")
            // A second call has no effect. An acceptance that arrives later is recorded.
            #expect(try fixture.store.outcomes.failLost(ids[0]...ids[9], of: id, at: later) == LostStep())
            for message in [ids[0], ids[5]] { try fixture.accept([message], of: id) }
            #expect(try fixture.counts(id).sent == 5)
            #expect(try [0, 5].allSatisfy { try fixture.log(id)[$0].state == .sent })
            #expect(try fixture.store.outcomes.failLost(ids[10]...ids[19], of: id, at: later).isFinished)
            #expect(try fixture.state(id) == .finished && fixture.counts(id).failed == 15)
        }
    }

    @Test func `retries in a lost range fail one by one, and retries for another delivery do not fail`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...10, to: app)
            let (one, two) = (try fixture.deliver(to: app), try fixture.deliver(to: app))
            let lost = try [1, 3, 4, 9].map { try #require(one.messages[$0]) }
            let foreign = try #require(two.messages[5])
            let later = try #require(one.messages[6])
            func retry(_ messages: [MessageID], of delivery: DeliveryID, at due: WallMoment) throws {
                var tried = OutcomeBatch(delivery: delivery)
                tried.others = messages.map {
                    MessageRecord(
                        message: $0,
                        change: .retrying(due: due.time, .soft, .refused, providerReason: "later"),
                        countsAttempt: true)
                }
                _ = try fixture.store.outcomes.record([tried], at: noon)
            }
            try retry(lost, of: one.id, at: noon)
            try retry([foreign], of: two.id, at: noon)
            // The message had received its answer before its child was lost.
            try retry([later], of: one.id, at: noon.later(seconds: 60))
            let step = try fixture.store.outcomes.failLost(
                lost + [foreign, later, lost[0]], of: one.id, at: noon)
            #expect(step.failed == 4)
            #expect(Set(try fixture.log(one.id).filter { $0.state == .failed }.map(\.message)) == Set(lost))
            #expect(try fixture.counts(two.id).failed == 0)
            #expect(try fixture.store.outcomes.failLost([], of: one.id, at: noon) == LostStep())
        }
    }

    @Test func `if a range exceeds its part, only the part's messages fail`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...4_950, to: app)
            let id = try fixture.submit(apps: [app])
            let parts = try fixture.prepare(id)
            let outcomes = fixture.store.outcomes
            let all = parts[0].messages.lowerBound...MessageID(rawValue: .max)
            #expect(try outcomes.failLost(all, of: id, at: noon).failed == 4_900)
            #expect(try fixture.counts(id).pending == 50)
            let none = MessageID(rawValue: .min)...MessageID(rawValue: .max)
            #expect(try outcomes.failLost(none, of: id, at: noon) == LostStep())
        }
    }
}
