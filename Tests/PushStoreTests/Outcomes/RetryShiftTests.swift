import PushModel
import PushStore
import Testing

/// Tests due times after the wall clock was set back.
@Suite(.eachEngine) struct RetryShiftTests {
    private let noon = TemporaryStore.noon

    /// Records that messages must be retried the given number of seconds later.
    private func retry(
        _ messages: some Collection<MessageID>, of delivery: DeliveryID, after seconds: Int64,
        at now: WallMoment,
        in fixture: TemporaryStore
    ) throws {
        for start in stride(from: 0, to: messages.count, by: 4_000) {
            var batch = OutcomeBatch(delivery: delivery)
            batch.others = messages.dropFirst(start).prefix(4_000).map {
                MessageRecord(
                    message: $0,
                    change: .retrying(
                        due: now.later(seconds: seconds).time, .soft, .refused,
                        providerReason: "TooManyRequests"),
                    countsAttempt: true)
            }
            _ = try fixture.store.outcomes.record([batch], at: now)
        }
    }

    /// Returns the due time of each message that is retried, in seconds after noon.
    private func dues(of app: App, in fixture: TemporaryStore) throws -> [MessageID: Int64] {
        var dues: [MessageID: Int64] = [:]
        var last: RetryPlace?
        let end = noon.later(seconds: 1_000_000).time
        while try fixture.store.messageReader().retries(
            app: app.id, dueBy: end, after: last, limit: 5_000,
            body: { facts, _, _, _ in
                dues[facts.message] = facts.due.seconds(since: noon.time)
                last = facts.place
            }) == 5_000
        {}
        return dues
    }

    private func move(_ shift: RetryShift, in fixture: TemporaryStore, calls: Int = 1_000) throws {
        var shift = shift
        for _ in 0..<calls { guard try fixture.store.outcomes.move(&shift) else { return } }
    }

    private func step(_ seconds: Int64, since: Int64, now: Int64) -> RetryShift {
        RetryShift(
            stepSeconds: seconds, recordedSince: noon.later(seconds: since).time,
            now: noon.later(seconds: now).time)
    }

    @Test func `only moments that the old clock set move with a step of the clock`() throws {
        try TemporaryStore.with { fixture in
            let (app, other) = (try fixture.app("one"), try fixture.app("two"))
            try fixture.subscribe(1...5, to: app)
            try fixture.subscribe(1...1, to: other)
            let id = try fixture.submit(apps: [app, other])
            let ids = try fixture.prepare(id).flatMap(\.ids)
            // These messages were recorded with the correct clock, until it was set forward by one hour at
            // noon.
            try retry(ids[0...0], of: id, after: 4_000, at: noon.later(seconds: -10), in: fixture)
            // These messages were recorded with the clock while it was one hour ahead, for two hours.
            try retry(ids[1...1], of: id, after: 9_000, at: noon.later(seconds: 3_601), in: fixture)
            try retry(ids[2...2], of: id, after: 300, at: noon.later(seconds: 10_790), in: fixture)
            try retry(ids[5...5], of: id, after: 60, at: noon.later(seconds: 10_799), in: fixture)
            // This message is due by either clock.
            try retry(ids[3...3], of: id, after: 10, at: noon.later(seconds: 3_602), in: fixture)
            try move(step(3_600, since: 3_600, now: 7_200), in: fixture)
            let dues = try dues(of: app, in: fixture)
            #expect(dues[ids[0]] == 3_990)
            #expect(dues[ids[1]] == 9_001)
            #expect(dues[ids[2]] == 7_490)
            #expect(dues[ids[3]] == 3_612)
            #expect(try self.dues(of: other, in: fixture) == [ids[5]: 7_259])
            #expect(try fixture.counts(id).retrying == 5 && fixture.counts(id).pending == 1)
            // The log contains the time by the present clock.
            let logged = try fixture.log(id).first { $0.message == ids[2] }
            #expect(logged?.updatedAt == noon.later(seconds: 7_190).time)
        }
    }

    @Test func `if a master finds rows dated in the future, none of them waits longer than intended`() throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...2, to: app)
            let id = try fixture.submit(apps: [app])
            let ids = try fixture.prepare(id).flatMap(\.ids)
            try retry(ids[0...0], of: id, after: 300, at: noon.later(seconds: 86_400), in: fixture)
            try retry(ids[1...1], of: id, after: 300, at: noon, in: fixture)
            for _ in 0..<3 { try move(RetryShift(now: noon.later(seconds: 5).time), in: fixture) }
            #expect(try dues(of: app, in: fixture) == [ids[0]: 305, ids[1]: 300])
        }
    }

    @Test
    func `each row moves once, in short transactions, even if the pass is interrupted and restarted`() throws
    {
        try TemporaryStore.with { fixture in
            let (small, app) = (try fixture.app("one"), try fixture.app("two"))
            try fixture.subscribe(1...3, to: small)
            try fixture.subscribe(1...12_000, to: app)
            let id = try fixture.submit(apps: [small, app])
            let parts = try fixture.prepare(id)
            // All messages are due in the same second. A page must not start this second again.
            for part in parts {
                try retry(part.ids, of: id, after: 300, at: noon.later(seconds: 3_600), in: fixture)
            }
            let shift = step(3_600, since: 0, now: 1)
            try move(shift, in: fixture, calls: 1)
            let moved = try dues(of: app, in: fixture).values.filter { $0 == 300 }.count
            #expect(moved > 4_000 && moved < 5_000)
            // The master was killed. The next master has not noticed the change of the clock.
            try move(RetryShift(now: noon.later(seconds: 2).time), in: fixture)
            let dues = try dues(of: app, in: fixture)
            #expect(dues.count == 12_000)
            #expect(dues.values.filter { $0 == 300 }.count == moved)
            #expect(dues.values.allSatisfy { $0 == 300 || $0 == 302 })
            #expect(try Set(self.dues(of: small, in: fixture).values) == [300])
        }
    }
}
