import PushModel
import PushStore
import TestSupport
import Testing

/// Tests of apps with two integration keys.
@Suite(.eachEngine) struct IntegrationKeysTests {
    private static let noon = TemporaryStore.noon

    /// Gives the app a new key and keeps the present one as its former key.
    private func add(_ key: String, to app: App, _ fixture: TemporaryStore) throws -> App {
        var settings = app.settings
        (settings.integrationKey, settings.formerIntegrationKey) = (key, app.settings.integrationKey)
        return try fixture.writer.updateApp(app.id, to: settings, credential: nil)
    }

    private func register(
        _ numbers: ClosedRange<Int>, _ app: App, key: String?, after seconds: Int64 = 0,
        _ fixture: TemporaryStore
    ) throws -> [RegistrationEnd] {
        try fixture.store.registrations.register(
            numbers.map { number in
                var record = TemporaryStore.registration(
                    number, with: app, at: Self.noon.later(seconds: seconds))
                record.countedKey = key
                return record
            })
    }

    @Test func `an app is found by both keys, and by one of them after the other was retired`() throws {
        try TemporaryStore.with { fixture in
            let single = try fixture.app("ios")
            #expect(try fixture.store.catalogue.integrationKeyUse(of: single) == [])
            let app = try add("new", to: single, fixture)
            #expect(app.settings.integrationKeys == ["new", "key-of-ios"])
            #expect(try fixture.store.catalogue.app(named: "ios") == app)
            func found(_ key: String, _ platform: Platform = .ios) throws -> AppID? {
                try fixture.store.catalogue.app(integrationKey: key, platform: platform)?.id
            }
            #expect(try found("new") == app.id && found("key-of-ios") == app.id)
            #expect(try found("key-of-ios", .android) == nil && found("NEW") == nil)
            // Another change keeps both keys and their counts.
            _ = try register(1...1, app, key: "new", fixture)
            var settings = app.settings
            settings.label = "The app"
            let labelled = try fixture.writer.updateApp(app.id, to: settings, credential: nil)
            #expect(
                try fixture.store.catalogue.integrationKeyUse(of: labelled).map(\.registrations) == [1, 0])
            settings.formerIntegrationKey = nil
            let retired = try fixture.writer.updateApp(app.id, to: settings, credential: nil)
            #expect(try found("new") == app.id && found("key-of-ios") == nil)
            #expect(try fixture.store.catalogue.integrationKeyUse(of: retired) == [])
            #expect(try fixture.rows("app_key") == 0)
        }
    }

    @Test func `registrations are counted by key, with the time of the last one`() throws {
        try TemporaryStore.with { fixture in
            let app = try add("new", to: try fixture.app("ios"), fixture)
            #expect(try register(1...3, app, key: "key-of-ios", fixture).allSatisfy { $0 == .inserted })
            #expect(try register(4...4, app, key: "new", after: 60, fixture) == [.inserted])
            #expect(try register(1...1, app, key: "new", after: 120, fixture) == [.updated])
            // A key that the app does not have is not counted.
            _ = try register(5...5, app, key: "retired", after: 180, fixture)
            _ = try register(6...6, app, key: nil, after: 240, fixture)
            let use = try fixture.store.catalogue.integrationKeyUse(of: app)
            #expect(use.map(\.key) == ["new", "key-of-ios"] && use.map(\.registrations) == [2, 3])
            #expect(use.map(\.last) == [Self.noon.later(seconds: 120).time, Self.noon.time])
            #expect(try fixture.rows("app_key") == 2)
        }
    }

    @Test func `a key belongs to one app, even if it is the app's former key`() throws {
        try TemporaryStore.with { fixture in
            let app = try add("new", to: try fixture.app("ios"), fixture)
            for key in ["new", "key-of-ios"] {
                let settings = TemporaryStore.settings("other", platform: .android, integrationKey: key)
                expect(.duplicateIntegrationKey(app: "ios")) {
                    _ = try fixture.writer.createApp(settings, service: "neotrips", credential: nil)
                }
            }
            let other = try fixture.app("other")
            expect(.duplicateIntegrationKey(app: "ios")) { _ = try add("key-of-ios", to: other, fixture) }
            expect(.duplicateIntegrationKey(app: "other")) {
                var settings = app.settings
                settings.formerIntegrationKey = "key-of-other"
                _ = try fixture.writer.updateApp(app.id, to: settings, credential: nil)
            }
            // The keys of a deleted app are free.
            try fixture.writer.deleteApp(app.id, at: Self.noon)
            #expect(try fixture.rows("app_key") == 0)
            #expect(try add("key-of-ios", to: other, fixture).settings.integrationKey == "key-of-ios")
        }
    }

    @Test func `apps from an earlier version that share a key can each receive a second key`() throws {
        try TemporaryStore.with { fixture in
            let production = try fixture.app("production")
            let sandbox = try fixture.writer.createApp(
                TemporaryStore.settings("sandbox", environment: .sandbox), service: "neotrips",
                credential: nil)
            let key = production.settings.integrationKey
            try fixture.alter("UPDATE app SET integration_key = '\(key)'")
            let shared = try #require(try fixture.store.catalogue.app(sandbox.id))
            let renewed = try add("sandbox-key", to: shared, fixture)
            func found(_ key: String) throws -> AppID? {
                try fixture.store.catalogue.app(integrationKey: key, platform: .ios)?.id
            }
            #expect(try found(key) == production.id && found("sandbox-key") == sandbox.id)
            let both = try add("production-key", to: production, fixture)
            #expect(try found(key) == production.id && found("production-key") == both.id)
            var settings = renewed.settings
            settings.formerIntegrationKey = nil
            _ = try fixture.writer.updateApp(sandbox.id, to: settings, credential: nil)
            #expect(try found(key) == production.id)
        }
    }
}
