import GRDB
import PushModel
import PushStore
import Testing

@Suite(.eachEngine) struct FeedbackWriterTests {
    private let noon = TemporaryStore.noon

    @Test func `a device whose app is uninstalled is disabled, unless it has registered again since`() throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...6, to: app)
            let later = noon.later(seconds: 100)
            // The app was removed from devices 1 and 2 in between, and device 2 has installed it again. The
            // report about device 3 is older than its registration.
            _ = try fixture.store.subscriberImporter.upsert(
                [SubscriberRecord(token: TemporaryStore.token(2), userKey: "user-2", parametersJSON: nil)],
                into: app.id, at: later)
            let step = try fixture.store.feedback.apply(
                [
                    (TemporaryStore.token(1), later.time),
                    (TemporaryStore.token(2), noon.later(seconds: 50).time),
                    (TemporaryStore.token(3), noon.later(seconds: -1).time),
                    (TemporaryStore.token(4), noon.time),
                    (TemporaryStore.token(99), noon.time), ("not hex", noon.time),
                    (TemporaryStore.token(1), later.time),
                ], to: app.id, at: later)
            #expect(
                step.findings.map(\.result) == [
                    .disabled, .registeredAgain, .registeredAgain, .disabled, .unknownToken, .unknownToken,
                    .excludedAlready,
                ])
            #expect(step.disabled.count == 2 && step.ignored.count == 5)
            #expect(try fixture.quarantine(of: app) == [1: .disabled, 4: .disabled])
            let next = try fixture.deliver(to: app)
            let excluded = try fixture.log(next.id).filter { $0.state == .excluded }
            #expect(Set(excluded.map(\.userKey)) == ["user-1", "user-4"])
            #expect(excluded.allSatisfy { $0.providerReason == "subscription disabled" })
        }
    }

    @Test func `each finding has its evidence and does not contain the complete token`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...2, to: app)
            let told = noon.later(seconds: 7).time
            let step = try fixture.store.feedback.apply(
                [(TemporaryStore.token(1), told), (TemporaryStore.token(9), told), ("short", told)],
                to: app.id,
                at: noon.later(seconds: 7))
            let listed = try #require(try fixture.store.quarantine.list(app: app.id).entries.first)
            #expect(
                step.findings == [
                    FeedbackFinding(
                        result: .disabled, token: "\(TemporaryStore.token(1).prefix(8))…", since: told,
                        subscription: listed.subscription, registered: noon.time),
                    FeedbackFinding(
                        result: .unknownToken, token: "\(TemporaryStore.token(9).prefix(8))…", since: told),
                    FeedbackFinding(result: .unknownToken, token: "short", since: told),
                ])
            #expect(listed.state == .disabled && listed.lastError == told && listed.since == told)
        }
    }

    @Test func `a time in the future counts as now and does not affect later registrations`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...1, to: app)
            let tuple = (token: TemporaryStore.token(1), since: noon.later(seconds: 1_000_000).time)
            let step = try fixture.store.feedback.apply([tuple], to: app.id, at: noon.later(seconds: 5))
            #expect(step.findings.map(\.since) == [noon.later(seconds: 5).time])
            let listed = try #require(try fixture.store.quarantine.list(app: app.id).entries.first)
            #expect(listed.lastError == noon.later(seconds: 5).time)
            // The clock of the importing process is ahead of the clock of the applying process: the device
            // has registered since.
            _ = try fixture.store.subscriberImporter.upsert(
                [SubscriberRecord(token: tuple.token, userKey: "user-1", parametersJSON: nil)], into: app.id,
                at: noon.later(seconds: 10))
            let second = try fixture.store.feedback.apply([tuple], to: app.id, at: noon.later(seconds: 9))
            #expect(second.findings.map(\.result) == [.registeredAgain])
        }
    }

    @Test
    func `devices with errors are disabled, quarantined devices stay so, and registering re-enables both`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...3, to: app)
            let (id, messages) = try fixture.deliver(to: app)
            try fixture.record(
                [
                    TemporaryStore.bad(try #require(messages[1]), .suspect),
                    TemporaryStore.bad(try #require(messages[2])),
                ], of: id)
            try fixture.settle()
            let step = try fixture.store.feedback.apply(
                (1...2).map { (TemporaryStore.token($0), noon.time) }, to: app.id, at: noon)
            #expect(step.findings.map(\.result) == [.disabled, .excludedAlready])
            #expect(try fixture.quarantine(of: app) == [1: .disabled, 2: .quarantined])
            #expect(try fixture.store.quarantine.list(app: app.id).entries.map(\.errors).sorted() == [1, 2])
            try fixture.subscribe(1...3, to: app)
            #expect(try fixture.quarantine(of: app) == [:])
        }
    }

    @Test func `a subscription in another app with the same token is a different device`() throws {
        try TemporaryStore.with { fixture in
            let (one, two) = (try fixture.app("one"), try fixture.app("two"))
            for app in [one, two] { try fixture.subscribe(1...1, to: app) }
            _ = try fixture.store.feedback.apply([(TemporaryStore.token(1), noon.time)], to: two.id, at: noon)
            #expect(try fixture.quarantine(of: one) == [:] && fixture.quarantine(of: two) == [1: .disabled])
            let gone = AppID(rawValue: 77)
            expect(.unknown(.app, name: "77")) {
                _ = try fixture.store.feedback.apply([], to: gone, at: noon)
            }
        }
    }

    @Test func `one call accepts a limited number of tuples, and a call with this number succeeds`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...2_000, to: app)
            let tuples = (1...2_001).map { (token: TemporaryStore.token($0), since: noon.time) }
            guard
                case .limitReached = cause(of: {
                    _ = try fixture.store.feedback.apply(tuples, to: app.id, at: noon)
                })
            else {
                Issue.record("accepted")
                return
            }
            let step = try fixture.store.feedback.apply(Array(tuples.prefix(2_000)), to: app.id, at: noon)
            #expect(step.disabled.count == 2_000)
        }
    }

    @Test func `the time of the last feedback read is still known after a restart`() throws {
        try TemporaryStore.with { fixture in
            let (one, two) = (try fixture.app("one"), try fixture.app("two"))
            #expect(try fixture.store.catalogue.lastFeedbackPoll(of: one.id) == nil)
            try fixture.store.feedback.notePoll(of: one.id, at: noon)
            let again = try fixture.reopened()
            #expect(try again.catalogue.lastFeedbackPoll(of: one.id) == noon.time)
            #expect(try again.catalogue.lastFeedbackPoll(of: two.id) == nil)
        }
    }
}
