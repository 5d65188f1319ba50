import PushMaster
import PushModel
import PushSchedule
import PushStore
import PushSystem
import TestSupport
import Testing

/// What the writer makes of answers about tokens: the rule is pure and tested where it lives; here it meets
/// the store.
@Suite struct TokenVerdictProcessorTests {
    static let account = AccountMark(rawValue: "iosHTTP2 production token:TEAM:KEY #1a2b3c4d")

    private final class Writer {
        let mailbox: WriterInbox
        private let thread: WriterThreads

        init(_ office: Office) throws {
            mailbox = try WriterInbox(store: office.store, loop: office.loop, storms: StormRule())
            thread = WriterThreads(mailbox)
        }

        func stop() {
            mailbox.send(.stop)
            #expect(thread.hasEnded())
        }

        /// Answers to the messages of one delivery: so many accepted, the others called dead.
        func answer(_ part: Part, accepted: Int, through account: AccountMark = account) {
            answer(part.ids, of: part.delivery, accepted: accepted, through: account)
        }

        func answer(
            _ messages: [MessageID], of delivery: DeliveryID, accepted: Int,
            through account: AccountMark = account
        ) {
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
            mailbox.send(.record(.init(child: ChildID(rawValue: 1), batches: [batch], settlements: [])))
        }
    }

    private func quarantined(_ office: Office, _ app: App) throws -> Int {
        try office.store.quarantine.counts(of: app.id)[app.id]?.quarantined ?? 0
    }

    @Test func `believes an account that works: dead tokens are quarantined`() throws {
        try Office.with { office in
            let app = try office.app("one", subscribers: 300)
            let part = try #require(try office.prepare(try office.submit(app)).first)
            let writer = try Writer(office)
            writer.answer(part, accepted: 290)
            writer.mailbox.send(.rests(Self.account))
            eventually("the ten are quarantined") { (try? quarantined(office, app)) == 10 }
            writer.stop()
            #expect(try office.store.trust.trusts().isEmpty)
        }
    }

    @Test func `verdicts that cannot be read are told in a line and disable nobody, the others are believed`()
        throws
    {
        try Office.with { office in
            let app = try office.app("one", subscribers: 300)
            let part = try #require(try office.prepare(try office.submit(app)).first)
            let writer = try Writer(office)
            writer.answer(Array(part.ids.prefix(150)), of: part.delivery, accepted: 143)
            try office.next("committed") { $0.isCommitted ? () : nil }
            try office.tamper("UPDATE held_verdict SET subscriptions = x'0102'")
            writer.answer(Array(part.ids.suffix(150)), of: part.delivery, accepted: 145)
            try office.next("committed") { $0.isCommitted ? () : nil }
            writer.mailbox.send(.rests(Self.account))
            let line = try office.next("the line") { if case .setAside(let line) = $0 { line } else { nil } }
            #expect(
                line.hasPrefix("held verdicts 1 of delivery \(part.delivery): a damaged row (members"),
                "\(line)")
            eventually("the five are quarantined") { (try? quarantined(office, app)) == 5 }
            writer.stop()
            #expect(try office.store.trust.trusts().isEmpty)
        }
    }

    @Test func `a storm that begins in the middle of good answers takes no token with it`() throws {
        try Office.with { office in
            let app = try office.app("one", subscribers: 2_000)
            let part = try #require(try office.prepare(try office.submit(app)).first)
            let writer = try Writer(office)
            // 40 of the first 400 are dead. Then, with the same credential, everybody seems to be.
            var rest = part.ids[...]
            func answer(accepted: Int, bad: Int) {
                writer.answer(Array(rest.prefix(accepted + bad)), of: part.delivery, accepted: accepted)
                rest = rest.dropFirst(accepted + bad)
            }
            for (accepted, bad) in [(360, 40), (360, 40), (300, 100)] {
                answer(accepted: accepted, bad: bad)
                // A window a transaction, as in life: together they would be one.
                try office.next("committed") { $0.isCommitted ? () : nil }
            }
            answer(accepted: 0, bad: 400)
            answer(accepted: 0, bad: 400)
            _ = try office.next("the storm") { event -> Void? in
                if case .storm = event { () } else { nil }
            }
            writer.stop()
            // What was cleared is at most the verdicts before the last window that was in order.
            #expect(try quarantined(office, app) <= 80)
            #expect(try #require(try office.store.trust.trust(of: Self.account)).waiting >= 900)
        }
    }

    @Test func `dead tokens that lie together at the end of a delivery stop nobody`() throws {
        try Office.with { office in
            let app = try office.app("one", subscribers: 1_919)
            let part = try #require(try office.prepare(try office.submit(app)).first)
            let writer = try Writer(office)
            writer.answer(Array(part.ids.prefix(1_820)), of: part.delivery, accepted: 1_800)
            try office.next("committed") { $0.isCommitted ? () : nil }
            writer.answer(Array(part.ids.dropFirst(1_820)), of: part.delivery, accepted: 0)
            // As in life: an account rests when its last answers are on disk.
            try office.next("committed") { $0.isCommitted ? () : nil }
            writer.mailbox.send(.rests(Self.account))
            eventually("all dead ones are quarantined") { (try? quarantined(office, app)) == 119 }
            writer.stop()
            #expect(try office.store.trust.storms().isEmpty)
        }
    }

    @Test func `apps of one account are judged apart: a sound one lends its good answers to no other`() throws
    {
        try Office.with { office in
            let apps = [try office.app("sound", subscribers: 300), try office.app("mixed", subscribers: 150)]
            let parts = try apps.map { try #require(try office.prepare(try office.submit($0)).first) }
            let writer = try Writer(office)
            for (app, (part, accepted)) in zip(apps, zip(parts, [290, 0])) {
                writer.answer(part, accepted: accepted, through: Self.account.part(of: app.id))
            }
            writer.mailbox.send(.rests(Self.account))
            let mark = try office.next("the storm") { event -> AccountMark? in
                if case .storm(let mark, _) = event { mark } else { nil }
            }
            #expect(mark == Self.account.part(of: apps[1].id))
            eventually("the sound app's ten are quarantined") { (try? quarantined(office, apps[0])) == 10 }
            writer.stop()
            #expect(try quarantined(office, apps[1]) == 0)
        }
    }

    @Test func `good answers of an earlier delivery do not speak for the tokens of this one`() throws {
        try Office.with { office in
            let app = try office.app("one", subscribers: 150)
            let parts = try (1...3).map { _ in try #require(try office.prepare(try office.submit(app)).first)
            }
            let writer = try Writer(office)
            for (part, accepted) in zip(parts, [150, 150, 0]) {
                writer.answer(part, accepted: accepted)
                try office.next("committed") { $0.isCommitted ? () : nil }
                writer.mailbox.send(.rests(Self.account))
            }
            let answers = try office.next("the storm") { event -> AccountAnswers? in
                if case .storm(Self.account, let answers) = event { answers } else { nil }
            }
            #expect(answers == AccountAnswers(account: Self.account, aboutTokens: 150))
            writer.stop()
            #expect(try quarantined(office, app) == 0)
        }
    }

    @Test func `calls it a storm when every token of a small app is bad, and disables nobody`() throws {
        try Office.with { office in
            let app = try office.app("one", subscribers: 150)
            let part = try #require(try office.prepare(try office.submit(app)).first)
            let writer = try Writer(office)
            writer.answer(part, accepted: 0)
            writer.mailbox.send(.rests(Self.account))
            let answers = try office.next("the storm") { event -> AccountAnswers? in
                if case .storm(Self.account, let answers) = event { answers } else { nil }
            }
            #expect(answers.aboutTokens == 150)
            #expect(try quarantined(office, app) == 0)
            #expect(try office.store.trust.storms().map(\.held) == [150])

            // An operator says that the tokens are good after all; the account may go on.
            while try office.store.verdicts.discardStorm(Self.account)?.hasMore == true {}
            writer.mailbox.send(.look)
            try office.next("the storm is over") { event -> Void? in
                if case .storms([]) = event { () } else { nil }
            }
            writer.stop()
            #expect(try quarantined(office, app) == 0)
        }
    }

    @Test func `holds the verdicts of an account that never had a message accepted until it has`() throws {
        try Office.with { office in
            let app = try office.app("one", subscribers: 5)
            let first = try #require(try office.prepare(try office.submit(app)).first)
            let writer = try Writer(office)
            writer.answer(first, accepted: 0)
            writer.mailbox.send(.rests(Self.account))
            eventually("the verdicts are held") {
                (try? office.store.trust.trust(of: Self.account)?.waiting) == 5
            }
            #expect(try quarantined(office, app) == 0)

            let others = try office.app("two", subscribers: 20)
            let second = try #require(try office.prepare(try office.submit(others)).first)
            writer.answer(second, accepted: 20)
            writer.mailbox.send(.rests(Self.account))
            eventually("the five are quarantined") { (try? quarantined(office, app)) == 5 }
            writer.stop()
        }
    }

    @Test func `a full frame of verdicts is recorded in parts and judged when all of it is`() throws {
        try Office.with { office in
            let app = try office.app("one", subscribers: 4_000)
            let part = try #require(try office.prepare(try office.submit(app)).first)
            let writer = try Writer(office)
            writer.answer(part, accepted: 0)
            try office.next("committed") { $0.isCommitted ? () : nil }
            let answers = try office.next("the storm") { event -> AccountAnswers? in
                if case .storm(Self.account, let answers) = event { answers } else { nil }
            }
            writer.stop()
            #expect(answers.aboutTokens == 4_000)
            #expect(try office.store.trust.storms().map(\.held) == [4_000])
            #expect(office.store.inspection.largestWrite <= 5_000)
            #expect(try office.counts(part.delivery).failed == 4_000)
        }
    }

    @Test func `feedback for an app that was deleted meanwhile holds nothing up`() throws {
        try Office.with { office in
            let (gone, app) = (try office.app("gone"), try office.app("one", subscribers: 3))
            try office.store.catalogueWriter(key: office.key).deleteApp(gone.id, at: Clocks.moment())
            let writer = try Writer(office)
            let retired = [RetiredToken(token: Office.token(1), since: Clocks.wall())]
            writer.mailbox.send(.feedback([gone.id, app.id], retired))
            writer.mailbox.send(.feedbackEnded([gone.id, app.id], isWhole: true))
            eventually("the other app's device is disabled") {
                (try? office.store.quarantine.counts(of: app.id)[app.id]?.disabled) == 1
            }
            let delivery = try office.submit(app)
            writer.mailbox.send(.look)
            eventually("the next delivery is prepared") { (try? office.counts(delivery).pending) == 2 }
            writer.stop()
        }
    }

    @Test func `judges what an earlier life left undecided`() throws {
        try Office.with { office in
            let app = try office.app("one", subscribers: 40)
            let part = try #require(try office.prepare(try office.submit(app)).first)
            let first = try Writer(office)
            first.answer(part, accepted: 38)
            eventually("the verdicts are held") {
                (try? office.store.trust.trust(of: Self.account)?.waiting) == 2
            }
            first.stop()
            let second = try Writer(office)
            eventually("the two are quarantined") { (try? quarantined(office, app)) == 2 }
            second.stop()
        }
    }
}
