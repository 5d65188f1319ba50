import Foundation
import GatewayFCM
import GatewayKit
import PushConnectors
import PushModel
import PushWire
import TestSupport
import Testing
import pushsink

@Suite struct FCMLegacyConnectorTests {
    private func sender(
        _ sink: FCMSink, messages: Int, token: String = "aa",
        connector: ConnectorName = .androidPushConnectorV2,
        tracking: Bool = true, gateway: GatewayOrder? = nil
    ) throws -> Sender {
        try sink.sender(
            messages: messages, token: token, connector: connector, credential: try FCMSink.projectKey(),
            tracking: tracking, gateway: gateway)
    }

    @Test func `messages with their own ids are sent one per request, with as many requests as permitted`()
        throws
    {
        let sink = try FCMSink(["--fcm-delay-ms", "20"])
        let sender = try sender(sink, messages: 40)
        try sender.sendAll()
        #expect(sender.acceptedCount == 40)
        let fcm = try sink.summary().fcm
        #expect(fcm.requests == 40)
        #expect(fcm.messages == 40)
        #expect(fcm.parallelStreams == 8)
    }

    @Test func `a gateway that answers no request is reported as unreachable`() throws {
        let sink = try FCMSink(rules: "* silent\n")
        var order = try sink.order(parallel: 1)
        try order.change(FCMSettings.self) { $0.requestTimeoutSeconds = 1 }
        let sender = try sender(sink, messages: 2, gateway: order)
        try sender.run(until: "it is notified") { !sender.unreachable.isEmpty }
        #expect(sender.unreachable.first?.contains("no answer in time") == true)
        #expect(sender.acceptedCount == 0)
    }

    @Test func `V1 has at most one request in flight`() throws {
        let sink = try FCMSink(["--fcm-delay-ms", "2"])
        let sender = try sender(sink, messages: 20, connector: .androidPushConnector)
        try sender.sendAll()
        #expect(sender.acceptedCount == 20)
        #expect(try sink.summary().fcm.parallelStreams == 1)
    }

    @Test func `an identical payload is sent to one thousand tokens per request`() throws {
        let sink = try FCMSink()
        let sender = try sender(sink, messages: 2_500, tracking: false)
        try sender.sendAll()
        #expect(sender.acceptedCount == 2_500)
        let log = try sink.log()
        #expect(Set(log.map { $0["token"] ?? "" }).count == 2_500)
        let fcm = try sink.summary().fcm
        #expect(fcm.requests == 3)
        #expect(fcm.messages == 2_500)
    }

    @Test(arguments: try ReasonVector.rows(of: "fcm-legacy"))
    func `each answer in the table leads to the verdict in its row`(row: ReasonVector) throws {
        let rule =
            switch (row.status, row.reason) {
            case ("200", "(unknown)"): "legacy SomethingNew"
            case ("200", _): "legacy \(row.reason)"
            case ("5xx", _): "html 503"
            case ("", _): "reset delay 20"
            default: "html \(row.status)"
            }
        let sink = try FCMSink(rules: "* \(rule)\n")
        let sender = try sender(sink, messages: 1)
        try sender.sendAll()
        switch sender.outcomes[0] {
        case .rejected(let verdict, let reason):
            #expect(verdict == row.verdict)
            #expect(row.reason == "(unknown)" || reason == row.reason)
            #expect(sender.refusals == (verdict.scope == .account ? [row.reason] : []))
        case .undecided(let verdict, let reason):
            #expect(row.reason == "(no answer)")
            #expect(verdict == row.verdict)
            #expect(reason.hasPrefix(row.reason))
        case let other: Issue.record("\(String(describing: other))")
        }
        #expect(sender.unreachable.isEmpty)
    }

    @Test func `results are assigned to messages by their order`() throws {
        let sink = try FCMSink(
            rules: "\(Self.token(3)) legacy NotRegistered\n\(Self.token(5)) canonical fresh\n")
        let sender = try sender(sink, messages: 8, tracking: false)
        try sender.sendAll()
        #expect(sender.acceptedCount == 7)
        guard case .rejected(let verdict, "NotRegistered")? = sender.outcomes[3] else {
            Issue.record("\(String(describing: sender.outcomes[3]))")
            return
        }
        #expect(verdict.scope == .token)
        #expect(sender.newNames == [5: "fresh"])
        #expect(try sink.summary().fcm.requests == 1)
    }

    /// Returns the token of a message, numbered as ``Sender`` does.
    private static func token(_ number: Int) -> String {
        "aa" + String(repeating: "0", count: 61) + String(number)
    }

    @Test func `if one result is missing, only its message is undecided`() throws {
        let sink = try FCMSink(rules: "* short times 1\n")
        let sender = try sender(sink, messages: 8, tracking: false)
        try sender.sendAll()
        #expect(sender.acceptedCount == 7)
        guard case .undecided(let verdict, _)? = sender.outcomes[7] else {
            Issue.record("\(String(describing: sender.outcomes[7]))")
            return
        }
        #expect(verdict.countsAttempt)
    }

    @Test(arguments: ["truncated", "broken-off"])
    func `a truncated answer leaves all of its messages undecided`(rule: String) throws {
        let sink = try FCMSink(rules: "* \(rule)\n")
        let sender = try sender(sink, messages: 5, tracking: false)
        try sender.sendAll()
        for outcome in sender.outcomes.values {
            if case .undecided = outcome { continue }
            Issue.record("\(outcome)")
        }
    }

    @Test func `a message waits for as long as the gateway requests`() throws {
        let sink = try FCMSink(rules: "* html 503 retry-after 44\n")
        let sender = try sender(sink, messages: 1)
        try sender.sendAll()
        guard case .rejected(let verdict, _)? = sender.outcomes[0] else {
            Issue.record("no verdict")
            return
        }
        #expect(verdict.minimumDelaySeconds == 44)
        #expect(sender.pauses == [44])
    }

    @Test func `a gateway that refuses connections is reported as unreachable, and no message was submitted`()
        throws
    {
        let sink = try FCMSink()
        let order = try sink.order()
        _ = try sink.log()
        let sender = try sender(sink, messages: 3, gateway: order)
        try sender.sendAll()
        #expect(sender.unreachable.first?.hasPrefix("(connect failed)") == true)
        for outcome in sender.outcomes.values {
            if case .neverSent = outcome { continue }
            Issue.record("\(outcome)")
        }
        #expect(sender.refusals.isEmpty)
    }

    @Test func `an untrusted gateway receives no key, and the account requires an operator`() throws {
        let sink = try FCMSink()
        let sender = try sender(sink, messages: 1, gateway: try sink.order(trusted: false))
        try sender.sendAll()
        #expect(sender.refusals.first?.contains("certificate") == true)
        #expect(try sink.log().isEmpty)
    }

    @Test func `messages from two deliveries never share a request`() throws {
        let sink = try FCMSink()
        let sender = try sender(sink, messages: 0, tracking: false)
        try hand(over: 2, of: 2, to: sender)
        try sender.run(until: "all had an ending") { sender.outcomes.count == 4 }
        #expect(sender.acceptedCount == 4)
        let log = try sink.log()
        for (token, title) in [("aa", "Hello"), ("bb", "Other")] {
            // The log contains the body in the first line of its request.
            let bodies = log.compactMap { $0["body"] }.filter { $0.contains(title) }
            #expect(bodies.count == 1)
            #expect(bodies.allSatisfy { $0.contains("\"\(token)0") && $0.contains("registration_ids") })
        }
        #expect(log.count == 4)
    }

    @Test
    func `with one request at a time the second delivery waits for the first one, and no message is lost`()
        throws
    {
        let sink = try FCMSink()
        let sender = try sender(sink, messages: 0, connector: .androidPushConnector, tracking: false)
        try hand(over: 2, of: 1, to: sender)
        #expect(sender.connector.credit == 0)
        try sender.run(until: "those that were taken had an ending") { sender.outcomes.count == 2 }
        #expect(sender.acceptedCount == 2)
        #expect(sender.connector.inFlight == 0)
        #expect(sender.connector.credit > 0)
        #expect(try sink.log().count == 2)
    }

    /// Hands over `first` messages from each of two deliveries. The connector is expected to accept the
    /// messages only from the first `requests` deliveries.
    private func hand(over first: Int, of requests: Int, to sender: Sender) throws {
        var job = FCMSink.job(content: #"{"title":"Other"}"#, tracking: false)
        job.job = 2
        try sender.connector.admit(job)
        for (number, token) in [(JobID(1), "aa"), (2, "bb")] {
            let grant = try Sender.grant(messages: first, token: token, job: number)
            var offset = GrantFrame.firstEntry
            for message in 0..<first {
                let submission = sender.submit(
                    offset, of: grant, as: Int(number.rawValue) * 10 + message)
                offset = grant.entry(at: offset).next
                #expect(submission == (Int(number.rawValue) <= requests ? .taken : .noCredit))
            }
        }
    }

    @Test(arguments: ["interim", "crumbs", "empty-data", "header-bomb"])
    func `a gateway that sends data without an answer counts as failed`(flood: String) throws {
        let sink = try FCMSink(rules: "* \(flood)\n")
        let sender = try sender(sink, messages: 1)
        try sender.sendAll()
        #expect(sender.unreachable.count == 1)
        guard case .undecided? = sender.outcomes[0] else {
            Issue.record("\(String(describing: sender.outcomes[0]))")
            return
        }
    }
}
