import Dispatch
import GRDB
import PushModel
import PushStore
import TestSupport
import Testing

/// Tests what the store reports and does if the disk is full or another process has locked the store.
@Suite struct StoreFailureTests {
    @Test func `a full disk is reported as such, and no change is written partially`() throws {
        try TemporaryStore.with(maximumPages: 900) { fixture in
            let app = try fixture.app()
            expect(.diskFull) { try fixture.subscribe(1...50_000, to: app) }
            let count = try fixture.store.subscribers.count(of: app.id)
            #expect(count > 0 && count < 50_000)
            // A delivery to the subscribers that were imported does not fit either. The failing chunk leaves
            // no trace.
            let id = try fixture.submit(apps: [app])
            var steps = 0
            let found = cause(of: {
                while steps < 1_000 {
                    let other = try fixture.submit(apps: [app])
                    try fixture.prepare(other)
                    steps += 1
                }
            })
            #expect(found == .diskFull)
            let counts = try fixture.counts(id)
            #expect(counts == DeliveryCounts())
            // With space available again, the same call continues.
            let roomy = try Store.open(path: fixture.path)
            var rows = 0
            while true {
                let step = try roomy.preparation.prepareChunk(of: id, at: TemporaryStore.noon)
                rows += step.rows
                if step.isComplete { break }
            }
            #expect(rows == count)
        }
    }

    @Test func `if the disk is full, an outcome is recorded together with its verdict or not at all`() throws
    {
        // Space for the delivery and for a few thousand verdicts, but not for all of them.
        try TemporaryStore.with(maximumPages: 900) { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...6_000, to: app)
            let (id, messages) = try fixture.deliver(to: app)
            let word = String(repeating: "x", count: 400)
            // Each verdict has its own row.
            let records = messages.values.sorted().map { TemporaryStore.bad($0, reason: word + "\($0)") }
            var recorded = 0
            let found = cause(of: {
                for start in stride(from: 0, to: records.count, by: 500) {
                    try fixture.record(Array(records[start..<start + 500]), of: id)
                    recorded += 500
                }
            })
            #expect(found == .diskFull && recorded > 0 && recorded < 6_000)
            let trust = try #require(try fixture.store.trust.trust(of: TemporaryStore.mark))
            #expect(trust.waiting == recorded && trust.evidence.aboutTokens == recorded)
            #expect(try fixture.counts(id).failed == recorded)
            try fixture.checkVerdicts()
            // Deciding verdicts needs space too. If there is no space, the verdicts keep waiting.
            var settled = VerdictStep()
            let tight = cause(of: { settled = try fixture.settle() })
            #expect(tight == .diskFull || settled.quarantined == recorded)
            try fixture.checkVerdicts()
            // With space available again, the same calls continue.
            let roomy = try Store.open(path: fixture.path)
            for start in stride(from: recorded, to: records.count, by: 500) {
                var batch = OutcomeBatch(delivery: id)
                batch.others = Array(records[start..<start + 500])
                _ = try roomy.outcomes.record([batch], at: TemporaryStore.noon)
            }
            try fixture.settle(in: roomy)
            #expect(try roomy.quarantine.counts()[app.id]?.quarantined == 6_000)
            #expect(try fixture.state(id) == .finished)
        }
    }

    @Test func `two processes that write at the same time wait for each other`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...4_000, to: app)
            let failures = Failures()
            DispatchQueue.concurrentPerform(iterations: 4) { number in
                do {
                    let store = try Store.open(path: fixture.path)
                    if number == 0 {
                        for _ in 0..<10 {
                            let id = try store.deliverySubmitter.submit(
                                fixture.order(apps: [app]), at: TemporaryStore.noon)
                            while try !store.preparation.prepareChunk(of: id, at: TemporaryStore.noon)
                                .isComplete
                            {}
                        }
                    } else {
                        let numbers = (number * 100_000)..<(number * 100_000 + 5_000)
                        let records = numbers.map {
                            SubscriberRecord(
                                token: TemporaryStore.token($0), userKey: "\($0)", parametersJSON: nil)
                        }
                        _ = try store.subscriberImporter.upsert(
                            records, into: app.id, at: TemporaryStore.noon)
                    }
                } catch {
                    failures.add("\(error)")
                }
            }
            #expect(failures.all == [])
            #expect(try fixture.store.subscribers.count(of: app.id) == 19_000)
        }
    }

    @Test func `a store that stays locked is reported as busy and not as broken`() throws {
        try TemporaryStore.with { fixture in
            let impatient = try Store.open(path: fixture.path, busyTimeoutMilliseconds: 50)
            let app = try fixture.app()
            let other = try StoreFile.open(fixture.path)
            try other.inDatabase { db in
                try db.inTransaction(.immediate) {
                    expect(.busy) {
                        _ = try impatient.deliverySubmitter.submit(
                            fixture.order(apps: [app]), at: TemporaryStore.noon)
                    }
                    // Readers do not wait for writers.
                    let apps = try impatient.catalogue.apps()
                    #expect(apps == [app])
                    return .rollback
                }
            }
            #expect(
                try impatient.deliverySubmitter.submit(fixture.order(apps: [app]), at: TemporaryStore.noon)
                    .rawValue
                    == 1)
        }
    }
}
