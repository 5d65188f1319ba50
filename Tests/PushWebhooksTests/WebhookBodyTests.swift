import Foundation
import PushCrypto
import PushModel
import PushStore
import PushWebhooks
import PushWire
import TestSupport
import Testing

@Suite struct WebhookSignatureTests {
    @Test func `the signature is HMAC-SHA256 over id, second and body, with each valid secret`() throws {
        // The example from the specification's libraries.
        let secret = try #require(Data(base64Encoded: "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
        let body = Array(#"{"test": 2432232314}"#.utf8)
        let header = WebhookSignature.header(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek", second: 1_614_265_330, body: body,
            secrets: WebhookSecrets(present: Array(secret)))
        #expect(header == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
        let both = WebhookSignature.header(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek", second: 1_614_265_330, body: body,
            secrets: WebhookSecrets(present: [1, 2, 3], old: Array(secret)))
        let other = HMACSHA256.code(
            for: Array("msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.".utf8) + body,
            using: SymmetricKey([1, 2, 3]))
        #expect(both == "v1,\(Data(other).base64EncodedString()) \(header)")
    }

    @Test func `a secret is 32 random bytes, is shown as whsec_ and base64, and is never printed`() throws {
        let secret = WebhookSecrets.make()
        #expect(secret.count == 32 && secret != WebhookSecrets.make())
        let text = WebhookSignature.text(of: secret)
        #expect(text.hasPrefix("whsec_"))
        #expect(Data(base64Encoded: String(text.dropFirst(6))) == Data(secret))
        #expect("\(WebhookSecrets(present: secret))" == "secrets of a webhook")
    }
}

@Suite struct WebhookBodyTests {
    /// Runs the test with an event about a message that was sent.
    private func withEvent(_ story: (WebhookEvent, MessageIDCipher) throws -> Void) throws {
        try WebhookFixture.with(startsSender: false) { fixture in
            let webhook = try fixture.webhook(to: try HTTPReceiver())
            try fixture.sent(1)
            let page = try fixture.store.webhookEvents.events(for: webhook, after: 0, upTo: nil, limit: 10)
            try story(try #require(page.events.first), MessageIDCipher(key: fixture.key))
        }
    }

    private func numbered(_ number: Int64, _ event: WebhookEvent, userKey: String = "user-0") -> WebhookEvent
    {
        var event = event
        (event.number, event.userKey) = (number, userKey)
        return event
    }

    @Test func `a message that was not sent has the engine's reason, and no gateway's`() throws {
        try withEvent { sent, cipher in
            for (kind, reason) in [
                (WebhookEventKind.excluded, "in quarantine"), (.cancelled, "cancelled"), (.expired, nil),
            ] {
                var event = numbered(7, sent)
                event.kind = kind
                event.providerReason = reason ?? "expired"
                let body = WebhookBody("crm", [event], end: 7, cipher: cipher)
                guard case .array(let events) = try JSONParser.parse(body.bytes)["events"] else {
                    Issue.record("no events")
                    continue
                }
                #expect(events[0]["type"] == .string(kind.name))
                #expect(events[0]["reason"] == reason.map { .string($0) })
                #expect(events[0]["providerReason"] == nil && events[0]["message"] != nil)
            }
        }
    }

    @Test func `the description of an event uses the terms of the API`() throws {
        try withEvent { sent, cipher in
            var failed = numbered(7, sent)
            failed.kind = .failed
            (failed.failureType, failed.failureReason) = (.hard, .userUnknown)
            failed.providerReason = "Unregistered"
            var quarantined = numbered(8, sent)
            quarantined.kind = .quarantined
            quarantined.message = nil
            quarantined.providerReason = "Unregistered"
            quarantined.source = QuarantineSource.answer.name
            let body = WebhookBody("crm", [sent, failed, quarantined], end: 9, cipher: cipher)
            #expect(body.events == 3 && body.end == 9)
            let message = try #require(sent.message)
            let id = cipher.opaqueID(of: message.id, in: DeliveryID(rawValue: 1)).text
            let document = try JSONParser.parse(body.bytes)
            #expect(document["webhook"] == .string("crm"))
            guard case .array(let events) = document["events"] else {
                Issue.record("no events")
                return
            }
            #expect(events.count == 3)
            #expect(events[0]["type"] == .string("sent"))
            #expect(events[0]["time"] == .string(sent.at.utcText))
            #expect(events[0]["providerReason"] == nil)
            #expect(events[1]["message"] == .string(id) && events[1]["messageId"] == .string(id))
            #expect(events[1]["delivery"] == .integer(1) && events[1]["userKey"] == .string("user-0"))
            #expect(events[1]["failureType"] == .string("Hard"))
            #expect(events[1]["providerReason"] == .string("Unregistered"))
            #expect(
                events[2]["source"] == .string("answer") && events[2]["reason"] == .string("Unregistered"))
            #expect(events[2]["message"] == nil)
        }
    }

    @Test func `a batch has at most 500 events and a maximum size, and its end is the end of its last event`()
        throws
    {
        try withEvent { sent, cipher in
            let many = WebhookBody("crm", (1...600).map { numbered($0, sent) }, end: 700, cipher: cipher)
            #expect(many.events == 500 && many.end == 500)
            let long = WebhookBody(
                "crm", (1...10).map { numbered($0, sent, userKey: String(repeating: "é", count: 400)) },
                end: 10,
                cipher: cipher, maxBytes: 5_000)
            #expect(long.events == 4 && long.end == 4 && long.bytes.count <= 5_000)
            let one = WebhookBody(
                "crm", [numbered(1, sent, userKey: String(repeating: "x", count: 9_000)), numbered(2, sent)],
                end: 2,
                cipher: cipher, maxBytes: 5_000)
            #expect(one.events == 1 && one.end == 1)
        }
    }
}
