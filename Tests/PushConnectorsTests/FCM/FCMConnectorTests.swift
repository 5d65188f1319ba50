import Foundation
import GatewayFCM
import GatewayKit
import PushConnectors
import PushModel
import PushWire
import TestSupport
import Testing
import pushsink

@Suite struct FCMConnectorTests {
    @Test func `each message is accepted once, with its own id and token, under one access token`() throws {
        let sink = try FCMSink()
        let sender = try sink.sender(messages: 500)
        try sender.sendAll()
        #expect(sender.acceptedCount == 500)
        let log = try sink.log()
        #expect(log.count == 500)
        #expect(Set(log.map { $0["token"] ?? "" }).count == 500)
        let line = try #require(log.first { $0["token"]?.hasSuffix("00") == true })
        let body = try #require(line["body"]?.data(using: .utf8))
        let message = try #require(
            (try JSONSerialization.jsonObject(with: body) as? [String: Any])?["message"] as? [String: Any])
        #expect(message["token"] as? String == line["token"])
        let data = try #require(message["data"] as? [String: String])
        #expect(data["_msg"] == "World")
        #expect(data["_dId"] == "7")
        #expect(data["_mId"] == Sender.id(0).text)
        let android = try #require(message["android"] as? [String: Any])
        let ttl = try #require((android["ttl"] as? String).flatMap { Int($0.dropLast()) })
        #expect((3_500...3_600).contains(ttl))
        let summary = try sink.summary()
        #expect(summary.oauth.tokensIssued == 1)
        #expect(summary.fcm.connections == 1)
    }

    @Test(arguments: [true, false])
    func `Google's message ids are kept if the settings request them`(keeps: Bool) throws {
        let sink = try FCMSink()
        var order = try sink.order()
        try order.change(FCMSettings.self) { $0.keepsMessageIDs = keeps }
        let sender = try sink.sender(messages: 20, gateway: order)
        try sender.sendAll()
        let ids = sender.outcomes.values.compactMap { if case .accepted(let id) = $0 { id } else { nil } }
        #expect(sender.acceptedCount == 20 && Set(ids).count == (keeps ? 20 : 0))
    }

    @Test func `a gateway that answers no request, or allows no stream, is reported as unreachable`() throws {
        for arguments in [[], ["--fcm-max-streams", "0"]] {
            let sink = try FCMSink(arguments, rules: "* silent\n")
            var order = try sink.order()
            try order.change(FCMSettings.self) { $0.requestTimeoutSeconds = 1 }
            let sender = try sink.sender(messages: 3, gateway: order)
            try sender.run(until: "it is notified") { !sender.unreachable.isEmpty }
            #expect(sender.unreachable.count == 1)
            let words = arguments.isEmpty ? "answered PINGs but no request for 1 s" : "allows no request"
            #expect(sender.unreachable.first?.contains(words) == true)
            #expect(sender.acceptedCount == 0)
        }
    }

    @Test func `V1 has one connection and at most one request in flight`() throws {
        let sink = try FCMSink(["--fcm-delay-ms", "2"])
        let sender = try sink.sender(messages: 50, connector: .androidPushConnector, parallel: 500)
        try sender.sendAll()
        #expect(sender.acceptedCount == 50)
        let fcm = try sink.summary().fcm
        #expect(fcm.parallelStreams == 1)
        #expect(fcm.connections == 1)
    }

    @Test(arguments: [2, 8, 40])
    func `V2 reaches its limit and never exceeds it`(limit: Int) throws {
        let sink = try FCMSink(["--fcm-delay-ms", "20"])
        let sender = try sink.sender(messages: 200, parallel: limit)
        try sender.sendAll()
        #expect(sender.acceptedCount == 200)
        #expect(sender.maxInFlight == limit)
        let fcm = try sink.summary().fcm
        #expect(fcm.parallelStreams == Int(limit))
        #expect(fcm.connections == 1)
    }

    @Test func `requests beyond a connection's streams open as many connections as necessary`() throws {
        let sink = try FCMSink(["--fcm-delay-ms", "50", "--fcm-max-streams", "10"])
        let sender = try sink.sender(messages: 600, parallel: 25)
        try sender.sendAll()
        #expect(sender.acceptedCount == 600)
        let fcm = try sink.summary().fcm
        #expect(fcm.parallelStreams == 25)
        #expect(fcm.parallelStreamsPerConnection == 10)
        #expect(fcm.connections == 3)
    }

    @Test(arguments: try ReasonVector.rows(of: "fcm-v1").filter { $0.reason != "(unclear answer)" })
    func `each answer in the table leads to the verdict in its row`(row: ReasonVector) throws {
        let sink = try FCMSink(rules: "* \(Self.rule(row))\n")
        let sender = try sink.sender(messages: 1)
        try sender.sendAll()
        switch sender.outcomes[0] {
        case .rejected(let verdict, let reason):
            #expect(verdict == row.verdict)
            #expect(row.reason == "(unknown)" || ReasonText.word(of: reason) == row.reason)
            let stops = verdict.scope == .account && verdict.schedule == .hold
            #expect(sender.refusals == (stops ? [reason] : []))
        case .undecided(let verdict, let reason):
            #expect(row.reason == "(no answer)")
            #expect(verdict == row.verdict)
            #expect(reason.hasPrefix(row.reason))
        case .neverSent(let verdict, let reason):
            #expect(row.reason == "(connect failed)")
            #expect(verdict == row.verdict)
            #expect(reason.hasPrefix(row.reason))
        case let other: Issue.record("\(String(describing: other))")
        }
        #expect(sender.unreachable.isEmpty || row.reason == "(no answer)")
    }

    /// Returns the rule that makes the gateway behave as in this row.
    private static func rule(_ row: ReasonVector) -> String {
        let words = row.reason.split(separator: ":").map(String.init)
        switch row.reason {
        case "(no answer)": return "reset delay 20"
        case "(connect failed)": return "refuse"
        case "(unknown)": return row.status == "4xx" ? "html 418" : "html 502"
        case "UNSPECIFIED_ERROR": return "fcm UNSPECIFIED_ERROR 500"
        default: break
        }
        return switch words.dropFirst().first {
        case "message.token": "fcm \(words[0]) message.token"
        case .some: "rpc \(row.status) \(words[0])"
        case nil: "fcm \(words[0])"
        }
    }

    @Test(arguments: [
        ("retry-after 77", 77...77), ("retry-after 3", 10...10), ("retry-after date 90", 85...91),
    ])
    func `a message waits for as long as the gateway requests`(qualifier: String, seconds: ClosedRange<Int32>)
        throws
    {
        let sink = try FCMSink(rules: "* fcm UNAVAILABLE \(qualifier)\n")
        let sender = try sink.sender(messages: 1)
        try sender.sendAll()
        guard case .rejected(let verdict, _)? = sender.outcomes[0] else {
            Issue.record("no verdict")
            return
        }
        #expect(seconds.contains(verdict.minimumDelaySeconds))
        #expect(verdict.schedule == .soon)
        #expect(sender.pauses.count == 1)
        #expect(sender.pausesOfAccount == 0)
    }

    @Test func `the reason names the field that the gateway refused and contains the gateway's text`() throws
    {
        let sink = try FCMSink(rules: "* fcm INVALID_ARGUMENT message.android.ttl\n")
        let sender = try sink.sender(messages: 1)
        try sender.sendAll()
        #expect(
            sender.reasons == ["INVALID_ARGUMENT: message.android.ttl: Request contains an invalid argument."]
        )
    }

    @Test func `in a storm of faults each attempt has one outcome, and all messages finally arrive`() throws {
        let sink = try FCMSink(
            ["--fcm-delay-ms", "1", "--fcm-max-streams", "20"],
            rules: """
                * rpc 401 UNAUTHENTICATED every 211 times 5
                * goaway every 307 times 4
                * reset every 401 times 3
                * fcm UNAVAILABLE every 53 times 20
                * truncated every 97 times 10
                * refuse every 41 times 20

                """)
        let sender = try sink.sender(messages: 3_000, parallel: 50)
        try sender.sendAll()
        var rounds = 0
        while sender.acceptedCount < 3_000, rounds < 40 {
            sender.sendAgain { if case .accepted = $0 { false } else { true } }
            try sender.sendAll()
            rounds += 1
        }
        #expect(sender.acceptedCount == 3_000)
        #expect(sender.refusals.isEmpty)
        let accepted = Set(try sink.log().filter { $0["ending"] == "accepted" }.map { $0["token"] ?? "" })
        #expect(accepted.count == 3_000)
        #expect(try sink.summary().fcm.parallelStreams <= 50)
    }

    @Test(arguments: ["truncated", "broken-off", "html 200"])
    func `a truncated success counts as a success, and a page that is not an answer counts as undecided`(
        rule: String
    )
        throws
    {
        let sink = try FCMSink(rules: "* \(rule)\n")
        let sender = try sink.sender(messages: 3, connector: .androidPushConnector)
        try sender.sendAll()
        for outcome in sender.outcomes.values {
            switch outcome {
            case .accepted: #expect(rule != "html 200")
            case .undecided(let verdict, let reason):
                #expect(rule == "html 200")
                #expect(verdict == FCMReasons.unclearYes.verdict)
                #expect(reason == "(unclear answer) status 200 without a message")
            default: Issue.record("\(outcome)")
            }
        }
        #expect(sender.refusals.isEmpty)
    }

    // MARK: Connections

    @Test func `a gateway that refuses connections is reported as unreachable, and no message was submitted`()
        throws
    {
        let sink = try FCMSink(), silent = try FCMSink()
        var order = try sink.order()
        order.port = try silent.order().port
        _ = try silent.log()
        let sender = try sink.sender(messages: 1, gateway: order)
        try sender.run(until: "it is notified") { !sender.unreachable.isEmpty }
        #expect(sender.unreachable.first?.hasPrefix("(connect failed)") == true)
        #expect(sender.outcomes.isEmpty)
        #expect(sender.refusals.isEmpty)
    }

    @Test func `an untrusted gateway receives no assertion, and the account requires an operator`() throws {
        let sink = try FCMSink()
        let sender = try sink.sender(messages: 1, gateway: try sink.order(trusted: false))
        try sender.run(until: "it is notified") { !sender.refusals.isEmpty }
        #expect(sender.refusals.first?.contains("certificate") == true)
        #expect(try sink.summary().oauth.requests == 0)
    }

    @Test
    func `a request that a GOAWAY frame rejects counts as never sent and is sent over another connection`()
        throws
    {
        let sink = try FCMSink(["--fcm-delay-ms", "2"], rules: "* goaway every 300 times 3\n")
        let sender = try sink.sender(messages: 2_000, parallel: 50)
        try sender.sendAll()
        var rounds = 0
        while sender.acceptedCount < 2_000, rounds < 10 {
            sender.sendAgain { if case .neverSent = $0 { true } else { false } }
            try sender.sendAll()
            rounds += 1
        }
        #expect(sender.acceptedCount == 2_000)
        #expect(try sink.log().count { $0["ending"] == "accepted" } == 2_000)
    }

    @Test
    func `a foreign project disables no token, and stops the account if a second token gets the same reason`()
        throws
    {
        let sink = try FCMSink()
        var account = try FCMServiceAccount(json: try Gateway.file(CertificateSet.Name.serviceAccount))
        account.projectID = "somebody-elses"
        let sender = try Sender(
            Sender.order(
                FCMCredential.serviceAccount(account).opaque, try sink.order(),
                connector: .androidPushConnector),
            messages: 1, job: FCMSink.job())
        try sender.sendAll()
        guard case .rejected(let verdict, let reason)? = sender.outcomes[0] else {
            Issue.record("no verdict")
            return
        }
        #expect(verdict.scope == .message && verdict.mayWiden)
        #expect(verdict.schedule == .soon)
        #expect(verdict.quarantine == .no)
        #expect(reason.hasPrefix("PERMISSION_DENIED:no-FcmError") && sender.refusals.isEmpty)
    }

    /// The synthetic gateway knows every field of FCM, and refuses fields that do not exist or have another
    /// type.
    @Test(arguments: ["data", "notification"])
    func `a message with every option contains only fields that FCM knows`(type: String) throws {
        let content = """
            {"title":"T","body":"B","variables":{"v":"1"},"custom":{"offer":{"id":[1,null]}},
             "android":{"type":"\(type)","priority":"normal","collapseKey":"k","directBootOk":true,
             "restrictedPackageName":"com.example","bandwidthConstrainedOk":true,"restrictedSatelliteOk":true,
             "analyticsLabel":"sale","channelId":"c","sound":"s","color":"#00ff33","icon":"i",
             "image":"https://example.com/i.png","tag":"t","clickAction":"a","ticker":"k","sticky":true,
             "notificationCount":4,"notificationPriority":"maximum","visibility":"private","proxy":"deny",
             "titleLocKey":"tk","titleLocArgs":["1"],"bodyLocKey":"bk","bodyLocArgs":["2"],"localOnly":true,
             "defaultSound":true,"defaultVibrateTimings":true,"defaultLightSettings":true,
             "eventTime":"2026-11-21T10:00:00Z","vibrateTimings":["0.5s"],
             "lightSettings":{"color":"#ff003380","onDuration":"1s","offDuration":"0.5s"}}}
            """
        let sink = try FCMSink()
        let sender = try Sender(
            Sender.order(
                try FCMSink.serviceAccount().opaque, try sink.order(), connector: .androidPushConnectorV2),
            messages: 3, job: FCMSink.job(content: content))
        try sender.sendAll()
        #expect(sender.acceptedCount == 3)
    }

    @Test func `oversized content is not admitted`() throws {
        let sender = try Sender(
            Sender.order(
                try FCMSink.serviceAccount().opaque, GatewayOrder(), connector: .androidPushConnectorV2),
            messages: 1, job: FCMSink.job())
        for content in [#"{"title":"\#(String(repeating: "x", count: 5_000))"}"#, "no JSON"] {
            #expect(throws: (any Error).self) { try sender.connector.admit(FCMSink.job(content: content)) }
        }
    }

    @Test(arguments: ["interim", "crumbs", "empty-data", "header-bomb", "ping-flood", "settings-flood"])
    func `a gateway that sends frames without answers counts as failed, even after earlier answers`(
        flood: String
    ) throws {
        let sink = try FCMSink(rules: "* \(flood) after 5\n")
        let sender = try sink.sender(messages: 10, parallel: 1)
        try sender.run(until: "it is given up") { !sender.unreachable.isEmpty }
        #expect(sender.unreachable.first?.contains("closed as abusive") == true)
        #expect(sender.acceptedCount == 5)
        #expect(sender.refusals.isEmpty && sender.departures.isEmpty)
    }
}
