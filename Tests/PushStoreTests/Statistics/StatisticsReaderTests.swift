import PushModel
import PushStore
import Testing

@Suite(.eachEngine) struct StatisticsReaderTests {
    private static let noon = TemporaryStore.noon

    private func register(
        _ numbers: ClosedRange<Int>, _ app: App, os: String, _ fixture: TemporaryStore, day: Int64 = 0
    )
        throws
    {
        var facts = DeviceFacts()
        (facts.osName, facts.osVersion, facts.language) = ("iOS", os, "en-US")
        for start in stride(from: numbers.lowerBound, through: numbers.upperBound, by: 400) {
            _ = try fixture.store.registrations.register(
                (start...min(start + 399, numbers.upperBound)).map {
                    TemporaryStore.registration(
                        $0, with: app, user: "user-\($0)", device: facts,
                        at: TemporaryStore.noon(afterDays: day))
                })
        }
    }

    @Test func `the results of a delivery are reported for each app, cause and minute`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...10, to: app)
            let (id, messages) = try fixture.deliver(to: app)
            try fixture.record([TemporaryStore.bad(try #require(messages[1]))], accepted: 1, of: id)
            try fixture.accept((2...9).compactMap { messages[$0] }, of: id, at: Self.noon.later(seconds: 120))
            _ = try fixture.store.hits.record(
                (2...5).map {
                    HitRecord(
                        delivery: id, message: MessageID(rawValue: $0), number: $0, app: app.id,
                        kind: .received,
                        at: Self.noon.later(seconds: 180))
                })
            let figures = try fixture.store.statistics.figures(of: id)
            let minute = Self.noon.time.secondsSince1970 / 60
            #expect(figures.apps[app.id]?.name == app.name && figures.apps[app.id]?.platform == .ios)
            let sent = try #require(figures.messages.first { $0.state == .sent })
            #expect(sent.count == 8 && sent.minute == minute + 2)
            let failed = try #require(figures.messages.first { $0.state == .failed })
            #expect(failed.count == 1 && failed.word == "Unregistered" && failed.type == .hard)
            #expect(figures.hits.map(\.count) == [4] && figures.hits.map(\.minute) == [minute + 3])
            #expect(figures.hits.map(\.kind) == [.received] && figures.hits.map(\.app) == [app.id])
        }
    }

    @Test func `device statistics count the devices to which a message was sent, in their present state`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try register(1...3, app, os: "iOS 16.4", fixture)
            try register(4...5, app, os: "iOS 17.0", fixture)
            try fixture.subscribe(6...6, to: app)
            let (id, messages) = try fixture.deliver(to: app)
            try fixture.accept(messages.filter { $0.key != 1 }.map(\.value), of: id)
            let devices = try fixture.store.statistics.devices(of: id)
            #expect(
                devices.map { "\($0.osName)/\($0.osVersion)/\($0.language) \($0.count)" } == [
                    "iOS/iOS 16.4/en-US 2", "iOS/iOS 17.0/en-US 2", "// 1",
                ])
        }
    }

    @Test func `subscribers are counted by state, day and device, over any number of pages`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try register(1...2_500, app, os: "iOS 16.4", fixture)
            try register(2_501...2_510, app, os: "iOS 17.0", fixture, day: 1)
            try fixture.alter("UPDATE subscription SET disabled = 2 WHERE user_key = 'user-7'")
            let figures = try fixture.store.statistics.subscribers(of: app.id)
            let day = Self.noon.time.secondsSince1970 / 86_400
            #expect(figures.valid + figures.quarantined + figures.disabled == 2_510)
            #expect(figures.valid == 2_509)
            #expect(figures.days == [day: 2_500, day + 1: 10])
            #expect(figures.devices.map(\.count) == [2_499, 10])
        }
    }
}
