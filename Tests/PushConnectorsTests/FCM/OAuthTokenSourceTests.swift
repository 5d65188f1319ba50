import Foundation
import GatewayFCM
import GatewayKit
import PushConnectors
import PushModel
import PushWire
import TestSupport
import Testing
import pushsink

/// Tests of the token source through the connector that needs the tokens.
@Suite struct OAuthTokenSourceTests {
    @Test
    func `a token that the gateway reports as expired is renewed once, and its messages are sent again`()
        throws
    {
        let sink = try FCMSink(["--fcm-delay-ms", "20"], rules: "* rpc 401 UNAUTHENTICATED times 8\n")
        let sender = try sink.sender(messages: 40, parallel: 8)
        try sender.sendAll()
        #expect(sender.acceptedCount == 32)
        #expect(sender.refusals.isEmpty)
        #expect(sender.reasons == ["UNAUTHENTICATED:no-FcmError"])
        sender.sendAgain {
            if case .rejected(let verdict, _) = $0 { verdict.schedule == .now } else { false }
        }
        try sender.sendAll()
        #expect(sender.acceptedCount == 40)
        #expect(try sink.summary().oauth.tokensIssued == 2)
    }

    @Test func `a token that expires earlier than stated is renewed, and no message fails`() throws {
        // We do not accept any token as valid for less than a minute.
        let sink = try FCMSink(["--oauth-expires-s", "1"])
        let sender = try sink.sender(messages: 2, connector: .androidPushConnector)
        try sender.sendAll()
        let end = Date().addingTimeInterval(1.1)
        try sender.run(until: "the gateway's token ended") { Date() > end }
        sender.sendAgain { _ in true }
        try sender.sendAll()
        sender.sendAgain { if case .rejected = $0 { true } else { false } }
        try sender.sendAll()
        #expect(sender.acceptedCount == 2)
        #expect(sender.refusals.isEmpty)
        #expect(sender.unreachable.isEmpty)
    }

    @Test(arguments: try ReasonVector.rows(of: "oauth"))
    func `a failure of the token endpoint stops the account, and no message is sent`(row: ReasonVector) throws
    {
        let rule =
            switch row.reason {
            case "(connect failed)": "close"
            case "(unknown)": "html 503"
            default: "oauth \(row.reason)"
            }
        let sink = try FCMSink(oauth: "* \(rule)\n")
        let sender = try sink.sender(messages: 3)
        try sender.run(until: "it is notified") { !sender.verdicts.isEmpty }
        #expect(sender.verdicts.first == row.verdict)
        let told = sender.refusals + sender.unreachable
        #expect(told.first?.hasPrefix(row.reason) == true)
        #expect(sender.refusals.isEmpty == (row.verdict.scope == .transient))
        #expect(sender.outcomes.isEmpty)
        #expect(try sink.log().isEmpty)
    }

    @Test(arguments: ["silent", "reset", "truncated", "broken-off", "html 200"])
    func `a token endpoint that gives unusable answers is contacted again, and no message is lost`(
        rule: String
    )
        throws
    {
        let sink = try FCMSink(oauth: "* \(rule) times 1\n")
        var order = try sink.order()
        try order.change(FCMSettings.self) { $0.requestTimeoutSeconds = 1 }
        let sender = try sink.sender(messages: 3, gateway: order)
        try sender.sendAll()
        #expect(sender.acceptedCount == 3)
        #expect(sender.unreachable.count == 1)
        #expect(sender.refusals.isEmpty)
        #expect(try sink.log().count == 3)
    }

    @Test func `at most one token request is in flight`() throws {
        let sink = try FCMSink(oauth: "* delay 200\n")
        let sender = try sink.sender(messages: 100)
        try sender.sendAll()
        let oauth = try sink.summary().oauth
        #expect(oauth.requests == 1)
        #expect(oauth.tokensIssued == 1)
    }

    @Test func `an assertion that is signed with a foreign key is a failure of the account`() throws {
        let sink = try FCMSink()
        let pem = String(decoding: try Gateway.file(CertificateSet.Name.client), as: UTF8.self)
        var account = try FCMServiceAccount(json: try Gateway.file(CertificateSet.Name.serviceAccount))
        let start = try #require(pem.range(of: "-----BEGIN PRIVATE KEY-----")).lowerBound
        account.privateKeyPEM = String(pem[start...])
        let sender = try Sender(
            Sender.order(
                FCMCredential.serviceAccount(account).opaque, try sink.order(),
                connector: .androidPushConnector),
            messages: 1, job: FCMSink.job())
        try sender.run(until: "it is notified") { !sender.verdicts.isEmpty }
        #expect(sender.refusals.first?.hasPrefix("invalid_grant") == true)
        #expect(sender.outcomes.isEmpty)
    }

    @Test(arguments: ["interim", "crumbs", "empty-data", "header-bomb"])
    func `a token endpoint that sends data without an answer counts as failed`(flood: String) throws {
        let sink = try FCMSink(oauth: "* \(flood) times 1\n")
        let sender = try sink.sender(messages: 3)
        try sender.sendAll()
        #expect(sender.acceptedCount == 3)
        #expect(sender.unreachable.count == 1)
        #expect(sender.refusals.isEmpty)
    }

    @Test(arguments: ["oauth slow_down 429", "oauth unavailable 503", "html 503", "oauth invalid_grant"])
    func `a token endpoint that names a delay is not contacted before the delay has passed`(rule: String)
        throws
    {
        let sink = try FCMSink(oauth: "* \(rule) retry-after 120\n")
        let sender = try sink.sender(messages: 3)
        try sender.run(until: "it is notified") { !sender.verdicts.isEmpty || !sender.pauses.isEmpty }
        // A child returns its messages. If it continues to request room, the request is refused again, and
        // the endpoint is not contacted.
        var turns = 0
        try sender.run(until: "it had many turns") {
            turns += 1
            return turns > 50 && !sender.pauses.isEmpty
        }
        #expect(sender.pauses.allSatisfy { (100...120).contains($0) })
        #expect(sender.refusals.isEmpty == (rule != "oauth invalid_grant"))
        #expect(sender.unreachable.isEmpty && sender.outcomes.isEmpty)
        #expect(try sink.summary().oauth.requests == 1)
    }

    @Test func `the delay can also be given as a date`() throws {
        let sink = try FCMSink(oauth: "* oauth slow_down 429 retry-after date 120\n")
        let sender = try sink.sender(messages: 1)
        try sender.run(until: "it is notified") { !sender.pauses.isEmpty }
        #expect(sender.pauses.allSatisfy { (60...121).contains($0) })
        #expect(try sink.summary().oauth.requests == 1)
    }

    @Test func `the token endpoint is contacted again after the delay, and no message is lost`() throws {
        let sink = try FCMSink(oauth: "* oauth slow_down 429 retry-after 1 times 1\n")
        let sender = try sink.sender(messages: 3)
        try sender.sendAll()
        #expect(sender.acceptedCount == 3)
        #expect(!sender.pauses.isEmpty && sender.unreachable.isEmpty)
        #expect(try sink.summary().oauth.requests == 2)
    }
}
