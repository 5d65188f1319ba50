import PushConfig
import PushMaster
import PushModel
import PushStore
import PushWire
import Testing

/// Tests which part of an account decides about an app: `AccountKey.part(of:topic:)` in use.
@Suite struct AccountPartTests {
    @Test func `the definition of an account contains the storms of its parts`() throws {
        try MasterFixture.with { fixture in
            let app = try fixture.apple("one", subscribers: 1)
            var first = try fixture.directory()
            _ = try first.account(of: app.id)
            let mark = try #require(marks(fixture).first)
            let prepared = try #require(try fixture.prepare(try fixture.submit(app)).first)
            try fixture.holdVerdicts(
                about: [prepared.messages.lowerBound], of: prepared.delivery, through: mark.part(of: app),
                judgement: .storm)
            var second = try fixture.directory()
            _ = try second.account(of: app.id)
            let storms = fixture.rest().compactMap { event -> Set<AccountKey>? in
                if case .account(_, let definition) = event { definition.storms } else { nil }
            }
            #expect(storms == [[mark.part(of: app)]])
        }
    }

    @Test func `messages to an app's earlier topic do not count as evidence for its current topic`() throws {
        try MasterFixture.with { fixture in
            let app = try fixture.apple("one")
            let before = try fixture.submit(app)
            var settings = app.settings
            settings.bundleID = "com.example.other"
            let writer = fixture.store.catalogueWriter(key: fixture.key)
            _ = try writer.updateApp(app.id, to: settings, credential: nil)
            let after = try fixture.submit(app)
            var directory = try fixture.directory()
            for delivery in [before, after] { _ = try directory.job(delivery: delivery, app: app.id) }
            let events = fixture.rest()
            let jobs = events.compactMap { if case .job(let job) = $0 { job.mark } else { nil } }
            let account = try #require(
                events.compactMap {
                    if case .account(_, let definition) = $0 { definition.mark } else { nil }
                }
                .first)
            #expect(
                jobs == [account.part(of: app), account.part(of: app.id, topic: "com.example.other")])
            let present = events.compactMap {
                if case .appJoined(_, _, let mark, _) = $0 { mark } else { nil }
            }
            #expect(present == [jobs[1]])
            #expect(jobs.allSatisfy { account.includes($0) && $0.app == app.id })
        }
    }

    @Test func `messages that were submitted to a stub are judged by the topic under which they are sent`()
        throws
    {
        try MasterFixture.with { fixture in
            let app = try fixture.app("one")
            let delivery = try fixture.submit(app)
            var settings = app.settings
            (settings.connector, settings.bundleID) = (.iosHTTP2, "com.example.one")
            let writer = fixture.store.catalogueWriter(key: fixture.key)
            _ = try writer.updateApp(app.id, to: settings, credential: nil)
            var directory = try fixture.directory()
            _ = try directory.job(delivery: delivery, app: app.id)
            let events = fixture.rest()
            let jobs = events.compactMap { if case .job(let job) = $0 { job } else { nil } }
            #expect(jobs.map(\.order.bundleID) == ["com.example.one"])
            #expect(jobs.map(\.mark.topic) == ["com.example.one"])
        }
    }

    private func marks(_ fixture: MasterFixture) -> [AccountKey] {
        fixture.rest().compactMap {
            if case .account(_, let definition) = $0 { definition.mark } else { nil }
        }
    }
}
