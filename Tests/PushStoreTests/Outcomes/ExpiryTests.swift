import PushModel
import PushStore
import TestSupport
import Testing

@Suite(.eachEngine) struct ExpiryTests {
    private let noon = TemporaryStore.noon

    @Test
    func `at expiry, untried messages are cancelled, and tried messages fail with their last answer`() throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...12_000, to: app)
            let id = try fixture.submit(apps: [app]) { $0.schedule.validitySeconds = 60 }
            let parts = try fixture.prepare(id)
            try fixture.accept(Array(parts[0].ids.prefix(100)), of: id)
            var batch = OutcomeBatch(delivery: id)
            batch.others = parts[2].ids.prefix(50).map {
                MessageRecord(
                    message: $0,
                    change: .retrying(
                        due: noon.later(seconds: 600).time, .soft, .unreachable, providerReason: "time out"),
                    countsAttempt: true)
            }
            _ = try fixture.store.outcomes.record([batch], at: noon)

            #expect(try fixture.store.outcomes.expire(at: noon.later(seconds: 59)) == ExpiryStep())
            let end = noon.later(seconds: 60)
            var changed = 0
            var finished: [DeliveryID] = []
            for _ in 0..<100 {
                let step = try fixture.store.outcomes.expire(at: end)
                #expect(step.changed <= 5_000)
                changed += step.changed
                finished += step.finished
                if !step.hasMore { break }
            }
            #expect(changed == 11_900 && finished == [id])
            let counts = try fixture.counts(id)
            #expect(counts.sent == 100 && counts.failed == 50 && counts.cancelled == 11_850)
            #expect(try fixture.store.work.openParts().parts == [])
            let log = try fixture.log(id)
            let failed = log.filter { $0.state == .failed }
            #expect(
                failed.allSatisfy {
                    $0.failureType == .soft && $0.failureReason == .unreachable
                        && $0.providerReason == "time out"
                })
            #expect(
                log.filter { $0.state == .cancelled }.allSatisfy {
                    $0.providerReason == "expired" && $0.attempts == 0
                })
        }
    }

    @Test func `an acceptance after expiry is recorded, and a refusal is counted as late`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...20, to: app)
            let id = try fixture.submit(apps: [app]) { $0.schedule.validitySeconds = 60 }
            let ids = try #require(try fixture.prepare(id).first).ids
            var tried = OutcomeBatch(delivery: id)
            tried.others = ids.prefix(4).map {
                MessageRecord(
                    message: $0,
                    change: .retrying(due: noon.time, .soft, .unreachable, providerReason: "time out"),
                    countsAttempt: true)
            }
            _ = try fixture.store.outcomes.record([tried], at: noon)
            let end = noon.later(seconds: 60)
            while try fixture.store.outcomes.expire(at: end).hasMore {}
            let ended = try #require(try fixture.store.deliveries.summary(of: id))
            #expect(ended.state == .finished && ended.counts.failed == 4 && ended.counts.cancelled == 16)

            var answers = OutcomeBatch(delivery: id)
            // Failed and cancelled messages in one run, one of them twice, and one of each with an id of the
            // gateway.
            answers.accepted = Array(ids[2...6]) + [ids[6]]
            answers.others =
                [ids[0], ids[10]].map {
                    MessageRecord(message: $0, change: .sent(providerID: "p"), countsAttempt: true)
                } + [
                    MessageRecord(
                        message: ids[12], change: .failed(.hard, .refused, providerReason: "BadTopic"),
                        countsAttempt: true)
                ]
            let later = end.later(seconds: 9)
            let result = try fixture.store.outcomes.record([answers], at: later)
            #expect(result.finished == [])
            let counts = try fixture.counts(id)
            #expect(counts.sent == 7 && counts.failed == 1 && counts.cancelled == 12)
            #expect(try fixture.store.deliveries.summary(of: id)?.finished == ended.finished)
            let log = try fixture.log(id)
            let sent = log.filter { $0.state == .sent }
            #expect(sent.map(\.message) == [0, 2, 3, 4, 5, 6, 10].map { ids[$0] })
            #expect(sent.map(\.attempts) == [2, 2, 2, 1, 1, 1, 1])
            #expect(
                sent.allSatisfy {
                    $0.failureType == nil && $0.failureReason == nil && $0.providerReason == nil
                        && $0.updatedAt == later.time
                })
            #expect(log[12].state == .cancelled && log[12].attempts == 0)
        }
    }

    @Test func `an unreadable part is reported as damage to its delivery`() throws {
        try TemporaryFolder.with { folder in
            let store = try Store.open(path: folder + "/pushmta.db")
            let fixture = TemporaryStore(folder: folder, store: store, key: try store.instanceKey())
            let app = try fixture.app()
            try fixture.subscribe(1...6_000, to: app)
            let id = try fixture.submit(apps: [app]) { $0.schedule.validitySeconds = 60 }
            let parts = try fixture.prepare(id)
            let sick = parts[1].id
            try fixture.alter("UPDATE part_progress SET states = x'07' WHERE part_id = \(sick)")
            let end = noon.later(seconds: 60)
            #expect(try store.outcomes.expire(at: end).hasMore)
            do {
                _ = try store.outcomes.expire(at: end)
                Issue.record("nothing was thrown")
            } catch let error as StoreError {
                #expect(error.delivery == id && error.remedy == .setAside)
                #expect(
                    "\(error)".contains("part \(sick) of delivery \(id): a damaged part (states, byte 0)"))
            }
            #expect(try fixture.counts(id).cancelled == parts[0].ids.count && !fixture.state(id).isFinal)
        }
    }

    @Test
    func `a part whose row ends before its delivery waits until the delivery ends, and is checked once`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...5_000, to: app)
            let id = try fixture.submit(apps: [app])
            let parts = try fixture.prepare(id)
            let end = noon.later(seconds: 60)
            try fixture.alter(
                "UPDATE part_progress SET deadline = \(end.time.secondsSince1970) WHERE part_id = \(parts[0].id)"
            )
            #expect(try fixture.store.work.nextMoment(after: noon) == end.time)
            #expect(try !fixture.store.work.hasExpired(at: noon.later(seconds: 59)))
            #expect(try fixture.store.work.hasExpired(at: end))
            while try fixture.store.outcomes.expire(at: end).hasMore {}
            #expect(try fixture.counts(id).pending == 5_000 && !fixture.store.work.hasExpired(at: end))
            #expect(try fixture.state(id) == .inProgress && fixture.store.work.openParts().parts == parts)
            // A part whose delivery has already ended has no later end to wait for.
            try fixture.alter(
                "UPDATE delivery SET state = 'finished', expires_at = \(end.time.secondsSince1970) WHERE id = \(id)"
            )
            try fixture.alter(
                "UPDATE part_progress SET deadline = \(end.time.secondsSince1970) WHERE part_id = \(parts[0].id)"
            )
            while try fixture.store.outcomes.expire(at: end).hasMore {}
            #expect(try fixture.counts(id).cancelled == parts[0].ids.count)
        }
    }

    @Test func `a delivery that could not begin in time fails`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...3, to: app)
            let id = try fixture.submit(apps: [app]) { $0.schedule.validitySeconds = 60 }
            let end = noon.later(seconds: 61)
            #expect(try fixture.nextToPrepare(at: end) == nil)
            #expect(try fixture.store.outcomes.expire(at: end).finished == [id])
            #expect(
                try fixture.state(id) == .failed && fixture.store.outcomes.expire(at: end) == ExpiryStep())
        }
    }

    @Test func `the end of validity also ends the preparation`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...12_000, to: app)
            let id = try fixture.submit(apps: [app]) { $0.schedule.validitySeconds = 60 }
            let first = try fixture.store.preparation.prepareChunk(of: id, at: noon)
            let end = noon.later(seconds: 61)
            while try fixture.store.outcomes.expire(at: end).hasMore {}
            #expect(try fixture.state(id) == .finished && fixture.counts(id).cancelled == first.rows)
            #expect(try fixture.store.preparation.prepareChunk(of: id, at: end).isComplete)
            #expect(try fixture.counts(id).targeted == first.rows)
        }
    }
}
