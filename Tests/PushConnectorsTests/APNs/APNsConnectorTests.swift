import Foundation
import GatewayAPNs
import GatewayKit
import PushConnectors
import PushModel
import PushWire
import TestSupport
import Testing
import pushsink

@Suite struct APNsConnectorTests {
    private func sender(
        _ gateway: Gateway, messages: Int, token: String = "aa", credential: VerifiedCredential? = nil,
        connections: Int = 1
    ) throws -> Sender {
        try Sender(
            Sender.order(
                try (credential ?? Gateway.key()).opaque, try gateway.order(connections: connections)),
            messages: messages, token: token)
    }

    @Test func `each message is accepted once, with its own id, topic and token`() throws {
        let gateway = try Gateway()
        let sender = try sender(gateway, messages: 500)
        try sender.sendAll()
        #expect(sender.acceptedCount == 500)
        #expect(sender.connections.count == 1)
        let log = try gateway.log()
        #expect(
            log.map { $0["apns_id"] ?? "" }.sorted() == (0..<500).map { Sender.id($0).asUUIDv8.text }.sorted()
        )
        #expect(Set(log.map { $0["token"] ?? "" }).count == 500)
        let line = try #require(log.first)
        #expect(line["topic"] == (try Gateway.bundleID))
        #expect(line["push_type"] == "alert")
        #expect(line["priority"] == "10")
        let body = try #require(line["body"]?.data(using: .utf8))
        let payload = try #require(try JSONSerialization.jsonObject(with: body) as? [String: Any])
        #expect(payload["_dId"] as? String == "7")
        #expect((payload["aps"] as? [String: Any])?["alert"] != nil)
    }

    @Test
    func `one stream is used until an answer confirms the token, and then as many as the gateway allows`()
        throws
    {
        let gateway = try Gateway(["--max-streams", "50", "--initial-streams", "1"])
        let sender = try sender(gateway, messages: 200)
        try sender.sendAll()
        #expect(sender.creditBeforeAnAnswer == 1)
        #expect(sender.acceptedCount == 200)
        try sender.run(until: "the gateway widened") { sender.connector.credit > 1 }
        #expect(sender.connector.credit <= 50)
    }

    @Test func `if a gateway must not remember the token, each message contains it`() throws {
        let gateway = try Gateway()
        var order = try gateway.order()
        try order.change(APNsSettings.self) { $0.indexesAuthorization = false }
        let sender = try Sender(Sender.order(try Gateway.key().opaque, order), messages: 200, token: "aa")
        try sender.sendAll()
        #expect(sender.acceptedCount == 200)
    }

    @Test func `with a client certificate, all streams are used from the start`() throws {
        let gateway = try Gateway(["--require-client-certificate"])
        let sender = try sender(gateway, messages: 100, credential: try Gateway.certificate())
        try sender.sendAll()
        #expect(sender.acceptedCount == 100)
        #expect(sender.creditBeforeAnAnswer > 1)
    }

    @Test func `messages are spread over all permitted connections`() throws {
        let gateway = try Gateway(["--max-streams", "10", "--delay-ms", "20"])
        let sender = try sender(gateway, messages: 300, connections: 3)
        try sender.sendAll()
        #expect(sender.acceptedCount == 300)
        #expect(Set(try gateway.log().map { $0["connection"] ?? "" }).count == 3)
    }

    @Test func `a dead token leads to a verdict on that token only`() throws {
        let gateway = try Gateway(rules: "dd* status 410 Unregistered\n")
        let sender = try sender(gateway, messages: 20, token: "dd")
        try sender.sendAll()
        for outcome in sender.outcomes.values {
            guard case .rejected(let verdict, let reason) = outcome else {
                Issue.record("\(outcome)")
                continue
            }
            #expect(verdict.scope == .token)
            #expect(reason == "Unregistered")
        }
        #expect(sender.refusals.isEmpty)
    }

    @Test func `a key that the gateway refuses is reported once, as a failure of the account`() throws {
        let gateway = try Gateway(rules: "* status 403 InvalidProviderToken\n")
        let sender = try sender(gateway, messages: 1)
        try sender.sendAll()
        #expect(sender.refusals == ["InvalidProviderToken"])
        guard case .rejected(let verdict, _)? = sender.outcomes[0] else {
            Issue.record("no verdict")
            return
        }
        #expect(verdict.scope == .account)
        #expect(verdict.schedule == .hold)
    }

    @Test func `if the gateway reports an expired token, the message is sent again over a new connection`()
        throws
    {
        let gateway = try Gateway(rules: "* status 403 ExpiredProviderToken times 1\n")
        let sender = try sender(gateway, messages: 5)
        try sender.sendAll()
        #expect(sender.reasons == ["ExpiredProviderToken"])
        #expect(sender.refusals.isEmpty)
        sender.sendAgain {
            if case .rejected(let verdict, _) = $0 { verdict.schedule == .now } else { false }
        }
        try sender.sendAll()
        #expect(sender.acceptedCount == 5)
        let log = try gateway.log()
        #expect(log.count == 6)
        #expect(Set(log.map { $0["connection"] ?? "" }).count == 2)
    }

    @Test(arguments: ["goaway graceful Shutdown", "goaway Shutdown"])
    func `a request that a GOAWAY frame rejects counts as never sent and is sent over another connection`(
        rule: String
    ) throws {
        let gateway = try Gateway(["--delay-ms", "2"], rules: "* \(rule) every 300 times 3\n")
        let sender = try sender(gateway, messages: 2_000)
        try sender.sendAll()
        // No message is undecided, because the gateway reports the last message that it processed.
        for outcome in sender.outcomes.values {
            if case .undecided(_, let reason) = outcome { Issue.record("undecided: \(reason)") }
        }
        var rounds = 0
        while sender.acceptedCount < 2_000, rounds < 10 {
            sender.sendAgain { if case .neverSent = $0 { true } else { false } }
            try sender.sendAll()
            rounds += 1
        }
        #expect(sender.acceptedCount == 2_000)
        let accepted = try gateway.log().filter { $0["ending"] == "accepted" }.map { $0["apns_id"] ?? "" }
        #expect(accepted.count == 2_000)
        #expect(Set(accepted).count == 2_000)
    }

    @Test func `a request that is cut off without an answer is undecided`() throws {
        let gateway = try Gateway(rules: "* reset delay 20\n")
        let sender = try sender(gateway, messages: 1)
        try sender.sendAll()
        guard case .undecided(let verdict, let reason)? = sender.outcomes[0] else {
            Issue.record("\(String(describing: sender.outcomes[0]))")
            return
        }
        #expect(verdict.schedule == .soon)
        #expect(verdict.countsAttempt)
        #expect(reason.hasPrefix("(connection lost)"))
    }

    /// The gateway stops answering requests but answers PING frames. Only a new connection gets answers.
    @Test func `a connection that stops answering is replaced, and waiting messages use the new connection`()
        throws
    {
        let gateway = try Gateway(rules: "* silent connection-after 50\n")
        var order = try gateway.order()
        try order.change(APNsSettings.self) { $0.requestTimeoutSeconds = 2 }
        let sender = try Sender(Sender.order(try Gateway.key().opaque, order), messages: 120)
        // Messages without an answer are undecided, and are sent again.
        var rounds = 0
        while sender.acceptedCount < 120, rounds < 60 {
            try sender.sendAll()
            sender.sendAgain { if case .accepted = $0 { false } else { true } }
            rounds += 1
        }
        #expect(sender.acceptedCount == 120)
        #expect(sender.unreachable.isEmpty, "each connection had answered")
        #expect(sender.departures.contains { $0.contains("answered PINGs but no request for 2 s") })
        #expect(Set(try gateway.log().map { $0["connection"] ?? "" }).count >= 3)
    }

    @Test func `a gateway that answers PING frames but no request is reported as unreachable`() throws {
        let gateway = try Gateway(rules: "* silent\n")
        var order = try gateway.order()
        try order.change(APNsSettings.self) { $0.requestTimeoutSeconds = 1 }
        let sender = try Sender(Sender.order(try Gateway.key().opaque, order), messages: 1)
        try sender.sendAll()
        #expect(sender.unreachable.count == 1)
        #expect(sender.unreachable.first?.contains("answered PINGs but no request for 1 s") == true)
        try sender.run(until: "the connection is closed") { sender.connector.openConnections == 0 }
        #expect(sender.unreachable.count == 1, "its end is not reported again")
        guard case .undecided? = sender.outcomes[0] else {
            Issue.record("\(String(describing: sender.outcomes[0]))")
            return
        }
    }

    @Test func `a gateway that allows no stream is reported as unreachable`() throws {
        let gateway = try Gateway(["--max-streams", "0"])
        let sender = try Sender(Sender.order(try Gateway.key().opaque, try gateway.order()), messages: 1)
        try sender.run(until: "it is notified") { !sender.unreachable.isEmpty }
        #expect(sender.unreachable.first?.contains("allows no request") == true)
        #expect(sender.outcomes.isEmpty)
    }

    @Test func `a gateway that refuses connections is reported as unreachable, and no message was submitted`()
        throws
    {
        let gateway = try Gateway()
        let order = Sender.order(try Gateway.key().opaque, try gateway.order())
        _ = try gateway.log()
        let sender = try Sender(order, messages: 1)
        try sender.run(until: "it is notified") { !sender.unreachable.isEmpty }
        #expect(sender.unreachable.first?.hasPrefix("(connect failed)") == true)
        #expect(sender.outcomes.isEmpty)
        #expect(sender.refusals.isEmpty)
    }

    @Test func `an untrusted gateway receives no message, and the account requires an operator`() throws {
        let gateway = try Gateway()
        let sender = try Sender(
            Sender.order(try Gateway.key().opaque, try gateway.order(trusted: false)), messages: 1)
        try sender.run(until: "it is notified") { !sender.refusals.isEmpty }
        #expect(sender.refusals.first?.contains("certificate") == true)
        #expect(sender.unreachable.isEmpty)
        #expect(try gateway.log().isEmpty)
    }

    @Test func `a certificate that the gateway refuses is a failure of the account`() throws {
        let gateway = try Gateway(["--require-client-certificate"])
        let stranger = try CredentialIntake.pem(
            certificateAndKey: try Gateway.file(CertificateSet.Name.stranger))
        let sender = try sender(gateway, messages: 1, credential: stranger)
        try sender.run(until: "it is notified") { !sender.refusals.isEmpty || !sender.unreachable.isEmpty }
        #expect(sender.unreachable.isEmpty)
    }

    @Test func `a credential of the wrong type is refused before any connection is opened`() throws {
        let gateway = try Gateway()
        #expect(throws: (any Error).self) {
            _ = try Sender(
                Sender.order(OpaqueCredential(bytes: [1, 2, 3]), try gateway.order()), messages: 1)
        }
    }

    @Test(arguments: IOSContent.Kind.allCases)
    func `a push of each type is accepted under its topic, with the header fields for its content`(
        type: IOSContent.Kind
    ) throws {
        let gateway = try Gateway()
        let shown = type == .alert ? #""title":"Hello","# : ""
        let content = #"{\#(shown)"ios":{"type":"\#(type.rawValue)","collapseId":"order 1","priority":5}}"#
        let job = Sender.job(bundleID: try Gateway.bundleID, content: content)
        let sender = try Sender(
            Sender.order(try Gateway.key().opaque, try gateway.order()), messages: 2, job: job)
        try sender.sendAll()
        #expect(sender.acceptedCount == 2)
        for line in try gateway.log() {
            #expect(line["topic"] == (try Gateway.bundleID) + GatewayAPNs.APNsPushType(type).topicSuffix)
            #expect(line["push_type"] == GatewayAPNs.APNsPushType(type).rawValue)
            #expect(line["priority"] == "5" && line["collapse_id"] == "order 1")
        }
    }

    @Test func `a voip push of 5120 bytes is sent`() throws {
        let gateway = try Gateway()
        let text = String(repeating: "x", count: 5_000)
        let content = #"{"variables":{"v":"\#(text)"},"ios":{"type":"voip"}}"#
        let sender = try Sender(
            Sender.order(try Gateway.key().opaque, try gateway.order()), messages: 3,
            job: Sender.job(bundleID: try Gateway.bundleID, content: content))
        try sender.sendAll()
        #expect(sender.acceptedCount == 3)
        let body = try #require(try gateway.log().first?["body"]?.data(using: .utf8))
        #expect(try (JSONSerialization.jsonObject(with: body) as? [String: Any])?["v"] as? String == text)
    }

    @Test func `oversized content is not admitted`() throws {
        let sender = try Sender(Sender.order(try Gateway.key().opaque, GatewayOrder()), messages: 1)
        let long = #"{"title":"\#(String(repeating: "x", count: 5_000))"}"#
        #expect(throws: (any Error).self) {
            try sender.connector.admit(Sender.job(bundleID: "com.example", content: long))
        }
        #expect(throws: (any Error).self) {
            try sender.connector.admit(Sender.job(bundleID: "com.example", content: "no JSON"))
        }
    }

    @Test(arguments: ["interim", "crumbs", "empty-data", "header-bomb", "ping-flood", "settings-flood"])
    func `a gateway that sends frames without answers counts as failed, even after earlier answers`(
        flood: String
    ) throws {
        let gateway = try Gateway(rules: "* \(flood) after 5\n")
        let sender = try sender(gateway, messages: 10)
        try sender.run(until: "it is given up") { !sender.unreachable.isEmpty }
        #expect(sender.unreachable.first?.contains("closed as abusive") == true)
        // A status that has arrived is an answer, even if the body is not complete.
        #expect(sender.acceptedCount == (["crumbs", "empty-data"].contains(flood) ? 6 : 5))
        #expect(sender.refusals.isEmpty && sender.departures.isEmpty)
        for outcome in sender.outcomes.values where outcome != .accepted(providerID: nil) {
            guard case .undecided = outcome else {
                Issue.record("\(outcome)")
                continue
            }
        }
    }
}
