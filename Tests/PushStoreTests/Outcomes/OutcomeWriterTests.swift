import PushModel
import PushStore
import Testing

@Suite(.eachEngine) struct OutcomeWriterTests {
    private let noon = TemporaryStore.noon

    @Test func `each outcome leads to its state and increments the counter for this state`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...10, to: app)
            let id = try fixture.submit(apps: [app])
            let part = try #require(try fixture.prepare(id).first)
            let due = noon.later(seconds: 60).time
            let changes: [(MessageRecord.Change, MessageState)] = [
                (.sent(providerID: "x"), .sent),
                (.failed(.soft, .refused, providerReason: "BadTopic"), .failed),
                (.retrying(due: due, .soft, .unreachable, providerReason: "time out"), .retrying),
                (.cancelled(.undefined, why: "stopped"), .cancelled),
                (.excluded(.refused, why: "too long"), .excluded),
            ]
            var batch = OutcomeBatch(delivery: id)
            batch.accepted = Array(part.ids.suffix(3))
            batch.others = zip(part.ids, changes).map {
                MessageRecord(message: $0, change: $1.0, countsAttempt: true)
            }
            _ = try fixture.store.outcomes.record([batch], at: noon)
            let counts = try fixture.counts(id)
            #expect(
                counts.targeted == 9 && counts.excluded == 1 && counts.pending == 2 && counts.retrying == 1)
            #expect(counts.sent == 4 && counts.failed == 1 && counts.cancelled == 1)
            #expect(try fixture.log(id).prefix(5).map(\.state) == changes.map(\.1))
        }
    }

    @Test func `late outcomes change nothing`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...10, to: app)
            let id = try fixture.submit(apps: [app])
            let part = try #require(try fixture.prepare(id).first)
            try fixture.accept(Array(part.ids[2...5]), of: id)
            let before = try fixture.log(id)
            var batch = OutcomeBatch(delivery: id)
            // Messages 3 and 4 again, message 7 twice, and a message that does not exist.
            batch.accepted = [
                part.ids[3], part.ids[4], part.ids[7], part.ids[7], MessageID(rawValue: 1 << 40),
            ]
            batch.others = [
                MessageRecord(
                    message: part.ids[2], change: .failed(.hard, .userUnknown, providerReason: "late"),
                    countsAttempt: true)
            ]
            _ = try fixture.store.outcomes.record([batch], at: noon.later(seconds: 9))
            let counts = try fixture.counts(id)
            #expect(counts.sent == 5 && counts.failed == 0 && counts.pending == 5)
            let after = try fixture.log(id)
            #expect(after[7].state == .sent && after[7].attempts == 1)
            #expect(after.indices.filter { after[$0] != before[$0] } == [7])
        }
    }

    @Test func `a batch cannot change messages that belong to another delivery`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...5, to: app)
            let (mine, theirs) = (try fixture.submit(apps: [app]), try fixture.submit(apps: [app]))
            try fixture.prepare(mine)
            let part = try #require(try fixture.prepare(theirs).first)
            let faults = try fixture.accept(part.ids, of: mine).faults
            #expect(faults.map(\.boundary) == [.outcomeAndPart] && faults.allSatisfy { $0.delivery == nil })
            #expect(faults.first?.evidence.contains("5 outcomes of delivery \(mine)") == true)
            #expect(try fixture.counts(theirs).pending == 5 && fixture.counts(mine).pending == 5)
        }
    }

    @Test func `an accepted retry clears the failure of its message`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...4, to: app)
            let id = try fixture.submit(apps: [app])
            let part = try #require(try fixture.prepare(id).first)
            var batch = OutcomeBatch(delivery: id)
            batch.others = part.ids.prefix(2).map {
                MessageRecord(
                    message: $0, change: .retrying(due: noon.time, .soft, .refused, providerReason: "busy"),
                    countsAttempt: true)
            }
            _ = try fixture.store.outcomes.record([batch], at: noon)
            #expect(try fixture.store.messageReader().retryingDue(app: app.id, dueBy: noon.time) == 2)
            // Two retried and two new messages form one range.
            #expect(try fixture.accept(part.ids, of: id).finished == [id])
            let log = try fixture.log(id)
            #expect(
                log.map(\.attempts) == [2, 2, 1, 1]
                    && log.allSatisfy { $0.state == .sent && $0.providerReason == nil })
            #expect(try fixture.store.messageReader().retryingDue(app: app.id, dueBy: noon.time) == 0)
        }
    }

    @Test func `attempts that are marked as not counting are not counted`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...1, to: app)
            let id = try fixture.submit(apps: [app])
            let part = try #require(try fixture.prepare(id).first)
            for counts in [false, true, false] {
                var batch = OutcomeBatch(delivery: id)
                batch.others = [
                    MessageRecord(
                        message: part.ids[0],
                        change: .retrying(due: noon.time, .undefined, .unreachable, providerReason: "x"),
                        countsAttempt: counts)
                ]
                _ = try fixture.store.outcomes.record([batch], at: noon)
            }
            #expect(try fixture.log(id).map(\.attempts) == [1])
        }
    }

    @Test func `the last outcome ends the delivery, and only once`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...4, to: app)
            let ids = [try fixture.submit(apps: [app]), try fixture.submit(apps: [app])]
            let parts = try ids.map { try #require(try fixture.prepare($0).first) }
            let end = WallMoment(millisecondsSince1970: noon.millisecondsSince1970 + 1_234)
            let batches = zip(ids, parts).map { id, part in
                var batch = OutcomeBatch(delivery: id)
                batch.accepted = part.ids.shuffled()
                return batch
            }
            #expect(try fixture.store.outcomes.record(batches, at: end).finished == ids)
            #expect(try fixture.store.deliveries.summary(of: ids[0])?.finished == end)
            let before = try ids.map(fixture.log)
            #expect(try fixture.store.outcomes.record(batches, at: end.later(seconds: 9)).finished == [])
            #expect(try ids.map(fixture.log) == before)
            #expect(try fixture.store.deliveries.summary(of: ids[0])?.finished == end)
        }
    }

    @Test func `the number of rows that one call changes is limited, including rows of deliveries`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...1, to: app)
            let id = try fixture.submit(apps: [app])
            try fixture.prepare(id)
            // Batches with one message that each end their delivery: each batch changes three rows.
            let most = OutcomeWriter.maximumRows / 3
            let batches = try fixture.acceptedCopies(most, of: id)
            guard
                case .limitReached = cause(of: {
                    _ = try fixture.store.outcomes.record(batches + batches, at: noon)
                })
            else {
                Issue.record("accepted")
                return
            }
            let result = try fixture.store.outcomes.record(batches, at: noon)
            #expect(result.finished.count == most)
            #expect(fixture.store.inspection.largestWrite == most * 3)
            let sent = try fixture.store.deliveries.list(limit: 5_000).filter { $0.counts.sent == 1 }
            #expect(sent.count == most)
        }
    }

    @Test func `too many outcomes in one call are all refused`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...5_000, to: app)
            let id = try fixture.submit(apps: [app])
            let parts = try fixture.prepare(id)
            guard case .limitReached = cause(of: { try fixture.accept(parts.flatMap(\.ids), of: id) }) else {
                Issue.record("accepted")
                return
            }
            #expect(try fixture.counts(id).pending == 5_000)
        }
    }
}
