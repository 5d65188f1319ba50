import PushModel
import PushQueue
import PushStore
import TestSupport
import Testing

@Suite(.eachEngine) struct WebhookOutboxTests {
    private static let noon = TemporaryStore.noon

    @Test func `no event is written unless a webhook requests it`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...10, to: app)
            let (id, messages) = try fixture.deliver(to: app)
            try fixture.accept([try #require(messages[1])], of: id)
            _ = try fixture.webhook([.clicked], named: "clicks")
            try fixture.accept([try #require(messages[2])], of: id)
            #expect(try fixture.query("SELECT count(*) FROM webhook_event") == ["0"])
            #expect(try fixture.store.webhookEvents.last() == 0)
        }
    }

    @Test func `a webhook reports events after its creation, in order, with the same reasons as the log`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...40, to: app)
            let (id, messages) = try fixture.deliver(to: app)
            func message(_ number: Int) throws -> MessageID { try #require(messages[number]) }
            try fixture.accept([try message(1)], of: id)
            let crm = try fixture.webhook()
            try fixture.accept(try (2...20).map(message), of: id)
            try fixture.record(
                try (21...30).map { TemporaryStore.bad(try message($0)) }, accepted: 500, of: id)
            try fixture.settle()
            _ = try fixture.store.hits.record([
                HitRecord(
                    delivery: id, message: try message(5), number: 5, app: app.id, kind: .clicked,
                    at: Self.noon),
                HitRecord(
                    delivery: id, message: try message(5), number: 5, app: app.id, kind: .received,
                    at: Self.noon.later(seconds: 1)),
            ])
            let page = try fixture.events(for: crm)
            let log = try fixture.log(id)
            let byKind = Dictionary(grouping: page.events, by: \.kind)
            #expect(
                byKind[.sent]?.map(\.userKey)
                    == log.filter { $0.state == .sent && $0.userKey != "user-1" }.map(\.userKey))
            let failed = try #require(byKind[.failed])
            let rows = log.filter { $0.state == .failed }
            #expect(failed.map(\.userKey) == rows.map(\.userKey) && failed.count == 10)
            #expect(failed.map(\.message?.id) == rows.map(\.message))
            #expect(failed.map(\.message?.ordinal) == rows.map(\.ordinal))
            #expect(failed.allSatisfy { $0.failureType == .hard && $0.failureReason == .userUnknown })
            #expect(failed.allSatisfy { $0.providerReason == "Unregistered" && $0.delivery == id })
            let quarantined = try #require(byKind[.quarantined])
            #expect(Set(quarantined.map(\.userKey)) == Set(failed.map(\.userKey)))
            #expect(quarantined.allSatisfy { $0.source == "answer" && $0.providerReason == "Unregistered" })
            #expect(
                quarantined.allSatisfy { $0.message == nil && $0.delivery == id && $0.app == "neotrips-ios" })
            #expect(byKind[.received]?.map(\.userKey) == ["user-5"])
            #expect(byKind[.clicked]?.map(\.message?.id) == [try message(5)])
            #expect(page.events.map(\.number) == (1...Int64(page.events.count)).map { $0 })
            #expect(page.isLast && page.missing == 0 && page.end == Int64(page.events.count))
            #expect(try fixture.store.webhookEvents.last() == page.end)
        }
    }

    @Test
    func
        `messages that expire after a failed attempt have failed, and messages that were never tried expire`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...10, to: app)
            let (id, messages) = try fixture.deliver(to: app)
            let crm = try fixture.webhook()
            try fixture.record(
                try (1...3).map {
                    MessageRecord(
                        message: try #require(messages[$0]),
                        change: .retrying(
                            due: Self.noon.later(seconds: 60).time, .soft, .unreachable,
                            providerReason: "busy"),
                        countsAttempt: true)
                }, of: id)
            #expect(try fixture.events(for: crm).events.isEmpty)
            while try fixture.store.outcomes.expire(at: Self.noon.later(seconds: 30 * 86_400)).hasMore {}
            let told = try fixture.events(for: crm).events
            let failed = told.filter { $0.kind == .failed }
            #expect(failed.map(\.providerReason) == ["busy", "busy", "busy"])
            #expect(told.count { $0.kind == .expired } == 7 && told.count == 10)
        }
    }

    @Test func `a page can end anywhere, and continuing from its end gives the same events`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...300, to: app)
            let (id, messages) = try fixture.deliver(to: app)
            let crm = try fixture.webhook()
            let sent = try fixture.webhook([.sent], named: "sent")
            let all = messages.sorted { $0.key < $1.key }.map(\.value)
            try fixture.accept(Array(all[0..<100]), of: id)
            try fixture.record(all[100..<150].map { TemporaryStore.bad($0) }, of: id)
            try fixture.accept(Array(all[150..<300]), of: id)
            let whole = try fixture.events(for: crm)
            #expect(whole.events.count == 300)
            for limit in [1, 7, 99, 100, 101, 149, 299, 300] {
                var number: Int64 = 0
                var told: [WebhookEvent] = []
                while true {
                    let page = try fixture.events(for: crm, after: number, limit: limit)
                    #expect(page.events.count <= limit)
                    #expect(
                        try fixture.events(for: crm, after: number, upTo: page.end, limit: 500).events
                            == page.events)
                    told += page.events
                    number = page.end
                    if page.isLast { break }
                }
                #expect(told == whole.events)
            }
            let page = try fixture.events(for: sent, limit: 120)
            #expect(page.events.count == 120 && page.end == 170)
            #expect(try fixture.events(for: sent, after: 100, upTo: 140).events.isEmpty)
            #expect(try fixture.events(for: sent, after: 100, upTo: 140).end == 140)
        }
    }

    @Test func `a webhook reports only events from its own service's apps, and omits removed messages`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            _ = try fixture.writer.createService(name: "other", label: "Other")
            let other = try fixture.writer.createApp(
                TemporaryStore.settings("other-ios"), service: "other", credential: nil)
            try fixture.subscribe(1...5, to: app)
            try fixture.subscribe(6...10, to: other)
            let all = try fixture.webhook(named: "all")
            let one = try fixture.webhook(named: "one", service: "other")
            let first = try fixture.finished(apps: [app])
            _ = try fixture.finished(apps: [other])
            #expect(
                try fixture.events(for: all).events.map(\.service) == Array(repeating: "neotrips", count: 5)
                    + Array(repeating: "other", count: 5))
            let page = try fixture.events(for: one)
            #expect(page.events.map(\.app) == Array(repeating: "other-ios", count: 5) && page.end == 10)
            expect(.hasWebhook(service: "other", webhook: "one")) {
                try fixture.writer.deleteApp(other.id, at: Self.noon)
                try fixture.writer.deleteService(named: "other")
            }
            try fixture.alter("DELETE FROM part WHERE delivery_id = \(first)")
            try fixture.alter("DELETE FROM part_progress WHERE delivery_id = \(first)")
            let left = try fixture.events(for: all)
            #expect(left.events.count == 5 && left.missing == 5 && left.end == 10)
            try fixture.alter("UPDATE delivery SET removed_ms = 1 WHERE id = \(first)")
        }
    }

    @Test
    func `a cursor moves when a batch is accepted, and records are deleted once all webhooks have sent them`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...100, to: app)
            let crm = try fixture.webhook()
            let slow = try fixture.webhook(named: "slow")
            let progress = fixture.store.webhookProgress
            func found(_ name: String) throws -> Webhook {
                try #require(try fixture.store.webhooks.webhook(named: name))
            }
            _ = try fixture.finished(apps: [app])
            let bounds = OutboxBounds(oldest: WallMoment(millisecondsSince1970: 0), maxBytes: .max)
            #expect(try progress.begin(crm, end: 60))
            #expect(try found("crm").progress.batchEnd == 60)
            let taken = WebhookProgressWriter.Taken(
                end: 60, next: 100, events: 60, missing: 0, answer: "HTTP 200")
            #expect(try progress.take(crm, taken, at: Self.noon))
            // The second time, the batch is a different batch.
            #expect(try !progress.take(crm, taken, at: Self.noon))
            let present = try found("crm").progress
            #expect(present.cursor == 60 && present.batchEnd == 100 && present.behind == 40)
            #expect(try progress.trim(bounds).records == 0)
            #expect(try progress.skip(slow, to: 100, next: nil, missing: 0))
            #expect(try progress.skip(found("crm"), to: 100, next: nil, missing: 2))
            #expect(try progress.trim(bounds).records == 1)
            #expect(try found("crm").progress.dropped == 2)
            #expect(try fixture.query("SELECT count(*) FROM webhook_event") == ["0"])
            // Numbers are not reused.
            try fixture.subscribe(101...103, to: app)
            let id = try fixture.submit(.userKeys(["user-101", "user-102"]), apps: [app])
            try fixture.accept(try fixture.prepare(id).flatMap(\.ids), of: id)
            #expect(try fixture.events(for: found("crm"), after: 100).events.map(\.number) == [101, 102])
        }
    }

    @Test func `changing events or service resets the current batch, and changing the address does not`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...10, to: app)
            let crm = try fixture.webhook()
            _ = try fixture.finished(apps: [app])
            #expect(try fixture.store.webhookProgress.begin(crm, end: 5))
            let writer = fixture.store.webhookWriter(key: fixture.key)
            var change = WebhookWriter.Change()
            change.url = "https://elsewhere.example.com"
            var changed = try writer.update("crm", change, by: "a test", at: Self.noon)
            #expect(changed.mark == crm.mark && changed.progress.batchEnd == 5)
            change = WebhookWriter.Change()
            change.kinds = WebhookEventKinds([.failed])
            changed = try writer.update("crm", change, by: "a test", at: Self.noon)
            #expect(changed.mark != crm.mark && changed.progress.batchEnd == nil)
            #expect(
                changed.order.url == "https://elsewhere.example.com" && changed.order.kinds.all == [.failed])
            #expect(try !fixture.store.webhookProgress.begin(crm, end: 5))
            #expect(try fixture.events(for: changed).events.isEmpty)
        }
    }

    @Test func `a secret can be decrypted only with the instance key and only for its own webhook`() throws {
        try TemporaryStore.with { fixture in
            _ = try fixture.app()
            _ = try fixture.webhook()
            _ = try fixture.webhook(named: "other")
            let reader = fixture.store.webhooks
            #expect(
                try reader.secrets(of: "crm", key: fixture.key, at: Self.noon)
                    == WebhookSecrets(present: [1, 2, 3]))
            #expect(try reader.secrets(of: "absent", key: fixture.key, at: Self.noon) == nil)
            let writer = fixture.store.webhookWriter(key: fixture.key)
            _ = try writer.rotate("crm", secret: [4], at: Self.noon)
            #expect(
                try reader.secrets(of: "crm", key: fixture.key, at: Self.noon.later(seconds: 86_399))
                    == WebhookSecrets(present: [4], old: [1, 2, 3]))
            #expect(
                try reader.secrets(of: "crm", key: fixture.key, at: Self.noon.later(seconds: 86_400))
                    == WebhookSecrets(present: [4]))
            try fixture.alter(
                "UPDATE webhook SET sealed = (SELECT sealed FROM webhook WHERE name = 'crm') WHERE name = 'other'"
            )
            expect(.secretUnreadable(webhook: "other")) {
                _ = try reader.secrets(of: "other", key: fixture.key, at: Self.noon)
            }
            expect(.duplicate(.webhook, name: "crm")) { _ = try fixture.webhook() }
            expect(.unknown(.service, name: "nobody")) {
                _ = try fixture.webhook(named: "third", service: "nobody")
            }
            expect(.unknown(.webhook, name: "nobody")) {
                _ = try writer.delete("nobody")
            }
            _ = try writer.delete("crm")
            #expect(try reader.list().map(\.order.name) == ["other"])
        }
    }

    @Test func `the record of a part whose messages were all sent takes only a few bytes`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...2_000, to: app)
            _ = try fixture.webhook()
            _ = try fixture.finished(apps: [app])
            let rows = try fixture.query("SELECT count(*) || ' ' || sum(length(events)) FROM webhook_event")
            #expect(rows == ["1 5"])
        }
    }
}
