import PushModel
import PushStore
import Testing

/// Tests what the accessors of a store find for a caller who is bound to services.
@Suite(.eachEngine) struct ServiceBoundsTests {
    private static let noon = TemporaryStore.noon

    @Test func `a bound token keeps its services, even after they are deleted`() throws {
        try TemporaryStore.with { fixture in
            let shop = try fixture.writer.createService(name: "shop", label: "Shop").id
            let (bound, free, empty) = (AccessToken.make(), AccessToken.make(), AccessToken.make())
            let tokens = fixture.store.accessTokenWriter
            let bounds = ServiceBounds([shop, ServiceID(rawValue: 77)])
            let made = try tokens.create(bound, name: "a", scopes: [.read], bounds: bounds, at: Self.noon)
            #expect(made.bounds == bounds)
            _ = try tokens.create(free, name: "b", scopes: [.read], at: Self.noon)
            _ = try tokens.create(empty, name: "c", scopes: [.read], bounds: ServiceBounds([]), at: Self.noon)
            try fixture.writer.deleteService(named: "shop")
            let reader = fixture.store.accessTokens
            #expect(try reader.grant(of: bound)?.bounds == bounds)
            #expect(try reader.grant(of: free)?.bounds == ServiceBounds.unbound)
            #expect(try reader.grant(of: empty)?.bounds == ServiceBounds([]))
            #expect(try reader.list().map(\.bounds) == [bounds, .unbound, ServiceBounds([])])
            // Programs of earlier versions find tokens by the plain digest and would ignore the bounds.
            let digests = try fixture.query("SELECT count(DISTINCT digest) FROM access_token")
            #expect(digests == ["3"])
        }
    }

    @Test func `services, apps, deliveries and templates of other services do not exist`() throws {
        try TemporaryStore.with { fixture in
            let own = try fixture.app()
            let other = try fixture.writer.createService(name: "other", label: "Other").id
            let foreign = try fixture.writer.createApp(
                TemporaryStore.settings("other-ios"), service: "other", credential: nil)
            let deliveries = try [own, foreign, own, foreign].map { app in
                try fixture.store.deliverySubmitter.submit(
                    fixture.order(apps: [app]) { $0.service = app.service }, at: Self.noon)
            }
            for service in [nil, "neotrips", "other"] {
                _ = try fixture.store.templateWriter.save(
                    "sale", of: service, body: Array("{}".utf8), at: Self.noon)
            }
            let store = fixture.store.bound(to: ServiceBounds([own.service]))
            #expect(try store.catalogue.services().map(\.name) == ["neotrips"])
            #expect(try store.catalogue.apps().map(\.name) == ["neotrips-ios"])
            #expect(try store.catalogue.appsOfAllTimes().map(\.name) == ["neotrips-ios"])
            #expect(try store.catalogue.service(named: "other") == nil)
            #expect(try store.catalogue.serviceWithApps(named: "other") == nil)
            #expect(try store.catalogue.service(other) == nil)
            #expect(try store.catalogue.app(named: "other-ios") == nil)
            #expect(try store.catalogue.app(foreign.id) == nil)
            #expect(try store.catalogue.app(own.id) == own)
            #expect(try store.deliveries.list().map(\.id) == [deliveries[2], deliveries[0]])
            let live = try store.deliveries.live(limit: 9)
            #expect(live.scheduled.map(\.id) == [deliveries[0], deliveries[2]] && live.scheduledCount == 2)
            let first = try store.deliveries.page(limit: 1)
            #expect(first.deliveries.map(\.id) == [deliveries[2]])
            let second = try store.deliveries.page(before: first.next, limit: 5)
            #expect(second.deliveries.map(\.id) == [deliveries[0]] && second.next == nil)
            #expect(try store.deliveries.summary(of: deliveries[1]) == nil)
            #expect(try store.deliveries.delivery(deliveries[1]) == nil)
            #expect(try store.deliveries.delivery(deliveries[0]) != nil)
            #expect(try Set(store.templates.list().map(\.service)) == [nil, "neotrips"])
            #expect(try store.templates.template(named: "sale", of: other) == nil)
            #expect(try store.templates.template(named: "sale", of: StoredTemplate.noService) != nil)
            #expect(try store.templates.names(of: other).isEmpty)
            #expect(try store.templates.services(withTemplate: "sale", limit: 5) == ["neotrips"])
            // The bounds remain when a line of the audit trail is added.
            let note = AuditNote(who: "w", action: "a", .of("x"), at: Self.noon)
            #expect(try store.noting(note).catalogue.services().map(\.name) == ["neotrips"])
            let nothing = fixture.store.bound(to: ServiceBounds([]))
            #expect(try nothing.deliveries.list().isEmpty && nothing.catalogue.apps().isEmpty)
            #expect(try Set(nothing.templates.list().map(\.service)) == [nil])
        }
    }

    @Test func `jobs, webhooks and messages of other services do not exist`() throws {
        try TemporaryStore.with { fixture in
            let own = try fixture.app()
            let other = try fixture.writer.createService(name: "other", label: "Other").id
            let jobs = try [own.service, other, nil].map { service in
                try fixture.store.jobWriter.begin(
                    "x", request: nil, caller: "c", service: service, at: Self.noon)
            }
            let webhooks = fixture.store.webhookWriter(key: fixture.key)
            for (name, service) in [("own", "neotrips"), ("foreign", "other"), ("all", nil)] {
                let order = WebhookOrder(
                    name: name, url: "https://crm.example.com/", kinds: WebhookEventKinds([.clicked]),
                    service: service)
                _ = try webhooks.create(order, secret: WebhookSecrets.make(), at: Self.noon)
            }
            try fixture.subscribe(1...2, to: own)
            let delivery = try fixture.store.deliverySubmitter.submit(
                fixture.order(apps: [own]), at: Self.noon)
            while try !fixture.store.preparation.prepareChunk(of: delivery, at: Self.noon).isComplete {}

            let bound = fixture.store.bound(to: ServiceBounds([own.service]))
            let foreign = fixture.store.bound(to: ServiceBounds([other]))
            let page = try bound.jobs.page(before: nil, limit: 2)
            #expect(page.jobs.isEmpty && page.next == jobs[1])
            #expect(try bound.jobs.page(before: page.next, limit: 2).jobs.map(\.id) == [jobs[0]])
            #expect(try jobs.map { try bound.jobs.find($0) != nil } == [true, false, false])
            #expect(try fixture.store.jobs.page(before: nil, limit: 9).jobs.count == 3)
            #expect(try bound.webhooks.list().map(\.order.name) == ["own"])
            #expect(try foreign.webhooks.list().map(\.order.name) == ["foreign"])
            #expect(try bound.webhooks.webhook(named: "all") == nil)
            #expect(try bound.webhooks.webhook(named: "foreign") == nil)
            let messages = try bound.messageStatus.page(limit: 5).messages
            #expect(messages.count == 2)
            #expect(try foreign.messageStatus.page(limit: 5).messages.isEmpty)
            let message = try #require(messages.first?.entry.message)
            #expect(try bound.messageStatus.status(of: message, in: delivery) != nil)
            #expect(try foreign.messageStatus.status(of: message, in: delivery) == nil)
        }
    }
}
