import PushModel
import PushStore
import Testing

@Suite(.eachEngine) struct AppRevisionTests {
    private let noon = TemporaryStore.noon

    private func revisions(_ fixture: TemporaryStore) throws -> Int {
        try #require(Int(try fixture.query("SELECT count(*) || '' FROM app_revision")[0]))
    }

    @discardableResult
    private func update(
        _ app: App, _ fixture: TemporaryStore, _ change: (inout AppSettings) -> Void
    ) throws -> App {
        var settings = try #require(try fixture.store.catalogue.app(app.id)).settings
        change(&settings)
        return try fixture.writer.updateApp(app.id, to: settings, credential: nil)
    }

    @Test func `a delivery keeps the settings that its apps had when it was submitted`() throws {
        try TemporaryStore.with { fixture in
            let apps = [try fixture.app("one"), try fixture.app("two")]
            let before = try fixture.submit(apps: apps)
            try update(apps[0], fixture) {
                $0.bundleID = "com.example.new"
                $0.messageIDFormat = .integer
                $0.variables = [AppVariable(name: "screen", defaultValue: "offers")]
            }
            let after = try fixture.submit(apps: apps)
            let deliveries = fixture.store.deliveries
            let old = try #require(try deliveries.revision(of: apps[0].id, in: before))
            #expect(old == AppRevision(apps[0].settings))
            #expect(
                try deliveries.revision(of: apps[0].id, in: after)
                    == AppRevision(
                        bundleID: "com.example.new", messageIDFormat: .integer,
                        variables: [AppVariable(name: "screen", defaultValue: "offers")]))
            for id in [before, after] {
                #expect(try deliveries.revision(of: apps[1].id, in: id) == AppRevision(apps[1].settings))
            }
            #expect(try deliveries.revision(of: AppID(rawValue: 9), in: after) == nil)
        }
    }

    @Test
    func `a new bundle id creates a revision in its transaction, but a new credential or sound does not`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            _ = try fixture.submit(apps: [app])
            let secret = OpaqueCredential(bytes: [1, 2, 3])
            var how = app.settings
            how.credentialIdentity = "TEAM:OTHER"
            how.environment = .sandbox
            how.integrationKey = "another"
            how.sounds = [AppSound(internalName: "bell", label: "Bell")]
            let same = try fixture.writer.updateApp(app.id, to: how, credential: secret)
            #expect(same.revision == app.revision)
            let other = try update(app, fixture) { $0.bundleID = "com.example.new" }
            #expect(other.revision != app.revision)
            #expect(try fixture.store.catalogue.app(app.id) == other)
            #expect(other.settings.sounds == how.sounds && other.settings.credentialIdentity == "TEAM:OTHER")
            // A refused change does not change the revision.
            _ = try fixture.app("two")
            expect(.duplicate(.app, name: "two")) {
                try update(app, fixture) {
                    $0.name = "two"
                    $0.bundleID = "com.example.third"
                }
            }
            #expect(try fixture.store.catalogue.app(app.id) == other)
        }
    }

    @Test func `a change of connector creates a revision, because content checks depend on the connector`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            let delivery = try fixture.submit(apps: [app])
            let switched = try update(app, fixture) { $0.connector = .ios }
            #expect(switched.revision != app.revision)
            #expect(AppRevision(switched.settings) == AppRevision(app.settings))
            #expect(
                try fixture.store.deliveries.revision(of: app.id, in: delivery) == AppRevision(app.settings))
            let order = try #require(try fixture.store.deliveries.delivery(delivery)).order
            expect(.changedMeanwhile(app: app.name)) {
                _ = try fixture.store.deliverySubmitter.submit(
                    order, checkedAgainst: [app.id: app.revision], at: noon)
            }
            #expect(try fixture.store.catalogue.liveDeliveries(of: app.id) == [delivery])
            // Another type of credential, which leads to other requests, counts as a change too.
            let other = try update(app, fixture) { $0.credentialIdentity = "certificate:AB" }
            #expect(other.revision != switched.revision)
        }
    }

    @Test
    func `a revision is kept only while its app needs it, or while a delivery needs it, even an ended one`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...1, to: app)
            for round in 1...3 { try update(app, fixture) { $0.bundleID = "com.example.\(round)" } }
            #expect(try revisions(fixture) == 1)
            let id = try fixture.submit(apps: [app])
            try fixture.accept(try fixture.prepare(id)[0].ids, of: id)
            #expect(try fixture.state(id) == .finished)
            for round in 4...6 { try update(app, fixture) { $0.bundleID = "com.example.\(round)" } }
            #expect(try revisions(fixture) == 2)
            #expect(try fixture.store.deliveries.revision(of: app.id, in: id)?.bundleID == "com.example.3")
            // Its number is not reused.
            let fresh = try update(app, fixture) { $0.bundleID = "com.example.7" }
            #expect(fresh.revision.rawValue == 8)
        }
    }

    @Test func `the log contains the ids that devices received, whatever happens to the app later`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...2, to: app)
            let ids = try [MessageIDFormat.uuid, .integer].map { format in
                try update(app, fixture) { $0.messageIDFormat = format }
                let id = try fixture.submit(apps: [app])
                try fixture.accept(try fixture.prepare(id)[0].ids, of: id)
                return id
            }
            #expect(try fixture.log(ids[0]).map(\.messageIDFormat) == [.uuid, .uuid])
            #expect(try fixture.log(ids[1]).map(\.messageIDFormat) == [.integer, .integer])
            try fixture.writer.deleteApp(app.id, at: noon)
            #expect(try fixture.log(ids[0]).map(\.messageIDFormat) == [.uuid, .uuid])
        }
    }

    @Test func `a delivery that was checked against an outdated app revision is refused`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            let order = fixture.order(apps: [app])
            let submitter = fixture.store.deliverySubmitter
            let changed = try update(app, fixture) { $0.bundleID = "com.example.new" }
            expect(.changedMeanwhile(app: app.name)) {
                _ = try submitter.submit(order, checkedAgainst: [app.id: app.revision], at: noon)
            }
            #expect(try fixture.store.deliveries.list() == [])
            _ = try submitter.submit(order, checkedAgainst: [app.id: changed.revision], at: noon)
        }
    }

    @Test func `only deliveries that have not ended can be bound to a new revision, page by page`() throws {
        try TemporaryStore.with { fixture in
            let (app, other) = (try fixture.app("one"), try fixture.app("two"))
            try fixture.subscribe(1...1, to: app)
            let ended = try fixture.submit(apps: [app])
            try fixture.accept(try fixture.prepare(ended)[0].ids, of: ended)
            let foreign = try fixture.submit(apps: [other])
            let live = try fixture.submit(apps: [app, other])
            try fixture.alter(
                """
                CREATE TEMP TABLE d AS WITH RECURSIVE n (v) AS (VALUES (1) UNION ALL SELECT v + 1 FROM n WHERE v < 3000)
                    SELECT delivery.*, v FROM delivery, n WHERE id = \(live);
                UPDATE d SET id = id + v;
                ALTER TABLE d DROP COLUMN v;
                INSERT INTO delivery SELECT * FROM d;
                INSERT INTO delivery_app SELECT d.id, app_id, revision_id FROM d, delivery_app x
                    WHERE x.delivery_id = \(live);
                """)
            let count = try fixture.store.catalogue.revisions()[app.id] ?? -1
            let changed = try update(app, fixture) { $0.bundleID = "com.example.new" }
            #expect(
                try fixture.store.catalogue.liveDelivery(boundTo: app.revision)?.rawValue == live.rawValue
                    + 3_000)
            var pauses = 0
            #expect(try fixture.writer.bindLiveDeliveries(of: app.id) { pauses += 1 } == 3_001)
            #expect(pauses >= 2)
            // A running master notices the change.
            #expect(try fixture.store.catalogue.revision(of: app.id) ?? -1 > count + 1)
            let deliveries = fixture.store.deliveries
            for number in [live.rawValue, live.rawValue + 3_000] {
                let id = DeliveryID(rawValue: number)
                #expect(try deliveries.revision(of: app.id, in: id) == AppRevision(changed.settings))
                #expect(try deliveries.revision(of: other.id, in: id) == AppRevision(other.settings))
            }
            #expect(try deliveries.revision(of: app.id, in: ended) == AppRevision(app.settings))
            #expect(try deliveries.revision(of: other.id, in: foreign) == AppRevision(other.settings))
            #expect(try fixture.store.catalogue.liveDelivery(boundTo: app.revision) == nil)
            // A second call has nothing to do.
            #expect(try fixture.writer.bindLiveDeliveries(of: app.id) == 0)
            expect(.unknown(.app, name: "99")) {
                try fixture.writer.bindLiveDeliveries(of: AppID(rawValue: 99))
            }
        }
    }
}
