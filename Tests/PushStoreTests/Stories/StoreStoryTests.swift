import PushModel
import PushStore
import TestSupport
import Testing

/// Arbitrary operations in arbitrary order. After each step, the counters must be correct and every message
/// must have the expected state.
@Suite(.eachEngine) struct StoreStoryTests {
    @Test(arguments: [1, 2, 3] as [UInt64])
    func `counters match the rows after any sequence of operations`(seed: UInt64) throws {
        try TemporaryStore.with { fixture in
            var story = Story(fixture: fixture, chance: SeededRandom(seed: seed))
            try story.begin()
            for _ in 0..<100 { try story.step() }
            try story.end()
        }
    }
}

private struct Story {
    let fixture: TemporaryStore
    var chance: SeededRandom
    var now = TemporaryStore.noon
    var turns = PreparationTurns()
    var apps: [App] = []
    var deliveries: [DeliveryID] = []
    /// The expected state of each prepared message.
    var expected: [MessageID: MessageState] = [:]
    var owner: [MessageID: DeliveryID] = [:]

    init(fixture: TemporaryStore, chance: SeededRandom) {
        self.fixture = fixture
        self.chance = chance
    }

    mutating func begin() throws {
        apps = [try fixture.app("one"), try fixture.app("two")]
        try fixture.subscribe(1...5_200, to: apps[0])
        try fixture.subscribe(1...150, to: apps[1])
        try fixture.alter("UPDATE subscription SET disabled = 1 WHERE id % 17 = 0")
    }

    mutating func step() throws {
        switch Int.random(in: 0..<10, using: &chance) {
        case 0: try submit()
        case 1...3: try prepare()
        case 4...7: try record()
        case 8: now = now.later(seconds: .random(in: 1...40, using: &chance))
        default: try expire()
        }
        try check()
    }

    mutating func end() throws {
        now = now.later(seconds: 100_000)
        while try fixture.store.outcomes.expire(at: now).hasMore {}
        for (message, state) in expected where !state.isFinal {
            expected[message] = state == .pending ? .cancelled : .failed
        }
        try check()
        for delivery in deliveries {
            #expect(try fixture.state(delivery).isFinal)
            let states = Dictionary(
                uniqueKeysWithValues: try fixture.log(delivery).map { ($0.message, $0.state) })
            for (message, state) in expected where owner[message] == delivery {
                #expect(states[message] == state)
            }
        }
        #expect(try fixture.store.work.openParts().parts == [])
        #expect(try fixture.store.work.nextMoment(after: TemporaryStore.noon) == nil)
    }

    private mutating func submit() throws {
        let targets: [Target] = [
            .all, .userKeys((1...40).map { "user-\($0)" }), .tokens((20...60).map(TemporaryStore.token)),
            .parameters(["no": "one"]),
        ]
        let target = targets[Int.random(in: 0..<targets.count, using: &chance)]
        let validity = Int64.random(in: 30...400, using: &chance)
        deliveries.append(
            try fixture.store.deliverySubmitter.submit(
                fixture.order(target, apps: apps) { $0.schedule.validitySeconds = validity }, at: now))
    }

    private mutating func prepare() throws {
        guard let delivery = try fixture.store.work.nextToPrepare(at: now, &turns) else { return }
        let last = owner.filter { $0.value == delivery }.map(\.key).max()
        let step = try fixture.store.preparation.prepareChunk(of: delivery, at: now)
        let new = try fixture.store.deliveries.log(of: delivery, after: last)
        #expect(new.count == step.rows)
        for entry in new {
            #expect(expected[entry.message] == nil)
            expected[entry.message] = entry.state
            owner[entry.message] = delivery
        }
    }

    private mutating func record() throws {
        guard let delivery = deliveries.randomElement(using: &chance) else { return }
        let mine = owner.filter { $0.value == delivery }.map(\.key).sorted()
        guard !mine.isEmpty else { return }
        let start = Int.random(in: 0..<mine.count, using: &chance)
        var batch = OutcomeBatch(delivery: delivery)
        var late: Set<MessageID> = []
        for message in mine[start..<min(start + Int.random(in: 1...1_500, using: &chance), mine.count)] {
            let (change, state) = outcome()
            if let change {
                batch.others.append(
                    MessageRecord(
                        message: message, change: change, countsAttempt: Bool.random(using: &chance)))
            } else {
                batch.accepted.append(message)
            }
            let before = try #require(expected[message])
            // An acceptance is a fact, whatever was decided before it arrived.
            let overrides = state == .sent && before != .sent
            if !before.isFinal || overrides { expected[message] = state } else { late.insert(message) }
        }
        batch.accepted.shuffle(using: &chance)
        let before = try fixture.log(delivery)
        _ = try fixture.store.outcomes.record([batch], at: now)
        for (old, new) in zip(before, try fixture.log(delivery)) {
            let state = try #require(expected[new.message])
            #expect(new.state == state)
            if late.contains(new.message) { #expect(new == old) }
        }
    }

    private mutating func outcome() -> (MessageRecord.Change?, MessageState) {
        let due = now.later(seconds: 10).time
        return switch Int.random(in: 0..<20, using: &chance) {
        case 0: (.sent(providerID: "p"), .sent)
        case 1: (.failed(.soft, .refused, providerReason: "BadTopic"), .failed)
        case 2: (.retrying(due: due, .soft, .unreachable, providerReason: "time out"), .retrying)
        case 3: (.cancelled(.undefined, why: "stopped"), .cancelled)
        case 4: (.excluded(.refused, why: "too long"), .excluded)
        default: (nil, .sent)
        }
    }

    private mutating func expire() throws {
        let live = try deliveries.filter { try !fixture.state($0).isFinal }
        let step = try fixture.store.outcomes.expire(at: now)
        guard step.changed > 0 else { return }
        // The store selects the messages. The messages that it made final must have been waiting.
        var changed = 0
        for delivery in live {
            for entry in try fixture.log(delivery) where expected[entry.message] != entry.state {
                let before = try #require(expected[entry.message])
                #expect(entry.state == (before == .pending ? .cancelled : .failed) && !before.isFinal)
                expected[entry.message] = entry.state
                changed += 1
            }
        }
        #expect(changed == step.changed)
    }

    private func check() throws {
        for delivery in deliveries {
            let counts = try fixture.counts(delivery)
            #expect(counts.isBalanced)
            #expect(try fixture.store.inspection.recount(delivery) == counts)
        }
        let retrying = expected.values.filter { $0 == .retrying }.count
        let counted = try deliveries.reduce(0) { try $0 + fixture.counts($1).retrying }
        #expect(retrying == counted)
    }
}
