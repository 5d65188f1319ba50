import PushModel
import PushStore
import Testing

@Suite(.eachEngine) struct AccountTrustTests {
    private let mark = TemporaryStore.mark

    @Test func `a sum with a damaged count does not overflow`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...10, to: app)
            let (id, messages) = try fixture.deliver(to: app)
            let bad = messages.values.map { TemporaryStore.bad($0) }
            try fixture.record(Array(bad.prefix(1)), of: id)
            try fixture.alter(
                """
                UPDATE account_trust SET accepted = 9223372036854775807, about_tokens = -5,
                    storm_evidence = 9223372036854775807, doubt = 9223372036854775807,
                    run_answers = 9223372036854775807, dead_per_million = 9223372036854775807
                """)
            try fixture.record(Array(bad.dropFirst().prefix(1)), of: id)
            try fixture.judge(mark, .believe)
            let trust = try #require(try fixture.store.trust.trust(of: mark))
            #expect(trust.evidence.accepted <= TrustEvidence.most && trust.evidence.aboutTokens >= 0)
            #expect(trust.evidence.doubt <= TrustEvidence.most)
        }
    }

    @Test func `an account needs a decision while verdicts wait or a storm does`() {
        var trust = AccountTrust(mark: mark, firstSeen: TemporaryStore.noon)
        trust.count(AccountAnswers(account: mark, accepted: 1, aboutTokens: 1))
        #expect(!trust.needsDecision && trust.hasAccepted)
        trust.waiting = 1
        #expect(trust.needsDecision)
        trust.waiting = 0
        trust.stormSince = TemporaryStore.noon
        #expect(trust.needsDecision)
    }

    @Test func `another topic resets the proof of the app's accounts, another label does not`() throws {
        try TemporaryStore.with { fixture in
            let apps = [try fixture.app("one"), try fixture.app("two")]
            let marks =
                apps.map { mark.part(of: $0.id) } + [mark.part(of: apps[0].id, formerTopic: "com.old")]
            for app in apps { try fixture.subscribe(1...1, to: app) }
            let id = try fixture.deliver(to: apps[0]).id
            for mark in marks { try fixture.record([], accepted: 300, of: id, account: mark) }
            func proved() throws -> [Bool] {
                try marks.map { try #require(try fixture.store.trust.trust(of: $0)).evidence.isProved }
            }
            let writer = fixture.store.catalogueWriter(key: try fixture.store.instanceKey())
            var settings = apps[0].settings
            settings.label = "Other"
            _ = try writer.updateApp(apps[0].id, to: settings, credential: nil)
            #expect(try proved() == [true, true, true])
            settings.bundleID = "com.example.other"
            _ = try writer.updateApp(apps[0].id, to: settings, credential: nil)
            #expect(try proved() == [false, true, false])
            #expect(try fixture.store.trust.trust(of: marks[0])?.hasAccepted == false)
        }
    }

    @Test func `an app's part of an account knows its app`() {
        let app = AppID(rawValue: 12)
        #expect(mark.app == nil)
        #expect(mark.part(of: app).app == app)
        #expect(mark.part(of: app, formerTopic: "com.example").app == app)
        #expect(mark.includes(mark.part(of: app, formerTopic: "com.example")))
        #expect(AccountKey(rawValue: "an app of nobody").app == nil)
    }
}
