import Foundation
import GatewayCustom
import GatewayKit
import PushConnectors
import PushModel
import PushWire
import TestSupport
import Testing
import pushsink

@Suite struct CustomConnectorTests {
    @Test func `messages are sent in batches, over HTTP/2 if the receiver offers it`() throws {
        let sink = try CustomSink()
        let sender = try sink.sender(messages: 250)
        try sender.sendAll()
        #expect(sender.acceptedCount == 250)
        let log = try sink.log()
        #expect(Set(log.compactMap { $0["id"] }) == Set((0..<250).map { Sender.id($0).text }))
        #expect(log.allSatisfy { $0["http"] == "2" })
        let summary = try sink.summary()
        #expect(summary.requests == 3 && summary.messages == 250)
    }

    @Test func `a request contains the platform, the app and the delivery of its messages`() throws {
        let sink = try CustomSink()
        let sender = try sink.sender(
            messages: 1, content: #"{"title":"Hello","body":"World","variables":{"city":"Rome"}}"#)
        try sender.sendAll()
        let body = try #require(try sink.log().first?["body"])
        let batch = try #require(
            try JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any])
        #expect(batch["version"] as? Int == 1 && batch["platform"] as? String == "other")
        #expect(batch["environment"] as? String == "production" && batch["bundleId"] as? String == "sms")
        #expect(batch["deliveryId"] as? String == "7" && batch["headers"] == nil)
        #expect((batch["keepUntil"] as? String).flatMap { WallTime(rfc3339: $0) } != nil)
        let message = try #require((batch["messages"] as? [[String: Any]])?.first)
        let payload = try #require(message["payload"] as? [String: Any])
        #expect(payload["title"] as? String == "Hello" && payload["body"] as? String == "World")
        let data = try #require(payload["data"] as? [String: String])
        #expect(data == ["_mId": Sender.id(0).text, "_dId": "7", "city": "Rome"])
    }

    @Test func `an iOS payload is the APNs payload, accompanied by the header fields`() throws {
        let sink = try CustomSink()
        try sink.sender(messages: 1, platform: .ios).sendAll()
        let body = try #require(try sink.log().first?["body"])
        #expect(body.contains(#""payload":{"aps":{"alert":{"title":"Hello""#))
        #expect(body.contains(#""apns-topic":"sms""#) && body.contains(#""apns-push-type":"alert""#))
    }

    @Test func `an Android payload is the FCM request body`() throws {
        let sink = try CustomSink()
        try sink.sender(messages: 1, platform: .android).sendAll()
        let body = try #require(try sink.log().first?["body"])
        #expect(body.contains(#""payload":{"message":{"#) && body.contains(#""ttl":"3"#))
        #expect(!body.contains(#""headers""#))
    }

    @Test func `each message receives its own verdict`() throws {
        let sink = try CustomSink(
            rules: """
                gone verdict tokenDead
                bad verdict refused
                busy verdict later 7
                odd verdict perhaps
                """)
        let sender = try sink.sender(
            messages: 5, tokens: [0: "gone", 1: "bad", 2: "busy", 3: "odd"])
        try sender.sendAll()
        #expect(sender.acceptedCount == 1)
        #expect(sender.outcomes[0] == .rejected(CustomReasons.tokenDead.verdict, reason: "tokenDead"))
        #expect(sender.outcomes[1] == .rejected(CustomReasons.refused.verdict, reason: "refused"))
        guard case .rejected(let later, "later")? = sender.outcomes[2] else {
            Issue.record("\(String(describing: sender.outcomes[2]))")
            return
        }
        #expect(later.minimumDelaySeconds == 7 && later.scope == .token && later.schedule == .soon)
        guard case .undecided(let verdict, _)? = sender.outcomes[3] else {
            Issue.record("\(String(describing: sender.outcomes[3]))")
            return
        }
        #expect(verdict == CustomReasons.unclear.verdict)
        #expect(sender.refusals.isEmpty && sender.unreachable.isEmpty)
    }

    @Test(arguments: [(503, "ServiceUnavailable"), (429, "TooManyRequests")])
    func `a receiver that accepts nothing is contacted again after the delay that it requested`(
        status: Int, reason: String
    ) throws {
        let sink = try CustomSink(rules: "* status \(status) \(reason) retry-after 12\n")
        let sender = try sink.sender(messages: 3)
        try sender.sendAll()
        #expect(sender.pauses == [12] && sender.pausesOfAccount == 1)
        for outcome in sender.outcomes.values {
            guard case .rejected(let verdict, let reason) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(verdict.scope == .transient && verdict.minimumDelaySeconds == 12)
            #expect(reason == "(not taken): status \(status)")
        }
    }

    @Test func `a wrong secret stops the account, and no text contains the secret`() throws {
        let sink = try CustomSink()
        let order = try sink.order(secret: "not-the-secret")
        let sender = try sink.sender(messages: 2, order: order)
        try sender.sendAll()
        #expect(sender.refusals == ["credentialRefused: status 401"])
        #expect(!"\(order) \(sender.refusals) \(sender.outcomes)".contains("not-the-secret"))
    }

    @Test func `a wrong address is reported for each affected message`() throws {
        let sink = try CustomSink(rules: "* status 404 NotFound\n")
        let sender = try sink.sender(messages: 2)
        try sender.sendAll()
        #expect(sender.outcomes.count == 2 && sender.reasons == ["(batch refused): status 404"])
    }

    @Test func `a message that causes its batch to be refused is found, and no other message is affected`()
        throws
    {
        let sink = try CustomSink(rules: "bad status 400 BadBatch\n")
        let sender = try sink.sender(messages: 20, tokens: [7: "bad"])
        try sender.sendAll()
        #expect(sender.acceptedCount == 19 && sender.discarded == 20 && sender.refusals.isEmpty)
        guard case .rejected(let verdict, "(batch refused): status 400")? = sender.outcomes[7] else {
            Issue.record("\(String(describing: sender.outcomes[7]))")
            return
        }
        #expect(verdict.mayWiden && verdict.maximumTries == 5)
        #expect(try sink.summary().requests == 21)
    }

    @Test func `even a batch with a single message can pause its account`() throws {
        let sink = try CustomSink(rules: "* status 503 ServiceUnavailable retry-after 9\n")
        let sender = try sink.sender(messages: 1)
        try sender.sendAll()
        #expect(sender.pauses == [9] && sender.pausesOfAccount == 1)
    }

    @Test(arguments: ["truncated", "broken-off", "close", "reset", "silent"])
    func `a truncated or missing answer leaves the messages undecided`(rule: String) throws {
        let sink = try CustomSink(rules: "* \(rule)\n")
        let sender = try sink.sender(
            messages: 3, order: try sink.order { $0.requestTimeoutSeconds = 1 })
        try sender.sendAll()
        #expect(
            sender.outcomes.values.allSatisfy { if case .undecided = $0 { true } else { false } },
            "\(sender.outcomes)")
    }

    @Test func `the number of requests and messages in flight never exceeds the settings`() throws {
        let sink = try CustomSink(rules: "* delay 20\n")
        let sender = try sink.sender(
            messages: 60,
            order: try sink.order {
                $0.batchMessages = 7
                $0.parallelRequests = 2
            })
        #expect(sender.connector.credit == 14)
        try sender.sendAll()
        #expect(sender.acceptedCount == 60 && sender.maxInFlight == 14)
        let summary = try sink.summary()
        #expect(summary.requests == 9 && summary.connectionsAtOnce <= 2)
    }

    @Test func `a receiver that is down is reported as unreachable, and no message was accepted`() throws {
        let sink = try CustomSink()
        let order = try sink.order()
        _ = try sink.log()
        let sender = try sink.sender(messages: 2, order: order)
        try sender.run(until: "it is notified") { !sender.unreachable.isEmpty && sender.outcomes.count == 2 }
        #expect(
            sender.outcomes.values.allSatisfy { if case .neverSent = $0 { true } else { false } },
            "\(sender.outcomes)")
    }

    @Test func `an unencrypted local request bypasses any proxy`() throws {
        let receiver = try HTTPReceiver { _ in .status(200, body: #"{"verdicts":[]}"#) }
        var order = GatewayOrder()
        order.proxy = ProxyOrder(host: "127.0.0.1", port: 1, user: "", password: "")
        try order.change(CustomSettings.self) { $0.url = "http://127.0.0.1:\(receiver.port)/push" }
        let sink = try CustomSink()
        let sender = try sink.sender(messages: 1, order: order)
        try sender.sendAll()
        #expect(sender.reasons == ["(unclear answer): missing verdict"])
    }

    @Test func `a connector without a receiver cannot be created`() throws {
        let order = Sender.order(
            OpaqueCredential(bytes: []), GatewayOrder(), connector: ConnectorName(rawValue: "custom"))
        #expect(throws: ConnectorError.self) { try Sender(order, messages: 1) }
    }

    @Test func `a connection test uses a token that belongs to no device`() throws {
        let sink = try CustomSink(rules: "connection-test verdict tokenDead\n")
        let settings = AppSettings(
            name: "sms", platform: .other, integrationKey: "sms",
            connector: ConnectorName(rawValue: "custom"), environment: .production, bundleID: "sms",
            credentialIdentity: "", messageIDFormat: .uuid)
        let result = ConnectionTest.run(settings: settings, credential: nil, gateway: try sink.order())
        #expect(result.succeeded, "\(result.lines)")
        let wrong = ConnectionTest.run(
            settings: settings, credential: nil, gateway: try sink.order(secret: "wrong"))
        #expect(!wrong.succeeded && wrong.lines.contains { $0.contains("credentialRefused") })
        #expect(wrong.lines.contains { $0.hasSuffix("GatewayAnswers.md#custom-credentialrefused") })
    }
}
