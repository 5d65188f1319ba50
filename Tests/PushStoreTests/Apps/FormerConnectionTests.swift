import PushModel
import PushStore
import TestSupport
import Testing

@Suite(.eachEngine) struct FormerConnectionTests {
    private static let old = OpaqueCredential(bytes: [1, 2, 3])
    private static let new = OpaqueCredential(bytes: [4, 5, 6])

    private func with(_ story: (TemporaryStore, App) throws -> Void) throws {
        try TemporaryStore.with { fixture in
            _ = try fixture.writer.createService(name: "neotrips", label: "")
            let app = try fixture.writer.createApp(
                TemporaryStore.settings("a"), service: "neotrips", credential: Self.old)
            try story(fixture, app)
        }
    }

    @Test func `a change of the connector or the credential keeps the connection that it replaces`() throws {
        try with { fixture, app throws in
            let reader = fixture.store.credentials(key: fixture.key)
            #expect(try fixture.store.catalogue.formerConnection(of: app.id) == nil)
            var settings = app.settings
            (settings.connector, settings.bundleID) = (.ios, "com.example.other")
            settings.credentialIdentity = "certificate:1"
            let changed = try fixture.writer.updateApp(app.id, to: settings, credential: Self.new)
            let (former, credential) = try #require(try reader.formerConnection(of: changed))
            #expect(former.connector == .iosHTTP2 && former.environment == .production)
            #expect(former.bundleID == "com.example.a" && former.credentialIdentity == "TEAM:KEY")
            #expect(credential == Self.old)
            #expect(try fixture.store.catalogue.formerConnection(of: app.id) == former)
            // The stub has no credential of its own, so only the connector changes.
            settings.connector = .stub
            _ = try fixture.writer.updateApp(app.id, to: settings, credential: nil)
            let next = try #require(try reader.formerConnection(of: changed))
            #expect(next.connection.connector == .ios && next.credential == Self.new)
        }
    }

    @Test func `a change of other settings, or the same credential again, replaces no connection`() throws {
        try with { fixture, app throws in
            var settings = app.settings
            settings.label = "The app"
            _ = try fixture.writer.updateApp(app.id, to: settings, credential: nil)
            _ = try fixture.writer.updateApp(app.id, to: settings, credential: Self.old)
            #expect(try fixture.store.catalogue.formerConnection(of: app.id) == nil)
            // The key of a service account can be replaced although the account's identity stays the same.
            _ = try fixture.writer.updateApp(app.id, to: settings, credential: Self.new)
            let former = try fixture.store.credentials(key: fixture.key).formerConnection(of: app)
            #expect(former?.credential == Self.old)
        }
    }

    @Test func `the former credential is sealed, and is deleted with its app`() throws {
        try with { fixture, app throws in
            _ = try fixture.writer.updateApp(app.id, to: app.settings, credential: Self.new)
            let foreign = try Store.open(path: fixture.folder + "/elsewhere/pushmta.db").instanceKey()
            expect(.credentialUnreadable(app: "a")) {
                _ = try fixture.store.credentials(key: foreign).formerConnection(of: app)
            }
            try fixture.writer.deleteApp(app.id, at: TemporaryStore.noon)
            #expect(try fixture.query("SELECT count(*) || '' FROM former_connection") == ["0"])
        }
    }

    @Test func `both apps of a pair are changed, or neither`() throws {
        try with { fixture, first throws in
            let second = try fixture.writer.createApp(
                TemporaryStore.settings("b", environment: .sandbox), service: "neotrips", credential: nil)
            var (one, two) = (first.settings, second.settings)
            (one.label, two.label) = ("Pair", "Pair")
            let changed = try fixture.writer.updateApps([(first, one), (second, two)])
            #expect(changed.map(\.settings) == [one, two])
            #expect(try fixture.store.catalogue.apps().map(\.settings.label) == ["Pair", "Pair"])
            // The second app was changed after it had been read.
            one.label = "One"
            expect(.changedMeanwhile(app: "b")) {
                _ = try fixture.writer.updateApps([(changed[0], one), (second, two)])
            }
            #expect(try fixture.store.catalogue.app(named: "a")?.settings.label == "Pair")
        }
    }
}
