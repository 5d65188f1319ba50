import PushModel
import PushStore
import TestSupport
import Testing

@Suite(.eachEngine) struct CatalogueWriterTests {
    @Test func `an app is stored and found with its attributes`() throws {
        try TemporaryStore.with { fixture in
            _ = try fixture.writer.createService(name: "neotrips", label: "Neo, \"Trips\"")
            var settings = TemporaryStore.settings("neotrips-ios")
            settings.variables = [
                AppVariable(name: "VAR", defaultValue: nil), AppVariable(name: "mediaUrl", defaultValue: ""),
                AppVariable(name: "link", defaultValue: nil, isOptional: true),
            ]
            settings.sounds = [AppSound(internalName: "bell.caf", label: "Glöckchen")]
            settings.categories = [AppCategory(internalName: "offer", label: "Angebot")]
            let app = try fixture.writer.createApp(settings, service: "neotrips", credential: nil)
            #expect(app.settings == settings)
            #expect(try fixture.store.catalogue.app(named: "neotrips-ios") == app)
            #expect(try fixture.store.catalogue.app(app.id) == app)
            #expect(try fixture.store.catalogue.apps() == [app])
            #expect(try fixture.store.catalogue.service(app.service)?.label == "Neo, \"Trips\"")
            #expect(try fixture.store.catalogue.services().map(\.name) == ["neotrips"])
        }
    }

    @Test func `an icon is stored, replaced and removed with its app, and is deleted with the app`() throws {
        try TemporaryStore.with { fixture in
            _ = try fixture.writer.createService(name: "neotrips", label: "")
            var settings = TemporaryStore.settings("neotrips-ios")
            settings.label = "Neotrips, „the app“"
            let (small, large) = (try AppIcon.example(), try AppIcon.example(width: 512, height: 64))
            let app = try fixture.writer.createApp(
                settings, service: "neotrips", credential: nil, icon: small)
            func stored() throws -> App? { try fixture.store.catalogue.app(app.id) }
            func icon() throws -> AppIcon? { try fixture.store.catalogue.icon(of: app.id) }
            #expect(app.icon == small.facts && app.settings.label == settings.label)
            #expect(try stored() == app && icon() == small)
            func update(_ change: AppIcon??) throws -> App {
                try fixture.writer.updateApp(app.id, to: settings, credential: nil, icon: change)
            }
            #expect(try update(large).icon == AppIcon.Facts(width: 512, height: 64, bytes: large.png.count))
            #expect(try stored()?.icon == large.facts && icon() == large)
            #expect(try update(nil).icon == large.facts && icon() == large)
            #expect(try update(.some(nil)).icon == nil && icon() == nil && stored()?.icon == nil)
            _ = try update(small)
            try fixture.writer.deleteApp(app.id, at: TemporaryStore.noon)
            #expect(try fixture.query("SELECT count(*) || '' FROM app_icon") == ["0"])
            _ = try fixture.app("other")
        }
    }

    @Test func `names of services and apps are unique`() throws {
        try TemporaryStore.with { fixture in
            _ = try fixture.app("a")
            expect(.duplicate(.service, name: "neotrips")) {
                _ = try fixture.writer.createService(name: "neotrips", label: "")
            }
            expect(.duplicate(.app, name: "a")) { _ = try fixture.app("a") }
            let other = try fixture.app("b")
            expect(.duplicate(.app, name: "a")) {
                _ = try fixture.writer.updateApp(other.id, to: TemporaryStore.settings("a"), credential: nil)
            }
            #expect(try fixture.store.catalogue.apps().map(\.name) == ["a", "b"])
        }
    }

    @Test func `an unknown service is refused`() throws {
        try TemporaryStore.with { fixture in
            let settings = TemporaryStore.settings("a")
            expect(.unknown(.service, name: "nobody")) {
                _ = try fixture.writer.createApp(settings, service: "nobody", credential: nil)
            }
        }
    }

    @Test func `an integration key belongs to one app, on every platform and in every environment`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app("ios")
            for (platform, environment) in [
                (Platform.ios, PushEnvironment.production), (.ios, .sandbox), (.android, .production),
            ] {
                let settings = TemporaryStore.settings(
                    "other", platform: platform, environment: environment, integrationKey: "key-of-ios")
                expect(.duplicateIntegrationKey(app: "ios")) {
                    _ = try fixture.writer.createApp(settings, service: "neotrips", credential: nil)
                }
            }
            let second = TemporaryStore.settings("second", platform: .android)
            let other = try fixture.writer.createApp(second, service: "neotrips", credential: nil)
            var taken = other.settings
            taken.integrationKey = "key-of-ios"
            expect(.duplicateIntegrationKey(app: "ios")) {
                _ = try fixture.writer.updateApp(other.id, to: taken, credential: nil)
            }
            // A deleted app needs no key.
            try fixture.writer.deleteApp(app.id, at: TemporaryStore.noon)
            _ = try fixture.writer.updateApp(other.id, to: taken, credential: nil)
        }
    }

    @Test func `apps from an earlier version that share a key keep working and can receive their own keys`()
        throws
    {
        try TemporaryStore.with { fixture in
            let production = try fixture.app("production")
            var settings = TemporaryStore.settings("sandbox", environment: .sandbox)
            let sandbox = try fixture.writer.createApp(settings, service: "neotrips", credential: nil)
            let key = production.settings.integrationKey
            try fixture.alter("UPDATE app SET integration_key = '\(key)'")
            #expect(
                try fixture.store.catalogue.app(integrationKey: key, platform: .ios)?.id == production.id)
            // Every other change to such an app is accepted, but the app cannot take the place of the other
            // app.
            settings.integrationKey = key
            settings.label = "Sandbox"
            #expect(
                try fixture.writer.updateApp(sandbox.id, to: settings, credential: nil).settings == settings)
            settings.environment = .production
            expect(.duplicateIntegrationKey(app: "production")) {
                _ = try fixture.writer.updateApp(sandbox.id, to: settings, credential: nil)
            }
            (settings.environment, settings.integrationKey) = (.sandbox, "own")
            _ = try fixture.writer.updateApp(sandbox.id, to: settings, credential: nil)
            let found = try fixture.store.catalogue.app(integrationKey: "own", platform: .ios)
            #expect(found?.id == sandbox.id)
        }
    }

    @Test func `a certificate serves one environment, and a token key serves both environments`() throws {
        try TemporaryStore.with { fixture in
            _ = try fixture.writer.createService(name: "s", label: "")
            func create(_ name: String, _ environment: PushEnvironment, _ identity: String) throws -> App {
                try fixture.writer.createApp(
                    TemporaryStore.settings(name, environment: environment, identity: identity), service: "s",
                    credential: nil)
            }
            _ = try create("production", .production, "certificate:AB12")
            _ = try create("second", .production, "certificate:AB12")
            expect(.certificateSharedWith(app: "production")) {
                _ = try create("sandbox", .sandbox, "certificate:AB12")
            }
            let sandbox = try create("sandbox", .sandbox, "certificate:CD34")
            let moved = TemporaryStore.settings(
                "sandbox", environment: .sandbox, identity: "certificate:AB12")
            expect(.certificateSharedWith(app: "production")) {
                _ = try fixture.writer.updateApp(sandbox.id, to: moved, credential: nil)
            }
            _ = try create("token", .production, "TEAM:KEY")
            _ = try create("token-sandbox", .sandbox, "TEAM:KEY")
        }
    }

    @Test func `an app can be updated without changing its own names`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app("a")
            var settings = app.settings
            settings.bundleID = "com.example.renamed"
            #expect(try fixture.writer.updateApp(app.id, to: settings, credential: nil).settings == settings)
            #expect(try fixture.store.catalogue.app(app.id)?.settings == settings)
        }
    }

    @Test func `deleting an app removes its subscribers, and the app's name becomes available`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app("a")
            let other = try fixture.app("b")
            try fixture.subscribe(1...12_000, to: app)
            try fixture.subscribe(1...10, to: other)
            var pauses = 0
            try fixture.writer.deleteApp(app.id, at: TemporaryStore.noon) { pauses += 1 }
            #expect(pauses >= 4)
            #expect(try fixture.store.catalogue.apps().map(\.name) == ["b"])
            #expect(try fixture.store.subscribers.count(of: app.id) == 0)
            #expect(try fixture.store.subscribers.count(of: other.id) == 10)
            let again = try fixture.app("a")
            #expect(again.id != app.id)
            expect(.unknown(.app, name: "\(app.id)")) {
                try fixture.writer.deleteApp(app.id, at: TemporaryStore.noon)
            }
        }
    }

    @Test func `an app cannot be named while its subscribers are being deleted`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app("a")
            let other = try fixture.app("b")
            try fixture.subscribe(1...6_000, to: app)
            var found: [StoreError.Cause?] = []
            var left: [Int] = []
            try fixture.writer.deleteApp(app.id, at: TemporaryStore.noon) {
                found.append(cause(of: { _ = try fixture.submit(apps: [other, app]) }))
                found.append(cause(of: { try fixture.subscribe(7_000...7_000, to: app) }))
                left.append((try? fixture.store.subscribers.count(of: app.id)) ?? -1)
            }
            #expect(left.first == 6_000 && left.contains { 0 < $0 && $0 < 6_000 } && left.last == 0)
            #expect(found.allSatisfy { $0 == .unknown(.app, name: "\(app.id)") })
            #expect(try fixture.store.deliveries.list(limit: 10).isEmpty)
        }
    }

    @Test func `the next deletion, or an explicit request, removes the remains of an interrupted deletion`()
        throws
    {
        try TemporaryStore.with { fixture in
            func leavings(of app: App) throws -> [Int] {
                try ["subscription", "user_key"].flatMap { table in
                    try fixture.query("SELECT count(*) || '' FROM \(table) WHERE app_id = \(app.id)")
                        .compactMap { Int($0) }
                }
            }
            let apps = try ["a", "b", "c", "d"].map { try fixture.app($0) }
            for app in apps { try fixture.subscribe(1...20, to: app) }
            // The state that a killed process leaves: before its pages, and between the pages for the two
            // tables.
            try fixture.alter("UPDATE app SET removed_at = 1 WHERE name IN ('a', 'b')")
            try fixture.alter("DELETE FROM subscription WHERE app_id = \(apps[1].id.rawValue)")
            try fixture.writer.deleteApp(apps[2].id, at: TemporaryStore.noon)
            for app in apps.prefix(3) { #expect(try leavings(of: app) == [0, 0]) }
            #expect(try leavings(of: apps[3]) == [20, 20])

            try fixture.alter("UPDATE app SET removed_at = 1 WHERE name = 'd'")
            var pauses = 0
            try fixture.writer.purgeRemovedApps { pauses += 1 }
            #expect(try leavings(of: apps[3]) == [0, 0] && pauses == 2)
            try fixture.writer.purgeRemovedApps { pauses += 1 }
            #expect(pauses == 2)
        }
    }

    @Test func `deleting an app removes only its own storm`() throws {
        try TemporaryStore.with { fixture in
            let apps = try ["a", "b"].map { try fixture.app($0) }
            let marks = apps.map { TemporaryStore.mark.part(of: $0.id, topic: "") }
            for (app, mark) in zip(apps, marks) {
                try fixture.subscribe(1...1, to: app)
                let (id, messages) = try fixture.deliver(to: app)
                try fixture.record(
                    [TemporaryStore.bad(try #require(messages[1]), account: mark)], of: id, account: mark)
                try fixture.storm(mark)
            }
            #expect(try fixture.store.trust.storms().map(\.account) == marks)
            try fixture.writer.deleteApp(apps[0].id, at: TemporaryStore.noon)
            #expect(try fixture.store.trust.storms().map(\.account) == [marks[1]])
        }
    }

    @Test func `an app cannot be deleted while one of its deliveries is in progress`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...5, to: app)
            let delivery = try fixture.submit(apps: [app])
            expect(.inUse(app: app.name, delivery: delivery)) {
                try fixture.writer.deleteApp(app.id, at: TemporaryStore.noon)
            }
            let part = try #require(try fixture.prepare(delivery).first)
            try fixture.accept(part.ids, of: delivery)
            try fixture.writer.deleteApp(app.id, at: TemporaryStore.noon)
            // The log of sent messages still contains the name of their app.
            #expect(try fixture.log(delivery).map(\.appName) == Array(repeating: app.name, count: 5))
            #expect(try fixture.log(delivery).allSatisfy { $0.token.isEmpty })
        }
    }
}
