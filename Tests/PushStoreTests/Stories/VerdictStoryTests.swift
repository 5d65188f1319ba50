import PushModel
import PushStore
import TestSupport
import Testing

/// Arbitrary answers, registrations and decisions in arbitrary order. After each step, the store's quarantine
/// must match a simple record of the same events.
@Suite(.eachEngine) struct VerdictStoryTests {
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `after any sequence of operations, the quarantine matches its rules`(seed: UInt64) throws {
        try TemporaryStore.with { fixture in
            var story = try VerdictStory(fixture: fixture, chance: SeededRandom(seed: seed))
            for _ in 0..<250 { try story.step() }
            // Checks that the simulation reached all states.
            #expect(story.kinds.count == 3)
        }
    }
}

private struct VerdictStory {
    private struct Subscriber {
        var registered: WallTime
        var excluded: QuarantineState?
        var errors: TokenErrors?
        var state: QuarantineState? { excluded ?? (errors == nil ? nil : .counting) }
    }
    private struct Held {
        var account: AccountKey
        var subscriber: Int
        var gravity: TokenVerdict.Gravity
        var decided: WallTime
        var deadSince: WallTime?
        /// The number of times that the account has been believed since then. The second time clears the
        /// verdict.
        var judgements = 0
    }

    private let fixture: TemporaryStore
    private let app: App
    private var chance: SeededRandom
    private var now = TemporaryStore.noon
    private var subscribers: [Int: Subscriber] = [:]
    private var held: [Held] = []
    private var storms: Set<AccountKey> = []
    private var unanswered: [(subscriber: Int, message: MessageID, delivery: DeliveryID)] = []
    /// The states that occurred.
    private(set) var kinds: Set<QuarantineState> = []

    private static let numbers = 1...25
    private static let accounts = [TemporaryStore.mark, AccountKey(rawValue: "other")]

    init(fixture: TemporaryStore, chance: SeededRandom) throws {
        self.fixture = fixture
        self.chance = chance
        app = try fixture.app()
        try fixture.subscribe(Self.numbers, to: app)
        for number in Self.numbers { subscribers[number] = Subscriber(registered: now.time) }
    }

    mutating func step() throws {
        switch Int.random(in: 0..<20, using: &chance) {
        case 0...1: try deliver()
        case 2...7: try answer()
        case 8...9: try answerMany()
        case 10...11: try believe()
        case 12: try settle()
        case 13: try register()
        case 14: try release()
        case 15: try feedback()
        case 16: try storm()
        default: now = now.later(seconds: [1, 3_600, 86_400, 400_000].randomElement(using: &chance) ?? 1)
        }
        try check()
    }

    private mutating func deliver() throws {
        let (id, messages) = try fixture.deliver(to: app, at: now)
        let excluded = try fixture.log(id).filter { $0.state == .excluded }.map(\.userKey)
        let expected = subscribers.filter { $0.value.excluded != nil }.keys.map { "user-\($0)" }
        #expect(excluded.sorted() == expected.sorted())
        for (subscriber, message) in messages.sorted(by: { $0.key < $1.key })
        where subscribers[subscriber]?.excluded == nil {
            unanswered.append((subscriber, message, id))
        }
    }

    private mutating func answer() throws {
        guard let place = unanswered.indices.randomElement(using: &chance) else { return }
        let (subscriber, message, delivery) = unanswered.remove(at: place)
        let answers: [TokenVerdict.Gravity?] = [.dead, .suspect, .suspect, .suspect, nil]
        guard let gravity = answers[Int.random(in: 0..<answers.count, using: &chance)] else {
            try fixture.accept([message], of: delivery, at: now)
            held.removeAll { $0.subscriber == subscriber }
            if subscribers[subscriber]?.excluded == nil { subscribers[subscriber]?.errors = nil }
            return
        }
        let account = Self.accounts.randomElement(using: &chance) ?? TemporaryStore.mark
        let age = Int64.random(in: 0...90_000, using: &chance)
        let deadSince = age % 2 == 0 ? now.later(seconds: -age) : nil
        let record = TemporaryStore.bad(message, gravity, deadSince: deadSince, account: account)
        try fixture.record([record], of: delivery, at: now, account: account)
        held.append(
            Held(
                account: account, subscriber: subscriber, gravity: gravity, decided: now.time,
                deadSince: deadSince?.time))
    }

    /// Records several answers for one delivery in one call, all of them bad.
    private mutating func answerMany() throws {
        guard let delivery = unanswered.randomElement(using: &chance)?.delivery else { return }
        let account = Self.accounts.randomElement(using: &chance) ?? TemporaryStore.mark
        var records: [MessageRecord] = []
        for answered in unanswered.filter({ $0.delivery == delivery })
        where Int.random(in: 0..<3, using: &chance) > 0 {
            let gravity: TokenVerdict.Gravity = Int.random(in: 0..<8, using: &chance) == 0 ? .dead : .suspect
            let age = Int64.random(in: 0...90_000, using: &chance)
            let deadSince = age % 4 == 0 ? now.later(seconds: -age) : nil
            records.append(
                TemporaryStore.bad(
                    answered.message, gravity, deadSince: deadSince,
                    reason: age % 3 == 0 ? "Unregistered" : "Other",
                    account: account))
            held.append(
                Held(
                    account: account, subscriber: answered.subscriber, gravity: gravity, decided: now.time,
                    deadSince: deadSince?.time))
            unanswered.removeAll { $0.message == answered.message }
        }
        records.shuffle(using: &chance)
        try fixture.record(records, of: delivery, at: now, account: account)
    }

    private mutating func believe() throws {
        let account = Self.accounts.randomElement(using: &chance) ?? TemporaryStore.mark
        try fixture.judge(account, .believe, at: now)
        guard !storms.contains(account) else { return }
        for place in held.indices where held[place].account == account { held[place].judgements += 1 }
    }

    private mutating func settle() throws {
        let account = Self.accounts.randomElement(using: &chance) ?? TemporaryStore.mark
        try fixture.settleCleared(account, at: now)
        if !storms.contains(account) { apply(account, judgements: 2) }
    }

    /// Applies verdicts that have been judged at least this number of times.
    private mutating func apply(_ account: AccountKey, judgements: Int) {
        for verdict in held where verdict.account == account && verdict.judgements >= judgements {
            guard var subscriber = subscribers[verdict.subscriber], subscriber.excluded == nil,
                subscriber.registered <= verdict.deadSince ?? verdict.decided
            else { continue }
            var errors = subscriber.errors ?? TokenErrors(at: verdict.decided)
            if subscriber.errors != nil { errors.note(at: verdict.decided, under: TemporaryStore.rules) }
            subscriber.errors = errors
            if verdict.gravity == .dead || errors.quarantines(under: TemporaryStore.rules) {
                subscriber.excluded = .quarantined
            }
            subscribers[verdict.subscriber] = subscriber
        }
        held.removeAll { $0.account == account && $0.judgements >= judgements }
    }

    private mutating func register() throws {
        let number = Int.random(in: Self.numbers, using: &chance)
        let parameters = Bool.random(using: &chance) ? nil : #"{"seen":"\(now.time)"}"#
        _ = try fixture.store.subscriberImporter.upsert(
            [
                SubscriberRecord(
                    token: TemporaryStore.token(number), userKey: "user-\(number)", parametersJSON: parameters
                )
            ], into: app.id, at: now)
        subscribers[number] = Subscriber(registered: now.time)
        held.removeAll { $0.subscriber == number }
    }

    private mutating func release() throws {
        let number = Int.random(in: Self.numbers, using: &chance)
        _ = try fixture.store.quarantineWriter.release(app.id, tokens: [TemporaryStore.token(number)])
        subscribers[number]?.excluded = nil
        subscribers[number]?.errors = nil
        held.removeAll { $0.subscriber == number }
    }

    private mutating func feedback() throws {
        let number = Int.random(in: Self.numbers, using: &chance)
        let since = now.later(seconds: .random(in: -90_000...0, using: &chance)).time
        _ = try fixture.store.feedback.apply([(TemporaryStore.token(number), since)], to: app.id, at: now)
        guard let subscriber = subscribers[number], subscriber.excluded == nil, subscriber.registered <= since
        else {
            return
        }
        subscribers[number]?.excluded = .disabled
    }

    private mutating func storm() throws {
        let account = Self.accounts.randomElement(using: &chance) ?? TemporaryStore.mark
        guard storms.remove(account) != nil else {
            // Only verdicts can cause a storm.
            guard held.contains(where: { $0.account == account }) else { return }
            try fixture.storm(account, at: now)
            storms.insert(account)
            return
        }
        if Bool.random(using: &chance) {
            let now = now
            _ = try fixture.repeated {
                try fixture.store.verdicts.confirmStorm(account, rules: TemporaryStore.rules, at: now)
            }
            apply(account, judgements: 0)
        } else {
            _ = try fixture.repeated { try fixture.store.verdicts.discardStorm(account) }
            held.removeAll { $0.account == account }
        }
    }

    private mutating func check() throws {
        let expected = subscribers.compactMapValues(\.state)
        // After the first difference, all later states would differ.
        try #require(try fixture.quarantine(of: app) == expected)
        kinds.formUnion(expected.values)
        for account in Self.accounts {
            let waiting = try fixture.store.trust.trust(of: account)?.waiting ?? 0
            try #require(waiting == held.filter { $0.account == account }.count)
        }
        #expect(try Set(fixture.store.trust.storms().map(\.account)) == storms)
        try fixture.checkVerdicts()
    }
}
