import Foundation
import GatewayAPNsBinary
import GatewayKit
import PushConnectors
import PushModel
import PushSystem
import PushWire
import TestSupport
import Testing

@Suite struct APNsBinaryConnectorTests {
    /// Returns every `step`-th message by number, with the prefix of its token.
    private func every(_ step: Int, of messages: Int, beginsWith token: String) -> [Int: String] {
        Dictionary(uniqueKeysWithValues: stride(from: step / 2, to: messages, by: step).map { ($0, token) })
    }

    /// Returns how often the gateway accepted each token.
    private func taken(_ log: [Gateway.Line]) -> [String: Int] {
        log.filter { $0["ending"] == "accepted" }.reduce(into: [:]) { $0[$1["token"] ?? "", default: 0] += 1 }
    }

    private func isUndecided(_ outcome: Outcome) -> Bool {
        if case .undecided = outcome { true } else { false }
    }

    @Test func `silence means acceptance, but only after the waiting time has passed`() throws {
        let sink = try BinarySink()
        let sender = try sink.sender(messages: 500)
        let start = ContinuousClock.now
        #expect(sender.connector.window == 0)
        try sender.run(until: "the gateway has been given all") { sender.connector.inFlight == 500 }
        #expect(
            sender.connector.window == 100_000,
            "all that may wait for an objection, whatever the buffer takes now")
        try sender.sendAll()
        #expect(ContinuousClock.now - start >= .seconds(1))
        #expect(sender.acceptedCount == 500)
        #expect(sender.connections.count == 1)
        #expect(sender.departures.isEmpty)
        let log = try sink.log()
        #expect(log.map { $0["identifier"] ?? "" } == (1...500).map(String.init))
        #expect(taken(log).count == 500)
        let line = try #require(log.first)
        #expect(line["command"] == "2")
        #expect(line["priority"] == "10")
        let expiration = try #require(line["expiration"].flatMap { Int64($0) })
        #expect((3_000...3_600).contains(expiration - Clocks.wall().secondsSince1970))
        let body = try #require(line["body"]?.data(using: .utf8))
        let payload = try #require(try JSONSerialization.jsonObject(with: body) as? [String: Any])
        #expect(payload["_dId"] as? String == "7")
    }

    @Test func `a silent push has the lower priority`() throws {
        let sink = try BinarySink()
        let sender = try sink.sender(messages: 1, content: #"{"ios":{"type":"silent"}}"#)
        try sender.sendAll()
        #expect(try sink.log().map { $0["priority"] ?? "" } == ["5"])
    }

    @Test func `an alert has the priority that its content defines`() throws {
        let sink = try BinarySink()
        let sender = try sink.sender(messages: 1, content: #"{"title":"Hello","ios":{"priority":5}}"#)
        try sender.sendAll()
        #expect(try sink.log().map { $0["priority"] ?? "" } == ["5"])
    }

    @Test func `a push type that the protocol does not support is refused and not sent as another type`()
        throws
    {
        let sink = try BinarySink()
        let error = #expect(throws: ConnectorError.self) {
            _ = try sink.sender(messages: 1, content: #"{"ios":{"type":"voip"}}"#)
        }
        #expect(error?.description.contains("does not support voip pushes") == true)
    }

    @Test func `a bad token leads to a verdict on that token only, and all other messages are accepted once`()
        throws
    {
        let sink = try BinarySink(rules: "bad0* invalid-token delay 2\n")
        // More bad tokens than new connections are allowed in the duration of a test.
        let bad = every(30, of: 3_000, beginsWith: "bad0")
        #expect(bad.count == 100)
        let sender = try sink.sender(messages: 3_000, tokens: bad)
        try sender.sendAll()
        for (tag, outcome) in sender.outcomes where bad[Int(tag)] != nil {
            guard case .rejected(let verdict, let reason) = outcome else {
                Issue.record("a bad token: \(outcome)")
                continue
            }
            #expect(verdict.scope == .token)
            #expect(reason == "8 invalid token")
        }
        #expect(sender.acceptedCount == 2_900)
        #expect(sender.discarded > 0)
        // Discarded messages are queued behind the waiting messages. The very last message may have a bad
        // token, and then no new connection is opened.
        #expect([100, 101].contains(sender.connections.count))
        #expect(sender.departures == Array(repeating: "8 invalid token", count: 100))
        let taken = taken(try sink.log())
        #expect(taken.count == 2_900)
        #expect(taken.values.allSatisfy { $0 == 1 })
    }

    @Test func `a shutdown names the last accepted message, and later messages are sent again`() throws {
        let sink = try BinarySink(rules: "50* shutdown each 1 delay 2\n")
        let sender = try sink.sender(messages: 2_000, tokens: every(100, of: 2_000, beginsWith: "50"))
        try sender.sendAll()
        #expect(sender.acceptedCount == 2_000)
        #expect(sender.discarded > 0)
        #expect(sender.departures == Array(repeating: "10 shutdown", count: 20))
        let taken = taken(try sink.log())
        #expect(taken.count == 2_000)
        #expect(taken.values.allSatisfy { $0 == 1 })
    }

    @Test(arguments: [
        ("close", "(closed without error packet)"),
        ("half-packet", "(closed without error packet) only 3 bytes of a packet"),
        ("garbage", "(closed without error packet) 28 bytes that are not a packet"),
        ("stranger", "(closed without error packet) a packet that does not identify a frame, status 8"),
        ("status 0", "(closed without error packet) a packet that does not identify a frame, status 0"),
        ("silent 300", "(closed without error packet)"),
    ])
    func
        `if a connection closes without naming a message, sent messages are undecided and no message is lost`(
            rule: String, reason: String
        ) throws
    {
        let sink = try BinarySink(rules: "c105* \(rule) each 1\n")
        let sender = try sink.sender(messages: 1_000, tokens: every(500, of: 1_000, beginsWith: "c105"))
        try sender.sendAll()
        #expect(sender.departures == [reason, reason] || sender.departures == [reason])
        let undecided = sender.outcomes.values.filter(isUndecided)
        #expect(undecided.count >= 250)
        for outcome in undecided {
            guard case .undecided(let verdict, let text) = outcome else { continue }
            #expect(text == reason)
            #expect(verdict.schedule == .soon)
            #expect(verdict.countsAttempt)
        }
        var rounds = 0
        while sender.acceptedCount < 1_000, rounds < 10 {
            sender.sendAgain(where: isUndecided)
            try sender.sendAll()
            rounds += 1
        }
        #expect(sender.acceptedCount == 1_000)
        #expect(taken(try sink.log()).count == 1_000)
    }

    @Test func `a connection reset counts as a lost connection`() throws {
        let sink = try BinarySink(rules: "* reset\n")
        let sender = try sink.sender(messages: 1)
        try sender.sendAll()
        guard case .undecided(_, let reason)? = sender.outcomes[0] else {
            Issue.record("\(String(describing: sender.outcomes[0]))")
            return
        }
        #expect(reason.hasPrefix("(c"))
    }

    @Test func `silence does not confirm a message that never arrived at the gateway`() throws {
        let sink = try BinarySink()
        let content = #"{"body":"\#(String(repeating: "x", count: 1_900))"}"#
        let sender = try sink.sender(messages: 12_000, content: content)
        try sender.run(until: "it is connected") { sender.connector.openConnections == 1 }
        sink.gateway.freeze()
        // The gateway's machine accepts as many bytes as its buffers can contain, which counts as arrived.
        // After that, no message is confirmed.
        try sender.run(until: "nothing is accepted any more") {
            sender.connector.credit == 0 && sender.acceptedCount > 0
        }
        var (accepted, since) = (sender.acceptedCount, ContinuousClock.now)
        try sender.run(until: "nothing has been confirmed for twice the time that confirms") {
            if sender.acceptedCount != accepted { (accepted, since) = (sender.acceptedCount, .now) }
            return ContinuousClock.now - since > .seconds(2)
        }
        let open = sender.connector.inFlight
        #expect(open > 0)
        sink.gateway.kill()
        try sender.run(until: "it is known to be gone") { !sender.unreachable.isEmpty }
        #expect(sender.connector.inFlight == 0)
        #expect(sender.acceptedCount == accepted)
        #expect(sender.outcomes.values.count(where: isUndecided) + sender.discarded == open)
        #expect(sender.outcomes.values.contains(where: isUndecided))
    }

    @Test func `the number of messages that wait for silence never exceeds the credit`() throws {
        let sink = try BinarySink()
        let sender = try sink.sender(messages: 120, gateway: try sink.order(unconfirmedFrames: 50))
        try sender.sendAll()
        #expect(sender.acceptedCount == 120)
        #expect(sender.maxInFlight == 50)
    }

    @Test func `a refused certificate is a failure of the account, and the account's messages wait`() throws {
        let sink = try BinarySink()
        let sender = try sink.sender(messages: 100, credential: try BinarySink.stranger())
        try sender.run(until: "it is notified") { !sender.refusals.isEmpty || !sender.unreachable.isEmpty }
        #expect(sender.unreachable.isEmpty)
        #expect(sender.refusals.first?.hasPrefix("(certificate or configuration)") == true)
        #expect(sender.outcomes.isEmpty)
        #expect(try sink.log().isEmpty)
    }

    @Test func `a status about the account stops the account`() throws {
        let sink = try BinarySink(rules: "* status 3\n")
        let sender = try sink.sender(messages: 1)
        try sender.sendAll()
        #expect(sender.refusals == ["3 missing topic"])
        guard case .rejected(let verdict, _)? = sender.outcomes[0] else {
            Issue.record("no verdict")
            return
        }
        #expect(verdict.schedule == .hold)
    }

    @Test func `a gateway that refuses connections is reported as unreachable, and no message was submitted`()
        throws
    {
        let sink = try BinarySink()
        let order = try sink.order()
        sink.gateway.stop()
        let sender = try sink.sender(messages: 1, gateway: order)
        try sender.run(until: "it is notified") { !sender.unreachable.isEmpty }
        #expect(sender.unreachable.first?.hasPrefix("(connection lost)") == true)
        #expect(sender.outcomes.isEmpty)
        #expect(sender.refusals.isEmpty)
    }

    @Test func `a message with an invalid token is not sent and fails`() throws {
        let sink = try BinarySink()
        let sender = try sink.sender(messages: 2, tokens: [0: "xyz"])
        try sender.sendAll()
        guard case .rejected(let verdict, let reason)? = sender.outcomes[0] else {
            Issue.record("\(String(describing: sender.outcomes[0]))")
            return
        }
        #expect(verdict.scope == .transient, "the gateway was not asked: no account is judged by it")
        #expect(verdict.schedule == .none && verdict.failureType == .hard)
        #expect(reason == "8 invalid token, not sent")
        #expect(try sink.log().count == 1)
    }

    @Test func `closing waits until the silent period for sent messages has passed`() throws {
        let sink = try BinarySink()
        let sender = try sink.sender(messages: 10)
        try sender.run(until: "all is under way") { sender.connector.inFlight == 10 }
        sender.connector.close()
        #expect(sender.connector.credit == 0)
        try sender.run(until: "it is closed") { sender.connector.openConnections == 0 }
        #expect(sender.acceptedCount == 10)
        #expect(sender.departures.isEmpty)
    }

    @Test
    func `a credential of the wrong type is refused before connecting, and the error states the right type`()
        throws
    {
        let error = #expect(throws: ConnectorError.self) {
            _ = try Sender(
                Sender.order(try Gateway.key().opaque, GatewayOrder(), connector: .ios), messages: 1)
        }
        #expect(error?.description.contains("certificate") == true)
    }

    @Test func `content over 2048 bytes is not admitted`() throws {
        let order = Sender.order(try Gateway.certificate().opaque, GatewayOrder(), connector: .ios)
        let sender = try Sender(order, messages: 1)
        let long = #"{"title":"\#(String(repeating: "x", count: 2_048))"}"#
        let error = #expect(throws: (any Error).self) {
            try sender.connector.admit(Sender.job(bundleID: "com.example", content: long))
        }
        #expect(error.map { "\($0)" }?.contains("2048") == true)
    }

    @Test func `the setting for the payload limit determines which content is admitted`() throws {
        var settings = APNsBinarySettings()
        settings.maxPayloadBytes = 3_000
        var gateway = GatewayOrder()
        gateway.settings = settings.json
        let order = Sender.order(try Gateway.certificate().opaque, gateway, connector: .ios)
        let sender = try Sender(order, messages: 1)
        func content(_ length: Int) -> String { #"{"title":"\#(String(repeating: "x", count: length))"}"# }
        try sender.connector.admit(Sender.job(bundleID: "com.example", content: content(2_500)))
        let error = #expect(throws: (any Error).self) {
            try sender.connector.admit(Sender.job(bundleID: "com.example", content: content(3_000)))
        }
        #expect(error.map { "\($0)" }?.contains("3000") == true)
    }
}
