import PushModel
import PushStore
import Testing

@Suite(.eachEngine) struct FailedMessagesTests {
    private let noon = TemporaryStore.noon

    private func failed(_ message: MessageID, _ word: String = "BadDeviceToken") -> MessageRecord {
        MessageRecord(
            message: message, change: .failed(.hard, .userUnknown, providerReason: word), countsAttempt: true)
    }

    /// A delivery to the given number of subscribers, all of whose messages have failed.
    private func refused(_ count: Int, _ fixture: TemporaryStore) throws -> (app: App, id: DeliveryID) {
        let app = try fixture.app()
        try fixture.subscribe(1...count, to: app)
        let id = try fixture.submit(apps: [app])
        for part in try fixture.prepare(id) {
            for start in stride(from: 0, to: part.ids.count, by: 4_000) {
                var batch = OutcomeBatch(delivery: id)
                batch.others = part.ids.dropFirst(start).prefix(4_000).map { failed($0) }
                _ = try fixture.store.outcomes.record([batch], at: noon)
            }
        }
        #expect(try fixture.state(id) == .finished)
        return (app, id)
    }

    private func retry(
        _ id: DeliveryID, _ fixture: TemporaryStore, at now: WallMoment, atMost steps: Int = .max,
        _ adjust: (inout RetryOfFailed) -> Void = { _ in }
    ) throws -> RetriedMessages {
        var wish = RetryOfFailed(
            delivery: id, permanentReasons: ["PayloadEmpty"], expiresAt: now.later(seconds: 3_600).time)
        adjust(&wish)
        var cursor = FailedMessages.Cursor()
        var sum = RetriedMessages()
        var count = 0
        while count < steps, let step = try fixture.store.failedMessages.retry(wish, &cursor, at: now) {
            sum += step
            count += 1
        }
        return sum
    }

    @Test func `failed messages are due again with their attempts and ids, and the delivery is open again`()
        throws
    {
        try TemporaryStore.with { fixture in
            let (app, id) = try refused(3, fixture)
            let before = try fixture.log(id)
            let later = noon.later(seconds: 10 * 86_400)
            #expect(try retry(id, fixture, at: later).retried == 3)
            #expect(
                try fixture.state(id) == .inProgress && fixture.counts(id).retrying == 3
                    && fixture.counts(id).failed == 0)
            let summary = try #require(try fixture.store.deliveries.summary(of: id))
            #expect(summary.finished == nil && summary.expiresAt == later.later(seconds: 3_600).time)
            // The last answer remains in the row until there is another answer.
            let rows = try fixture.log(id)
            #expect(rows.map(\.message) == before.map(\.message) && rows.map(\.attempts) == [1, 1, 1])
            #expect(rows.allSatisfy { $0.state == .retrying && $0.providerReason == "BadDeviceToken" })
            var due: [RetryFacts] = []
            try fixture.store.messageReader().retries(app: app.id, dueBy: later.time, limit: 10) {
                facts, _, _, _ in
                due.append(facts)
            }
            #expect(due.map(\.message) == before.map(\.message) && due.map(\.attempts) == [1, 1, 1])
            #expect(try fixture.accept(before.map(\.message), of: id, at: later).finished == [id])
            #expect(try fixture.counts(id).sent == 3 && fixture.log(id).allSatisfy { $0.attempts == 2 })
        }
    }

    @Test func `a retry takes short transactions, and can be interrupted and restarted`() throws {
        try TemporaryStore.with { fixture in
            let (_, id) = try refused(12_000, fixture)
            let first = try retry(id, fixture, at: noon, atMost: 1)
            #expect(first.retried > 0 && first.retried < 5_000)
            #expect(
                try fixture.counts(id).failed == 12_000 - first.retried && fixture.state(id) == .inProgress)
            let rest = try retry(id, fixture, at: noon.later(seconds: 5))
            #expect(first.retried + rest.retried == 12_000)
            #expect(try retry(id, fixture, at: noon.later(seconds: 6)).found == 0)
            #expect(try fixture.counts(id).retrying == 12_000)
        }
    }

    @Test func `quarantined, removed and faulty recipients are skipped and counted for each reason`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...6, to: app)
            let (id, messages) = try fixture.deliver(to: app)
            let ids = (1...6).compactMap { messages[$0] }
            // An acceptance, so that the two verdicts are believed.
            try fixture.accept([ids[0]], of: id)
            try fixture.record(
                [TemporaryStore.bad(ids[1]), TemporaryStore.bad(ids[2])], accepted: 10, of: id)
            #expect(try fixture.settle().quarantined == 2)
            try fixture.record([failed(ids[3]), failed(ids[4], "PayloadEmpty"), failed(ids[5])], of: id)
            let gone = try fixture.store.subscriberFinder.find(userKey: "user-4", in: app.id).map(
                \.subscription)
            _ = try fixture.store.subscriberRemover.remove(gone, at: noon)
            _ = try fixture.store.quarantineWriter.release(app.id, tokens: [TemporaryStore.token(3)])
            let done = try retry(id, fixture, at: noon)
            // Two messages are retried: the one whose token was released, and the one that was refused for
            // another reason.
            #expect(done.retried == 2 && done.excluded == 1 && done.gone == 1 && done.hopeless == 1)
            #expect(
                try fixture.log(id).filter { $0.state == .retrying }.map(\.message)
                    == [ids[2], ids[5]].sorted())
            #expect(try fixture.counts(id).sent == 1)
            // If the caller names its reason, the message is sent again nevertheless.
            let named = try retry(id, fixture, at: noon) {
                $0.word = "PayloadEmpty"
                $0.permanentReasons = []
            }
            #expect(named.retried == 1 && named.found == 1)
            #expect(try retry(id, fixture, at: noon) { $0.failureReason = .mailboxFull }.found == 0)
        }
    }

    @Test func `messages of a deleted app are not sent again, nor are messages that were cancelled untried`()
        throws
    {
        try TemporaryStore.with { fixture in
            let (app, id) = try refused(2, fixture)
            try fixture.alter("UPDATE app SET removed_at = 1 WHERE id = \(app.id)")
            #expect(try retry(id, fixture, at: noon).gone == 2)
            #expect(try fixture.state(id) == .finished)

            let other = try fixture.app("two")
            try fixture.subscribe(1...2, to: other)
            let late = try fixture.submit(apps: [other])
            try fixture.prepare(late)
            while try fixture.store.outcomes.expire(at: noon.later(seconds: 6 * 86_400)).hasMore {}
            #expect(try fixture.counts(late).cancelled == 2)
            #expect(try retry(late, fixture, at: noon).found == 0)
        }
    }

    @Test
    func `the new validity ends too, and messages that were not reached by then fail with their last answer`()
        throws
    {
        try TemporaryStore.with { fixture in
            let (_, id) = try refused(2, fixture)
            let later = noon.later(seconds: 6 * 86_400)
            _ = try retry(id, fixture, at: later)
            #expect(try fixture.store.outcomes.expire(at: later).finished == [])
            let end = later.later(seconds: 3_601)
            while try fixture.store.outcomes.expire(at: end).hasMore {}
            #expect(try fixture.state(id) == .finished && fixture.counts(id).failed == 2)
            let words = try fixture.log(id).map(\.providerReason)
            #expect(words == ["BadDeviceToken", "BadDeviceToken"])
        }
    }

    @Test func `a retry in a running delivery never makes the end of its validity earlier`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...2, to: app)
            let id = try fixture.submit(apps: [app])
            let ids = try fixture.prepare(id)[0].ids
            var batch = OutcomeBatch(delivery: id)
            batch.others = [failed(ids[0])]
            _ = try fixture.store.outcomes.record([batch], at: noon)
            let end = try fixture.store.deliveries.summary(of: id)?.expiresAt
            #expect(try retry(id, fixture, at: noon).retried == 1)
            #expect(try fixture.store.deliveries.summary(of: id)?.expiresAt == end)
            #expect(try fixture.counts(id).pending == 1 && fixture.counts(id).retrying == 1)
        }
    }

    @Test(arguments: [false, true])
    func `the validity is also renewed for waiting messages in parts without failures`(lastFailed: Bool)
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...5_000, to: app)
            let id = try fixture.submit(apps: [app]) { $0.schedule.validitySeconds = 60 }
            var parts = try fixture.prepare(id)
            #expect(parts.count == 2)
            if lastFailed { parts.reverse() }
            var batch = OutcomeBatch(delivery: id)
            batch.others = parts[0].ids.prefix(10).map { failed($0) }
            _ = try fixture.store.outcomes.record([batch], at: noon)
            try fixture.accept(Array(parts[0].ids.dropFirst(10)), of: id)
            let waiting = parts[1].ids.count
            let later = noon.later(seconds: 30)
            #expect(
                try retry(id, fixture, at: later) { $0.expiresAt = later.later(seconds: 60).time }.retried
                    == 10
            )
            for seconds in [60, 89] as [Int64] {
                let now = noon.later(seconds: seconds)
                while try fixture.store.outcomes.expire(at: now).hasMore {}
                #expect(try fixture.counts(id).pending == waiting && fixture.counts(id).retrying == 10)
                #expect(try !fixture.store.work.hasExpired(at: now))
            }
            #expect(
                try fixture.store.work.nextMoment(after: noon.later(seconds: 60))
                    == noon.later(seconds: 90).time)
            while try fixture.store.outcomes.expire(at: noon.later(seconds: 90)).hasMore {}
            #expect(try fixture.counts(id).cancelled == waiting && fixture.counts(id).failed == 10)
            #expect(try fixture.state(id) == .finished)
        }
    }

    @Test func `an unknown delivery has no failed messages`() throws {
        try TemporaryStore.with { fixture in
            let done = try retry(DeliveryID(rawValue: 99), fixture, at: noon)
            #expect(done == RetriedMessages())
        }
    }
}
