import PushAPI
import PushModel
import PushStore
import TestRequests
import TestSupport
import Testing

struct WebhookOperationsTests {
    private func create(
        _ instance: TestInstance, _ name: String = "crm", url: String = "https://crm.example.com/push",
        events: [WebhookEventKind] = [.failed], service: String? = nil, authorities: String? = nil
    ) throws(OperationError) -> NewWebhookSecret {
        try instance.operations.carryOut(
            CreateWebhook(
                name: name, url: url, events: events, service: service, authorities: authorities))
    }

    @Test
    func `a webhook is created, shown without its secret, changed and deleted, and each change is audited`()
        throws
    {
        let instance = try TestInstance()
        let operations = instance.operations
        let created = try create(instance)
        #expect(created.secret.hasPrefix("whsec_") && created.secret.count == 6 + 44)
        let shown = try operations.carryOut(ShowWebhook(name: "crm"))
        #expect(shown.enabled && shown.events == [.failed] && shown.behind == 0 && !shown.needsAttention)
        #expect(try operations.carryOut(ListWebhooks()).map(\.name) == ["crm"])

        var order = UpdateWebhook(name: "crm")
        order.changes.set(\.enabled, to: false)
        order.changes.set(\.events, to: [.clicked, .sent])
        let changed = try operations.carryOut(order)
        #expect(!changed.enabled && changed.disabledReason == "by a test" && changed.needsAttention)
        #expect(changed.events == [.sent, .clicked])
        let rotated = try operations.carryOut(RotateWebhookSecret(name: "crm"))
        #expect(rotated.secret != created.secret && rotated.webhook.oldSecretUntil != nil)
        _ = try operations.carryOut(DeleteWebhook(name: "crm"))
        #expect(try operations.carryOut(ListWebhooks()).isEmpty)
        let trail = try operations.carryOut(ReadAudit()).items
        #expect(
            trail.map(\.action) == [
                "webhook.delete", "webhook.rotate-secret", "webhook.update", "webhook.create",
            ])
        #expect(trail.allSatisfy { $0.what == "crm" && $0.who == "a test" })
    }

    @Test(arguments: [#""""#, "null"])
    func `a webhook's service and authorities are removed by null, and also by an empty text`(removal: String)
        throws
    {
        let instance = try TestInstance.withApp()
        let pem = "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n"
        let created = try create(instance, service: "neotrips", authorities: pem).webhook
        #expect(created.service == "neotrips" && created.ownAuthorities)
        let body = #"{"service": \#(removal), "authorities": \#(removal)}"#
        let order = try UpdateWebhook.request(names: ["name": "crm"], query: [:], body: Array(body.utf8))
        let changed = try instance.operations.carryOut(order)
        #expect(changed.service == nil && !changed.ownAuthorities)
        #expect(changed.url == created.url && changed.events == created.events)
    }

    @Test func `every fault of a webhook is listed`() throws {
        let instance = try TestInstance()
        let text = #"{"name": "crm", "url": "ftp://a/", "events": [], "authorities": "secret"}"#
        let order = try CreateWebhook.request(names: [:], query: [:], body: Array(text.utf8))
        let error = failure { () throws(OperationError) in _ = try instance.operations.carryOut(order) }
        #expect(error?.lines.map { $0.prefix { $0 != ":" } } == ["url", "events", "authorities"])
        #expect(error?.description.contains("secret") == false)
        let unread = failure { () throws(OperationError) in
            _ = try UpdateWebhook.request(
                names: ["name": "crm"], query: [:],
                body: Array(#"{"url": null, "events": ["sung"], "enabled": 1, "secret": ""}"#.utf8))
        }
        let kinds =
            "sent, failed, quarantined, received, clicked, registered, unregistered, optedOut, excluded, "
            + "expired, cancelled"
        #expect(
            unread?.lines == [
                "secret: unknown; allowed: url, events, service, authorities, enabled",
                "url: must be a string, not null",
                "events[0]: must be one of \(kinds), not \"sung\"",
                "enabled: must be true or false, not 1",
            ])
    }

    @Test func `unusable webhook settings are refused, and the error states usable ones`() throws {
        let instance = try TestInstance()
        func refusal(_ body: () throws(OperationError) -> Void) -> String? {
            let error = failure(body)
            return error.map { "\($0)" }
        }
        for (url, why) in [
            ("http://crm.example.com/", "use https://"), ("ftp://crm.example.com/", "must start with"),
            ("https://user:hunter2@crm.example.com/", "contains a user name or password"),
            ("https://crm.example.com/#x", "fragment"), ("https:///push", "has no valid host"),
            ("https://crm.example.com:99999/", "has no valid host"),
            ("https://crm example.com/", "percent-encoded"),
        ] {
            let said = refusal { () throws(OperationError) in _ = try create(instance, url: url) }
            #expect(said?.contains(why) == true, "\(url): \(said ?? "")")
            #expect(said?.contains("hunter2") != true)
        }
        for url in [
            "http://localhost:8080/", "http://127.0.0.1/x", "http://[::1]:80", "https://[2001:db8::1]/?a=b",
        ] {
            #expect(try create(instance, url, url: url).webhook.url == url)
        }
        #expect(refusal { () throws(OperationError) in _ = try create(instance, events: []) } != nil)
        #expect(
            refusal { () throws(OperationError) in _ = try create(instance, authorities: "no PEM") } != nil)
        #expect(refusal { () throws(OperationError) in _ = try create(instance, service: "nobody") } != nil)
        #expect(
            refusal { () throws(OperationError) in
                _ = try instance.operations.carryOut(UpdateWebhook(name: "crm"))
            } != nil)
        for name in ["absent", ""] {
            let error = failure { () throws(OperationError) in
                _ = try instance.operations.carryOut(TestWebhook(name: name))
            }
            #expect(error?.kind == .absent)
        }
    }

    @Test func `a webhook test sends one ping and reports the answer`() throws {
        let instance = try TestInstance()
        let receiver = try HTTPReceiver { .status($0.number == 1 ? 200 : 503) }
        _ = try create(instance, url: receiver.url)
        let first = try instance.operations.carryOut(TestWebhook(name: "crm"))
        #expect(first.taken && first.answer == "HTTP 200")
        let second = try instance.operations.carryOut(TestWebhook(name: "crm"))
        #expect(!second.taken && second.answer == "HTTP 503")
        receiver.stop()
        let third = try instance.operations.carryOut(TestWebhook(name: "crm"))
        #expect(!third.taken && third.answer.contains("no connection"))
        let text = String(decoding: try #require(receiver.requests.first).body, as: UTF8.self)
        #expect(text.hasPrefix(#"{"webhook":"crm","events":[{"type":"ping","time":""#))
        #expect(receiver.requests.map { $0.headers["webhook-id"] != nil } == [true, true])
    }
}
