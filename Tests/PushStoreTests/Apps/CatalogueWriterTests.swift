import PushModel
import PushStore
import Testing

@Suite(.eachEngine) struct CatalogueWriterTests {
    @Test func `an app is found as it was described`() throws {
        try TemporaryStore.with { house in
            _ = try house.writer.createService(name: "neotrips", label: "Neo, \"Trips\"")
            var settings = TemporaryStore.settings("neotrips-ios")
            settings.variables = [
                AppVariable(name: "VAR", defaultValue: nil), AppVariable(name: "mediaUrl", defaultValue: ""),
            ]
            settings.sounds = [AppSound(internalName: "bell.caf", label: "Glöckchen")]
            let app = try house.writer.createApp(settings, service: "neotrips", credential: nil)
            #expect(app.settings == settings)
            #expect(try house.store.catalogue.app(named: "neotrips-ios") == app)
            #expect(try house.store.catalogue.app(app.id) == app)
            #expect(try house.store.catalogue.apps() == [app])
            #expect(try house.store.catalogue.service(app.service)?.label == "Neo, \"Trips\"")
            #expect(try house.store.catalogue.services().map(\.name) == ["neotrips"])
        }
    }

    @Test func `names are given once`() throws {
        try TemporaryStore.with { house in
            _ = try house.app("a")
            expect(.duplicate(.service, name: "neotrips")) {
                _ = try house.writer.createService(name: "neotrips", label: "")
            }
            expect(.duplicate(.app, name: "a")) { _ = try house.app("a") }
            let other = try house.app("b")
            expect(.duplicate(.app, name: "a")) {
                _ = try house.writer.updateApp(other.id, to: TemporaryStore.settings("a"), credential: nil)
            }
            #expect(try house.store.catalogue.apps().map(\.name) == ["a", "b"])
        }
    }

    @Test func `an unknown service is refused`() throws {
        try TemporaryStore.with { house in
            let settings = TemporaryStore.settings("a")
            expect(.unknown(.service, name: "nobody")) {
                _ = try house.writer.createApp(settings, service: "nobody", credential: nil)
            }
        }
    }

    @Test func `an integration key is an app's own on its platform and environment`() throws {
        try TemporaryStore.with { house in
            _ = try house.writer.createService(name: "s", label: "")
            func create(_ name: String, _ platform: Platform, _ environment: PushEnvironment) throws {
                _ = try house.writer.createApp(
                    TemporaryStore.settings(
                        name, platform: platform, environment: environment, integrationKey: "K"),
                    service: "s", credential: nil)
            }
            try create("ios", .ios, .production)
            try create("ios-sandbox", .ios, .sandbox)
            try create("android", .android, .production)
            expect(.duplicateIntegrationKey(app: "ios")) { try create("again", .ios, .production) }
        }
    }

    @Test func `a certificate serves one environment, a token key both`() throws {
        try TemporaryStore.with { house in
            _ = try house.writer.createService(name: "s", label: "")
            func create(_ name: String, _ environment: PushEnvironment, _ identity: String) throws -> App {
                try house.writer.createApp(
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
                _ = try house.writer.updateApp(sandbox.id, to: moved, credential: nil)
            }
            _ = try create("token", .production, "TEAM:KEY")
            _ = try create("token-sandbox", .sandbox, "TEAM:KEY")
        }
    }

    @Test func `an app keeps its own names when it is updated`() throws {
        try TemporaryStore.with { house in
            let app = try house.app("a")
            var settings = app.settings
            settings.bundleID = "com.example.renamed"
            #expect(try house.writer.updateApp(app.id, to: settings, credential: nil).settings == settings)
            #expect(try house.store.catalogue.app(app.id)?.settings == settings)
        }
    }

    @Test func `a deleted app is gone with its subscribers, and its name is free`() throws {
        try TemporaryStore.with { house in
            let app = try house.app("a")
            let other = try house.app("b")
            try house.subscribe(1...12_000, to: app)
            try house.subscribe(1...10, to: other)
            var pauses = 0
            try house.writer.deleteApp(app.id, at: TemporaryStore.noon) { pauses += 1 }
            #expect(pauses >= 4)
            #expect(try house.store.catalogue.apps().map(\.name) == ["b"])
            #expect(try house.store.subscribers.count(of: app.id) == 0)
            #expect(try house.store.subscribers.count(of: other.id) == 10)
            let again = try house.app("a")
            #expect(again.id != app.id)
            expect(.unknown(.app, name: "\(app.id)")) {
                try house.writer.deleteApp(app.id, at: TemporaryStore.noon)
            }
        }
    }

    @Test func `while an app's subscribers go, nobody can name it any more`() throws {
        try TemporaryStore.with { house in
            let app = try house.app("a")
            let other = try house.app("b")
            try house.subscribe(1...6_000, to: app)
            var found: [StoreError.Cause?] = []
            var left: [Int] = []
            try house.writer.deleteApp(app.id, at: TemporaryStore.noon) {
                found.append(cause(of: { _ = try house.submit(apps: [other, app]) }))
                found.append(cause(of: { try house.subscribe(7_000...7_000, to: app) }))
                left.append((try? house.store.subscribers.count(of: app.id)) ?? -1)
            }
            #expect(left.first == 6_000 && left.contains { 0 < $0 && $0 < 6_000 } && left.last == 0)
            #expect(found.allSatisfy { $0 == .unknown(.app, name: "\(app.id)") })
            #expect(try house.store.deliveries.list(limit: 10).isEmpty)
        }
    }

    @Test func `what an interrupted deletion left goes with the next one, or when asked`() throws {
        try TemporaryStore.with { house in
            func leavings(of app: App) throws -> [Int] {
                try ["subscription", "user_key"].flatMap { table in
                    try house.query("SELECT count(*) || '' FROM \(table) WHERE app_id = \(app.id)").compactMap
                    { Int($0) }
                }
            }
            let apps = try ["a", "b", "c", "d"].map { try house.app($0) }
            for app in apps { try house.subscribe(1...20, to: app) }
            // As a process that was killed leaves it: before its pages, and between those of the two tables.
            try house.alter("UPDATE app SET removed_at = 1 WHERE name IN ('a', 'b')")
            try house.alter("DELETE FROM subscription WHERE app_id = \(apps[1].id.rawValue)")
            try house.writer.deleteApp(apps[2].id, at: TemporaryStore.noon)
            for app in apps.prefix(3) { #expect(try leavings(of: app) == [0, 0]) }
            #expect(try leavings(of: apps[3]) == [20, 20])

            try house.alter("UPDATE app SET removed_at = 1 WHERE name = 'd'")
            var pauses = 0
            try house.writer.purgeRemovedApps { pauses += 1 }
            #expect(try leavings(of: apps[3]) == [0, 0] && pauses == 2)
            try house.writer.purgeRemovedApps { pauses += 1 }
            #expect(pauses == 2)
        }
    }

    @Test func `a storm goes with its app, and no other`() throws {
        try TemporaryStore.with { house in
            let apps = try ["a", "b"].map { try house.app($0) }
            let marks = apps.map { TemporaryStore.mark.part(of: $0.id) }
            for mark in marks { try house.store.verdicts.declareStorm(mark, at: TemporaryStore.noon) }
            try house.writer.deleteApp(apps[0].id, at: TemporaryStore.noon)
            #expect(try house.store.trust.storms().map(\.account) == [marks[1]])
        }
    }

    @Test func `an app is not deleted under a delivery that goes on`() throws {
        try TemporaryStore.with { house in
            let app = try house.app()
            try house.subscribe(1...5, to: app)
            let delivery = try house.submit(apps: [app])
            expect(.inUse(app: app.name, delivery: delivery)) {
                try house.writer.deleteApp(app.id, at: TemporaryStore.noon)
            }
            let part = try #require(try house.prepare(delivery).first)
            try house.accept(part.ids, of: delivery)
            try house.writer.deleteApp(app.id, at: TemporaryStore.noon)
            // What was sent still says by which app.
            #expect(try house.log(delivery).map(\.appName) == Array(repeating: app.name, count: 5))
            #expect(try house.log(delivery).allSatisfy { $0.token.isEmpty })
        }
    }
}
