import PushModel
import PushStore
import Testing

/// Tests what a transaction with outcomes stores about accounts and tokens.
@Suite(.eachEngine) struct TrustCountsTests {
    private let noon = TemporaryStore.noon
    private let mark = TemporaryStore.mark

    @Test func `a verdict waits with its evidence and changes no subscription`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...5, to: app)
            let id = try fixture.deliver(to: app).id
            let (one, two) = try { ($0[0], $0[1]) }(fixture.log(id).map(\.message))
            let since = WallMoment(millisecondsSince1970: 63)
            let result = try fixture.record(
                [
                    TemporaryStore.bad(one, deadSince: since),
                    TemporaryStore.bad(two, .suspect, reason: "DeviceTokenNotForTopic"),
                ], accepted: 3, of: id, at: noon)
            var expected = AccountTrust(mark: mark, hasAccepted: true, waiting: 2, firstSeen: noon)
            expected.evidence.count(AccountAnswers(account: mark, accepted: 3, aboutTokens: 2))
            #expect(result.trust == [expected])
            #expect(try fixture.store.trust.trusts() == result.trust)
            #expect(try fixture.store.trust.trust(of: mark) == result.trust.first)
            #expect(
                try fixture.query(
                    """
                    SELECT delivery_id || ' ' || gravity || ' ' || provider_reason || ' ' || decided_ms || ' ' || count
                        || ' ' || (first_subscription - 1099511627776)
                        || ' ' || CASE WHEN dead_since IS NULL THEN '-' ELSE 'since' END FROM held_verdict ORDER BY id
                    """) == [
                        "\(id) 2 Unregistered \(noon.millisecondsSince1970) 1 1 since",
                        "\(id) 3 DeviceTokenNotForTopic \(noon.millisecondsSince1970) 1 2 -",
                    ])
            #expect(try fixture.quarantine(of: app) == [:])
            let again = try fixture.deliver(to: app)
            #expect(try fixture.counts(again.id).pending == 5)
        }
    }

    @Test func `a late verdict, or a verdict about another delivery's message, is not stored`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...3, to: app)
            let (id, messages) = try fixture.deliver(to: app)
            let other = try fixture.deliver(to: app)
            let ended = try #require(messages[1])
            try fixture.accept([ended], of: id)
            let foreign = try #require(other.messages[2])
            let before = try [id, other.id].map(fixture.log)
            let result = try fixture.record(
                [TemporaryStore.bad(ended), TemporaryStore.bad(foreign)], of: id, at: noon.later(seconds: 9))
            #expect(result.trust == [])
            #expect(try [id, other.id].map(fixture.log) == before)
            #expect(try fixture.store.trust.trust(of: mark)?.evidence.aboutTokens == 2)
        }
    }

    @Test func `a verdict about a retry is stored too, in addition to the verdict about the failure`() throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...1, to: app)
            let (id, messages) = try fixture.deliver(to: app)
            let message = try #require(messages[1])
            var record = TemporaryStore.bad(message, .suspect)
            record.change = .retrying(due: noon.time, .soft, .refused, providerReason: "later")
            try fixture.record([record], of: id)
            let result = try fixture.record([TemporaryStore.bad(message)], of: id)
            #expect(result.trust.map(\.waiting) == [2])
        }
    }

    @Test func `an account with only acceptances soon needs no more writes`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...4_890, to: app)
            func rows(_ count: Int) throws -> Int {
                let (id, messages) = try fixture.deliver(to: app)
                let store = try fixture.reopened()
                var batch = OutcomeBatch(delivery: id)
                batch.accepted = Array(messages.values.prefix(count))
                batch.answers = [AccountAnswers(account: mark, accepted: count)]
                #expect(try store.outcomes.record([batch], at: noon).trust == [])
                return store.inspection.largestWrite
            }
            // The first transaction creates the account's row and writes its counts. Later transactions write
            // only the part and its count.
            #expect(try rows(4_000) == 4)
            #expect(try rows(4_000) == 2)
            #expect(
                try fixture.store.trust.trust(of: mark)?.evidence.accepted
                    == TrustEvidence.rememberedAcceptances)
        }
    }

    @Test func `all evidence is kept between transactions`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...3, to: app)
            let (id, messages) = try fixture.deliver(to: app)
            var expected = TrustEvidence()
            for (number, answers) in [
                AccountAnswers(account: mark, accepted: 30, aboutTokens: 1),
                AccountAnswers(account: mark, aboutTokens: 90), AccountAnswers(account: mark, unanswered: 7),
            ].enumerated() {
                var batch = OutcomeBatch(delivery: id)
                batch.others = [TemporaryStore.bad(try #require(messages[number + 1]))]
                batch.answers = [answers]
                expected.hold(verdicts: 1)
                expected.count(answers)
                #expect(
                    try fixture.store.outcomes.record([batch], at: noon).trust.map(\.evidence) == [expected])
            }
            #expect(expected.isProved && expected.doubt > 0 && expected.run.answers == 97)
        }
    }

    @Test func `the number of an app's devices is known if a storm is possible`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...300, to: app)
            let part = mark.part(of: app.id, topic: "")
            let (id, messages) = try fixture.deliver(to: app)
            let bad = messages.values.map { TemporaryStore.bad($0, account: part) }
            #expect(
                try fixture.record(Array(bad.prefix(90)), of: id, account: part).trust.map(\.devices) == [nil]
            )
            #expect(
                try fixture.record(Array(bad.dropFirst(90).prefix(20)), of: id, account: part).trust.map(
                    \.devices) == [300])
        }
    }

    @Test func `several batches for one account are added up, and accounts are kept separate`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...6, to: app)
            let other = AccountKey(rawValue: "another")
            var batches: [OutcomeBatch] = []
            for number in 1...3 {
                let (id, messages) = try fixture.deliver(to: app)
                var batch = OutcomeBatch(delivery: id)
                let records = try (1...2).map { TemporaryStore.bad(try #require(messages[$0])) }
                batch.others =
                    records + [TemporaryStore.bad(try #require(messages[3]), account: other)]
                batch.answers = [
                    AccountAnswers(account: mark, accepted: number, aboutTokens: 2),
                    AccountAnswers(account: other, aboutTokens: 1),
                ]
                batches.append(batch)
            }
            let result = try fixture.store.outcomes.record(batches, at: noon)
            #expect(result.trust.map(\.mark) == [other, mark])
            #expect(result.trust.map(\.evidence.accepted) == [0, 6])
            #expect(result.trust.map(\.evidence.aboutTokens) == [3, 6])
            #expect(
                result.trust.map(\.waiting) == [3, 6] && result.trust.map(\.hasAccepted) == [false, true])
        }
    }

    @Test func `a verdict adds one row to the maximum number of rows in a call`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...2_500, to: app)
            let (id, messages) = try fixture.deliver(to: app)
            var batch = OutcomeBatch(delivery: id)
            batch.others = messages.values.prefix(2_449).map { TemporaryStore.bad($0) }
            #expect(OutcomeWriter.rows(of: batch) == OutcomeWriter.maximumRows)
            #expect(OutcomeWriter.rows(addedBy: batch) == OutcomeWriter.maximumRows - 2)
            var large = batch
            large.others.append(batch.others[0])
            guard case .limitReached = cause(of: { _ = try fixture.store.outcomes.record([large], at: noon) })
            else {
                Issue.record("accepted")
                return
            }
            #expect(try fixture.store.outcomes.record([batch], at: noon).trust.map(\.waiting) == [2_449])
        }
    }
}
