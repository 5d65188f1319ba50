import GatewayAPNs
import PushConfig
import PushConnectors
import PushMaster
import PushModel
import PushSchedule
import PushStore
import PushSystem
import PushWire
import TestSupport
import Testing

@Suite struct AccountDirectoryTests {
    private func definitions(_ fixture: MasterFixture) -> [AccountOrder] {
        fixture.rest().compactMap {
            if case .account(_, let definition) = $0 { definition.order } else { nil }
        }
    }

    @Test func `apps with the same key share an account, and another key or environment is another account`()
        throws
    {
        try MasterFixture.with { fixture in
            let apps = [
                try fixture.apple("one"), try fixture.apple("two"),
                try fixture.apple("three", identity: "token:TEAM:KEY2"),
                try fixture.apple("four", environment: .sandbox),
            ]
            var directory = try fixture.directory()
            let accounts = try apps.map { try directory.account(of: $0.id) }
            #expect(accounts[0] == accounts[1])
            #expect(Set(accounts).count == 3)
            try directory.refresh()
            #expect(try apps.map { try directory.account(of: $0.id) } == accounts)
            let orders = definitions(fixture)
            #expect(orders.map(\.account) == [accounts[0], accounts[2], accounts[3]])
            #expect(orders.map(\.environment) == [.production, .production, .sandbox])
        }
    }

    @Test func `a renewed credential creates another account, and its app moves to this account`() throws {
        try MasterFixture.with { fixture in
            let app = try fixture.apple("one")
            let delivery = try fixture.submit(app)
            var directory = try fixture.directory()
            let old = try directory.account(of: app.id)
            let job = try directory.job(delivery: delivery, app: app.id)
            try directory.refresh()
            #expect(fixture.rest().allSatisfy { if case .appChanged = $0 { false } else { true } })

            _ = try fixture.store.catalogueWriter(key: fixture.key).updateApp(
                app.id, to: app.settings, credential: OpaqueCredential(bytes: Array("renewed".utf8)))
            try directory.refresh()
            let new = try directory.account(of: app.id)
            #expect(new != old)
            let events = fixture.rest()
            let moves = events.compactMap { event -> [AccountID]? in
                if case .appChanged(app.id, let from, let to) = event { [from, to] } else { nil }
            }
            #expect(moves == [[old, new]])
            let unused = events.compactMap {
                if case .accountUnused(let account) = $0 { account } else { nil }
            }
            #expect(unused == [old])
            #expect(try directory.job(delivery: delivery, app: app.id) != job)
        }
    }

    @Test func `an account that another app still uses is kept, and account numbers are never reused`() throws
    {
        try MasterFixture.with { fixture in
            let (one, two) = (try fixture.apple("one"), try fixture.apple("two"))
            var directory = try fixture.directory()
            let shared = try directory.account(of: one.id)
            #expect(try directory.account(of: two.id) == shared)
            let writer = fixture.store.catalogueWriter(key: fixture.key)
            func renew(_ app: App, _ secret: String) throws -> AccountID {
                _ = try writer.updateApp(
                    app.id, to: app.settings, credential: OpaqueCredential(bytes: Array(secret.utf8)))
                try directory.refresh()
                return try directory.account(of: app.id)
            }
            var seen = [shared]
            for secret in ["a", "b", "a"] {
                let account = try renew(one, secret)
                #expect(!seen.contains(account))
                seen.append(account)
            }
            #expect(try directory.account(of: two.id) == shared)
            let unused = fixture.rest().compactMap {
                if case .accountUnused(let account) = $0 { account } else { nil }
            }
            #expect(unused == Array(seen[1...2]), "the shared one is in use, and so is the last")
        }
    }

    @Test func `the apps of an account are reported when they are added or removed`() throws {
        try MasterFixture.with { fixture in
            let (one, two) = (try fixture.apple("one"), try fixture.apple("two"))
            var directory = try fixture.directory()
            let account = try directory.account(of: one.id)
            _ = try directory.account(of: two.id)
            #expect(membership(fixture) == ["+ one \(account)", "+ two \(account)"])
            let writer = fixture.store.catalogueWriter(key: fixture.key)
            _ = try writer.updateApp(
                one.id, to: one.settings, credential: OpaqueCredential(bytes: Array("renewed".utf8)))
            try directory.refresh()
            let renewed = try directory.account(of: one.id)
            #expect(membership(fixture) == ["+ one \(renewed)", "- \(one.id) \(account)"])
            try writer.deleteApp(two.id, at: Clocks.moment(), pause: {})
            try directory.refresh()
            #expect(membership(fixture) == ["- \(two.id) \(account) deleted"])
        }
    }

    private func membership(_ fixture: MasterFixture) -> [String] {
        fixture.rest().compactMap { event in
            switch event {
            case .appJoined(_, let name, _, let account): "+ \(name) \(account)"
            case .appLeft(let app, let account, let isDeleted):
                "- \(app) \(account)\(isDeleted ? " deleted" : "")"
            default: nil
            }
        }
    }

    @Test func `the order contains the app's own credential and its gateway's settings`() throws {
        try MasterFixture.with { fixture in
            let app = try fixture.apple("one")
            var directory = try fixture.directory {
                $0.nmac.relay.address = "127.0.0.1"
                $0.nmac.relay.port = 2_197
                $0.nmac.iosHTTP2.connectionsPerChild = 3
                $0.nmac.iosHTTP2.requestTimeoutSec = 7
            }
            _ = try directory.account(of: app.id)
            let order = try #require(definitions(fixture).first)
            #expect(order.connector == .iosHTTP2)
            #expect(order.credential.bytes == Array("secret of token:TEAM:KEY".utf8))
            #expect(order.gateway.address == "127.0.0.1")
            #expect(order.gateway.port == 2_197)
            let settings = try APNsSettings(json: order.gateway.settings)
            #expect(settings.connectionsPerChild == 3)
            #expect(settings.requestTimeoutSeconds == 7)
        }
    }

    @Test func `with verifyMode, the stub serves every app`() throws {
        try MasterFixture.with { fixture in
            let app = try fixture.apple("one")
            var directory = try fixture.directory { $0.mta.verifyMode = true }
            _ = try directory.account(of: app.id)
            #expect(definitions(fixture).map(\.connector) == [.stub])
        }
    }

    @Test func `a job combines one delivery with one app, and is defined once with the data for a template`()
        throws
    {
        try MasterFixture.with { fixture in
            let (one, two) = (try fixture.apple("one"), try fixture.apple("two"))
            let delivery = try fixture.submit(one, two)
            var directory = try fixture.directory()
            let numbers = try [one, two, one].map { try directory.job(delivery: delivery, app: $0.id) }
            #expect(numbers[0] == numbers[2])
            #expect(numbers[0] != numbers[1])
            let jobs = fixture.rest().compactMap { event -> JobOrder? in
                if case .job(let job) = event { job.order } else { nil }
            }
            #expect(jobs.map(\.job) == [numbers[0], numbers[1]])
            #expect(jobs.map(\.bundleID) == ["com.example.one", "com.example.two"])
            #expect(
                jobs.allSatisfy {
                    $0.delivery == delivery && $0.contentJSON == Array(#"{"title":"Hello"}"#.utf8)
                })
        }
    }

    private func jobs(_ fixture: MasterFixture) -> [JobOrder] {
        fixture.rest().compactMap { if case .job(let job) = $0 { job.order } else { nil } }
    }

    @Test
    func `a job has the settings that its app had at submission, and uses the app's current account`() throws
    {
        try MasterFixture.with { fixture in
            let app = try fixture.apple("one")
            var directory = try fixture.directory()
            let before = try fixture.submit(app)
            _ = try directory.job(delivery: before, app: app.id)
            var settings = app.settings
            settings.bundleID = "com.example.new"
            settings.variables = [AppVariable(name: "screen", defaultValue: "offers")]
            settings.messageIDFormat = .integer
            let writer = fixture.store.catalogueWriter(key: fixture.key)
            let secret = OpaqueCredential(bytes: Array("renewed".utf8))
            _ = try writer.updateApp(app.id, to: settings, credential: secret)
            let after = try fixture.submit(app)
            // The reader does this when it finds the parts of an app.
            try directory.refresh([app.id])
            for delivery in [before, after] { _ = try directory.job(delivery: delivery, app: app.id) }
            let orders = jobs(fixture)
            #expect(orders.map(\.delivery) == [before, before, after])
            #expect(orders.map(\.bundleID) == ["com.example.one", "com.example.one", "com.example.new"])
            #expect(orders.map(\.messageIDFormat) == [.uuid, .uuid, .integer])
            #expect(orders.map(\.variables.count) == [0, 0, 1])
            #expect(orders[0].account != orders[1].account && orders[1].account == orders[2].account)

            // An operator binds the waiting deliveries to the current state of the app.
            try writer.bindLiveDeliveries(of: app.id)
            try directory.refresh()
            _ = try directory.job(delivery: before, app: app.id)
            #expect(jobs(fixture).map(\.bundleID) == ["com.example.new"])
        }
    }

    @Test
    func `switching to another connector creates another account with its own verdicts, in both directions`()
        throws
    {
        try MasterFixture.with { fixture in
            let app = try fixture.apple("one")
            var directory = try fixture.directory()
            let delivery = try fixture.submit(app)
            let writer = fixture.store.catalogueWriter(key: fixture.key)
            var accounts: [AccountID] = []
            var numbers: [JobID] = []
            var moves: [[AccountID]] = []
            var marks: [AccountKey] = []
            for connector in [ConnectorName.iosHTTP2, .ios, .iosHTTP2, .stub] {
                var settings = app.settings
                settings.connector = connector
                _ = try writer.updateApp(app.id, to: settings, credential: nil)
                try directory.refresh()
                accounts.append(try directory.account(of: app.id))
                numbers.append(try directory.job(delivery: delivery, app: app.id))
                for event in fixture.rest() {
                    switch event {
                    case .account(_, let definition): #expect(definition.order.connector == connector)
                    case .job(let job):
                        #expect(job.order.account == accounts.last && job.order.bundleID == "com.example.one")
                        marks.append(job.mark)
                    case .appChanged(app.id, let from, let to): moves.append([from, to])
                    default: break
                    }
                }
            }
            // Each change to the app creates a separate account, including the change back. Verdicts about
            // tokens belong to the same connector, credential and app as before.
            #expect(Set(accounts).count == 4 && Set(numbers).count == 4)
            #expect(
                moves == [
                    [accounts[0], accounts[1]], [accounts[1], accounts[2]], [accounts[2], accounts[3]],
                ])
            #expect(marks.count == 4 && Set(marks).count == 3 && marks[0] == marks[2])
        }
    }

    @Test func `a delivery that was submitted without a topic gets the current topic of its app`() throws {
        try MasterFixture.with { fixture in
            let app = try fixture.apple("one")
            let writer = fixture.store.catalogueWriter(key: fixture.key)
            var settings = app.settings
            (settings.connector, settings.bundleID) = (.stub, "")
            _ = try writer.updateApp(app.id, to: settings, credential: nil)
            let delivery = try fixture.submit(app)
            var directory = try fixture.directory()
            _ = try directory.job(delivery: delivery, app: app.id)
            (settings.connector, settings.bundleID) = (.iosHTTP2, "com.example.late")
            _ = try writer.updateApp(app.id, to: settings, credential: nil)
            try directory.refresh()
            _ = try directory.job(delivery: delivery, app: app.id)
            #expect(jobs(fixture).map(\.bundleID) == ["", "com.example.late"])
        }
    }

    @Test func `a job ends when its delivery ends, even if the end was postponed`() throws {
        try MasterFixture.with { fixture in
            let app = try fixture.app("one", subscribers: 1)
            let delivery = try fixture.submit(app)
            _ = try fixture.prepare(delivery)
            var directory = try fixture.directory()
            let first = try directory.job(delivery: delivery, app: app.id)
            try fixture.tamper("UPDATE delivery SET expires_at = expires_at + 1000")
            let end = try #require(jobs(fixture).first).expiresAt
            // A range uses the known validity until the validity has ended. Messages that failed and are sent
            // again cause a new query.
            #expect(
                try directory.job(delivery: delivery, app: app.id, at: end.advanced(bySeconds: -1)) == first)
            let second = try directory.job(delivery: delivery, app: app.id, at: end)
            #expect(second != first)
            #expect(try directory.job(delivery: delivery, app: app.id) == second)
            try fixture.tamper("UPDATE delivery SET expires_at = expires_at + 1000")
            #expect(try directory.job(delivery: delivery, app: app.id) != second)
            #expect(jobs(fixture).map { $0.expiresAt.seconds(since: end) } == [1_000, 2_000])
        }
    }

    @Test func `a delivery that is bound to no app cannot be addressed, but other deliveries can`() throws {
        try MasterFixture.with { fixture in
            let app = try fixture.apple("one")
            let (first, second) = (try fixture.submit(app), try fixture.submit(app))
            try fixture.tamper("DELETE FROM delivery_app WHERE delivery_id = \(first)")
            var directory = try fixture.directory()
            let error = #expect(throws: StoreError.self) { try directory.job(delivery: first, app: app.id) }
            // The error names the delivery, which determines the delivery that is put on hold.
            #expect(error?.delivery == first)
            #expect(error?.remedy == .setAside)
            _ = try directory.job(delivery: second, app: app.id)
        }
    }

    @Test func `an app or delivery that is not in the store cannot be addressed`() throws {
        try MasterFixture.with { fixture in
            var directory = try fixture.directory()
            #expect(throws: AccountDirectory.Unaddressable.self) {
                try directory.account(of: AppID(rawValue: 99))
            }
            let app = try fixture.apple("one")
            #expect(throws: StoreError.self) {
                try directory.job(delivery: DeliveryID(rawValue: 99), app: app.id)
            }
        }
    }
}
