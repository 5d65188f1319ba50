import PushMaster
import PushModel
import PushSchedule
import PushStore
import PushSystem
import TestSupport
import Testing

/// Tests how the writer reacts to answers about tokens. The rule is pure and has its own tests. Here it is
/// applied to the store.
@Suite struct TokenVerdictProcessorTests {
    static let account = AccountKey(rawValue: "iosHTTP2 production token:TEAM:KEY #1a2b3c4d")

    private final class Writer {
        let mailbox: WriterInbox
        private let thread: WriterThreads

        init(_ fixture: MasterFixture, holdDelaySeconds: Int64 = 86_400) throws {
            mailbox = try WriterInbox(
                store: fixture.store, loop: fixture.loop, rules: .usual(holdDelaySeconds: holdDelaySeconds))
            thread = WriterThreads(mailbox)
        }

        func stop() {
            mailbox.send(.stop)
            #expect(thread.hasEnded())
        }

        /// Answers for the messages in one delivery: the first messages are accepted, and the answers to the
        /// others report their tokens as dead.
        func answer(_ part: Part, accepted: Int, through account: AccountKey = account) {
            answer(part.ids, of: part.delivery, accepted: accepted, through: account)
        }

        func answer(
            _ messages: [MessageID], of delivery: DeliveryID, accepted: Int,
            through account: AccountKey = account
        ) {
            let batch = Self.batch(messages, of: delivery, accepted: accepted, through: account)
            mailbox.send(.record(.init(child: ChildID(rawValue: 1), batches: [batch], settlements: [])))
        }

        static func batch(
            _ messages: [MessageID], of delivery: DeliveryID, accepted: Int,
            through account: AccountKey = account
        ) -> OutcomeBatch {
            var batch = OutcomeBatch(delivery: delivery)
            batch.accepted = Array(messages.prefix(accepted))
            batch.others = messages.dropFirst(accepted).map {
                MessageRecord(
                    message: $0, change: .failed(.hard, .userUnknown, providerReason: "BadDeviceToken"),
                    countsAttempt: true,
                    tokenVerdict: TokenVerdict(gravity: .dead, deadSince: nil, account: account))
            }
            batch.answers = [
                AccountAnswers(account: account, accepted: accepted, aboutTokens: messages.count - accepted)
            ]
            return batch
        }
    }

    private func quarantined(_ fixture: MasterFixture, _ app: App) throws -> Int {
        try fixture.store.quarantine.counts(of: app.id)[app.id]?.quarantined ?? 0
    }

    @Test func `dead tokens from a working account are quarantined`() throws {
        try MasterFixture.with { fixture in
            let app = try fixture.app("one", subscribers: 300)
            let part = try #require(try fixture.prepare(try fixture.submit(app)).first)
            let writer = try Writer(fixture)
            writer.answer(part, accepted: 290)
            writer.mailbox.send(.rests(Self.account))
            eventually("the ten are quarantined") { (try? quarantined(fixture, app)) == 10 }
            writer.stop()
            #expect(try fixture.store.trust.trusts().isEmpty)
        }
    }

    @Test
    func `unreadable verdicts are reported in one line and disable no device, and other verdicts count`()
        throws
    {
        try MasterFixture.with { fixture in
            let app = try fixture.app("one", subscribers: 300)
            let part = try #require(try fixture.prepare(try fixture.submit(app)).first)
            let writer = try Writer(fixture)
            writer.answer(Array(part.ids.prefix(150)), of: part.delivery, accepted: 143)
            try fixture.next("committed") { $0.isCommitted ? () : nil }
            try fixture.tamper("UPDATE held_verdict SET subscriptions = x'0102'")
            writer.answer(Array(part.ids.suffix(150)), of: part.delivery, accepted: 145)
            try fixture.next("committed") { $0.isCommitted ? () : nil }
            writer.mailbox.send(.rests(Self.account))
            let line = try fixture.next("the line") { if case .setAside(let line) = $0 { line } else { nil } }
            #expect(
                line.hasPrefix("held verdicts 1 of delivery \(part.delivery): a damaged row (members"),
                "\(line)")
            eventually("the five are quarantined") { (try? quarantined(fixture, app)) == 5 }
            writer.stop()
            #expect(try fixture.store.trust.trusts().isEmpty)
        }
    }

    @Test func `a storm that begins among good answers quarantines no token`() throws {
        try MasterFixture.with { fixture in
            let app = try fixture.app("one", subscribers: 3_000)
            let part = try #require(try fixture.prepare(try fixture.submit(app)).first)
            let writer = try Writer(fixture)
            // Of the first 400 tokens, 40 are dead. Afterwards every device with the same credential seems to
            // be dead.
            var rest = part.ids[...]
            func answer(accepted: Int, bad: Int) {
                writer.answer(Array(rest.prefix(accepted + bad)), of: part.delivery, accepted: accepted)
                rest = rest.dropFirst(accepted + bad)
            }
            for (accepted, bad) in [(360, 40), (360, 40), (300, 100)] {
                answer(accepted: accepted, bad: bad)
                // Each window is one transaction, as in production. In a single transaction, the windows
                // would be one window.
                try fixture.next("committed") { $0.isCommitted ? () : nil }
            }
            for _ in 1...4 { answer(accepted: 0, bad: 400) }
            _ = try fixture.next("the storm") { event -> Void? in
                if case .storm = event { () } else { nil }
            }
            writer.stop()
            // At most those verdicts are cleared that precede the last window that was in order.
            #expect(try quarantined(fixture, app) <= 80)
            #expect(try #require(try fixture.store.trust.trust(of: Self.account)).waiting >= 1_100)
        }
    }

    @Test
    func `consecutive dead tokens at a delivery's end stop no account, and the next answers decide`() throws {
        try MasterFixture.with { fixture in
            let app = try fixture.app("one", subscribers: 1_919)
            let parts = try (1...2).map { _ in
                try #require(try fixture.prepare(try fixture.submit(app)).first)
            }
            let part = parts[0]
            let writer = try Writer(fixture)
            writer.answer(Array(part.ids.prefix(1_820)), of: part.delivery, accepted: 1_800)
            try fixture.next("committed") { $0.isCommitted ? () : nil }
            writer.answer(Array(part.ids.dropFirst(1_820)), of: part.delivery, accepted: 0)
            // As in production, an account is at rest when its last answers are on disk.
            try fixture.next("committed") { $0.isCommitted ? () : nil }
            writer.mailbox.send(.rests(Self.account))
            eventually("the verdicts are held") {
                (try? fixture.store.trust.trust(of: Self.account)?.waiting) == 119
            }
            #expect(try fixture.store.trust.trust(of: Self.account)?.evidence.isContradicted == true)
            // Two windows with good answers. The second window clears the verdicts that existed at the first.
            for start in [0, 900] {
                let ids = Array(parts[1].ids.dropFirst(start).prefix(900))
                writer.answer(ids, of: parts[1].delivery, accepted: ids.count)
                try fixture.next("committed") { $0.isCommitted ? () : nil }
            }
            eventually("all dead ones are quarantined") { (try? quarantined(fixture, app)) == 119 }
            writer.stop()
            #expect(try fixture.store.trust.storms().isEmpty)
        }
    }

    @Test
    func `apps with one account are judged separately, and good answers for one app do not help another app`()
        throws
    {
        try MasterFixture.with { fixture in
            let apps = [
                try fixture.app("sound", subscribers: 300), try fixture.app("mixed", subscribers: 150),
            ]
            let parts = try apps.map { try #require(try fixture.prepare(try fixture.submit($0)).first) }
            let writer = try Writer(fixture)
            for (app, (part, accepted)) in zip(apps, zip(parts, [290, 0])) {
                writer.answer(part, accepted: accepted, through: Self.account.part(of: app.id, topic: ""))
            }
            writer.mailbox.send(.rests(Self.account))
            let mark = try fixture.next("the storm") { event -> AccountKey? in
                if case .storm(let mark, _) = event { mark } else { nil }
            }
            #expect(mark == Self.account.part(of: apps[1].id, topic: ""))
            eventually("the sound app's ten are quarantined") { (try? quarantined(fixture, apps[0])) == 10 }
            writer.stop()
            #expect(try quarantined(fixture, apps[1]) == 0)
        }
    }

    @Test func `good answers from earlier deliveries do not count as evidence about this delivery's tokens`()
        throws
    {
        try MasterFixture.with { fixture in
            let app = try fixture.app("one", subscribers: 150)
            let parts = try (1...3).map { _ in
                try #require(try fixture.prepare(try fixture.submit(app)).first)
            }
            let writer = try Writer(fixture)
            for (part, accepted) in zip(parts, [150, 150, 0]) {
                writer.answer(part, accepted: accepted)
                try fixture.next("committed") { $0.isCommitted ? () : nil }
                writer.mailbox.send(.rests(Self.account))
            }
            eventually("the verdicts are held") {
                (try? fixture.store.trust.trust(of: Self.account)?.waiting) == 150
            }
            writer.stop()
            #expect(try quarantined(fixture, app) == 0)
            #expect(try fixture.store.trust.storms().isEmpty)
            #expect(try fixture.store.trust.trust(of: Self.account)?.evidence.isContradicted == true)
        }
    }

    @Test func `a small app whose tokens are all bad has a storm, and no device is disabled`() throws {
        try MasterFixture.with { fixture in
            let app = try fixture.app("one", subscribers: 150)
            let part = try #require(try fixture.prepare(try fixture.submit(app)).first)
            let writer = try Writer(fixture)
            writer.answer(part, accepted: 0)
            writer.mailbox.send(.rests(Self.account))
            let answers = try fixture.next("the storm") { event -> AccountAnswers? in
                if case .storm(Self.account, let answers) = event { answers } else { nil }
            }
            #expect(answers.aboutTokens == 150)
            #expect(try quarantined(fixture, app) == 0)
            #expect(try fixture.store.trust.storms().map(\.held) == [150])

            // An operator decides that the tokens are good, and the account may continue.
            while try fixture.store.verdicts.discardStorm(Self.account)?.hasMore == true {}
            writer.mailbox.send(.look)
            try fixture.next("the storm is over") { event -> Void? in
                if case .storms([]) = event { () } else { nil }
            }
            writer.stop()
            #expect(try quarantined(fixture, app) == 0)
        }
    }

    @Test func `an account's verdicts wait until the gateway has accepted a message from the account`() throws
    {
        try MasterFixture.with { fixture in
            let app = try fixture.app("one", subscribers: 5)
            let first = try #require(try fixture.prepare(try fixture.submit(app)).first)
            let writer = try Writer(fixture)
            writer.answer(first, accepted: 0)
            writer.mailbox.send(.rests(Self.account))
            eventually("the verdicts are held") {
                (try? fixture.store.trust.trust(of: Self.account)?.waiting) == 5
            }
            #expect(try quarantined(fixture, app) == 0)
            // The writer prepares deliveries, and would otherwise prepare the next delivery first.
            writer.stop()

            let others = try fixture.app("two", subscribers: 20)
            let second = try #require(try fixture.prepare(try fixture.submit(others)).first)
            let next = try Writer(fixture)
            next.answer(second, accepted: 20)
            next.mailbox.send(.rests(Self.account))
            eventually("the five are quarantined") { (try? quarantined(fixture, app)) == 5 }
            next.stop()
        }
    }

    @Test func `after the delay, verdicts from a proved account apply, unless its answers contradict them`()
        throws
    {
        try MasterFixture.with { fixture in
            let names = ["proved", "never", "turned"]
            let apps = try names.map { try fixture.app($0, subscribers: 20) }
            let marks = apps.map { Self.account.part(of: $0.id, topic: "") }
            let parts = try (1...2).map { _ in
                try apps.map { try #require(try fixture.prepare(try fixture.submit($0)).first) }
            }
            let writer = try Writer(fixture)
            // Seven acceptances in eight answers prove that the account is sound, but are too few to believe
            // its verdict immediately.
            let answers = [[(8, 7)], [(8, 1)], [(20, 20), (20, 0)]]
            for (app, rounds) in answers.enumerated() {
                for (round, (count, accepted)) in rounds.enumerated() {
                    let part = parts[round][app]
                    writer.answer(
                        Array(part.ids.prefix(count)), of: part.delivery, accepted: accepted,
                        through: marks[app])
                    try fixture.next("committed") { $0.isCommitted ? () : nil }
                }
            }
            writer.mailbox.send(.rests(Self.account))
            writer.stop()
            let evidence = try marks.map { try #require(try fixture.store.trust.trust(of: $0)).evidence }
            #expect(evidence.map(\.isProved) == [true, false, true])
            #expect(evidence.map(\.isContradicted) == [false, false, true])
            #expect(evidence.allSatisfy { !$0.isBelievable })
            #expect(try apps.map { try quarantined(fixture, $0) } == [0, 0, 0])

            let later = try Writer(fixture, holdDelaySeconds: 0)
            eventually("the proved account's one is quarantined") {
                (try? quarantined(fixture, apps[0])) == 1
            }
            later.stop()
            #expect(try apps.map { try quarantined(fixture, $0) } == [1, 0, 0])
            #expect(try Set(fixture.store.trust.waiting().map(\.trust.waiting)) == [7, 20])

            // Verdicts that wait for an operator can be decided.
            let rules = QuarantineRules(maxErrors: 5, significantErrorDelaySeconds: 86_400)
            let step = try fixture.store.verdicts.confirmStorm(marks[1], rules: rules, at: Clocks.moment())
            #expect(step?.quarantined == 7)
            #expect(try fixture.store.verdicts.discardStorm(marks[2])?.discarded == 20)
            #expect(try fixture.store.trust.trusts().isEmpty)
        }
    }

    @Test func `a full frame of verdicts is recorded in parts, and judged when all parts are recorded`()
        throws
    {
        try MasterFixture.with { fixture in
            let app = try fixture.app("one", subscribers: 4_000)
            let part = try #require(try fixture.prepare(try fixture.submit(app)).first)
            let writer = try Writer(fixture)
            writer.answer(part, accepted: 0)
            try fixture.next("committed") { $0.isCommitted ? () : nil }
            let answers = try fixture.next("the storm") { event -> AccountAnswers? in
                if case .storm(Self.account, let answers) = event { answers } else { nil }
            }
            writer.stop()
            #expect(answers.aboutTokens == 4_000)
            #expect(try fixture.store.trust.storms().map(\.held) == [4_000])
            #expect(fixture.store.inspection.largestWrite <= 5_000)
            #expect(try fixture.counts(part.delivery).failed == 4_000)
        }
    }

    @Test func `feedback for an app that has been deleted meanwhile does not block anything`() throws {
        try MasterFixture.with { fixture in
            let (gone, app) = (try fixture.app("gone"), try fixture.app("one", subscribers: 3))
            try fixture.store.catalogueWriter(key: fixture.key).deleteApp(gone.id, at: Clocks.moment())
            let writer = try Writer(fixture)
            let retired = [RetiredToken(token: MasterFixture.token(1), since: Clocks.wall())]
            writer.mailbox.send(.feedback([gone.id, app.id], retired))
            writer.mailbox.send(.feedbackEnded([gone.id, app.id], isWhole: true))
            eventually("the other app's device is disabled") {
                (try? fixture.store.quarantine.counts(of: app.id)[app.id]?.disabled) == 1
            }
            let delivery = try fixture.submit(app)
            writer.mailbox.send(.look)
            eventually("the next delivery is prepared") { (try? fixture.counts(delivery).pending) == 2 }
            writer.stop()
        }
    }

    @Test func `verdicts that an earlier process left undecided are judged later`() throws {
        try MasterFixture.with { fixture in
            let app = try fixture.app("one", subscribers: 40)
            let part = try #require(try fixture.prepare(try fixture.submit(app)).first)
            // The verdicts are recorded, but are not judged before the process ends.
            _ = try fixture.store.outcomes.record(
                [Writer.batch(part.ids, of: part.delivery, accepted: 38)], at: Clocks.moment())
            #expect(try fixture.store.trust.trust(of: Self.account)?.waiting == 2)
            let second = try Writer(fixture)
            eventually("the two are quarantined") { (try? quarantined(fixture, app)) == 2 }
            second.stop()
        }
    }
}
