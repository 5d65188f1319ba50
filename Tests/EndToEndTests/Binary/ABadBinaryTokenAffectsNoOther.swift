import Testing
import pushload

extension EndToEnd.Binary {
    @Test func `one bad token in a thousand affects no other device behind the binary gateway`() async throws
    {
        let count = 30_000
        let bad = BadTokens(of: count)
        // On a busy machine, an error packet can take longer than a second.
        try await withBinaryTestbed(rules: bad.rules, { $0.binary.confirmAfterSeconds = 5 }) { testbed in
            let seen = try await testbed.sendToBinary(bad.subscribers)
            #expect(seen.audit == .everyoneBut(bad))
            bad.expectFailed(seen.rows)
            let gateway = try testbed.gatewaySummary().binary
            // An error packet states which message was processed last, so no message needs to be sent twice.
            #expect(gateway.accepted == gateway.distinctTokens)
            // If the last bad token was in the very last message, no further connection follows it.
            #expect(gateway.connections >= bad.tokens.count)
            #expect(gateway.protocolErrors == 0)
        }
    }

    @Test
    func `a shutdown of the binary gateway names the last accepted message, and later ones are sent again`()
        async throws
    {
        let count = 30_000
        let bad = BadTokens(of: count)
        try await withBinaryTestbed(rules: bad.rules + "* shutdown after 20000 times 1 delay 5\n") {
            testbed in
            let seen = try await testbed.sendToBinary(bad.subscribers)
            #expect(seen.audit == .everyoneBut(bad))
            bad.expectFailed(seen.rows)
            #expect(try testbed.gatewayRequests().count { $0.status == 10 && $0.ending == .accepted } == 1)
        }
    }

    @Test
    func `if a binary gateway closes silently, no message is lost, and messages in flight may arrive twice`()
        async throws
    {
        let count = 30_000
        let bad = BadTokens(of: count)
        try await withBinaryTestbed(rules: bad.rules + "* close after 20000 times 1\n") { testbed in
            let seen = try await testbed.sendToBinary(bad.subscribers)
            let audit = seen.audit
            #expect(audit.withoutRepeats == .everyoneBut(bad))
            bad.expectFailed(seen.rows)
            // Messages that the gateway received after the last error packet. The engine cannot know about
            // these messages, so the engine and the gateway both count them.
            let gateway = try testbed.gatewaySummary().binary
            #expect(gateway.accepted - (gateway.distinctTokens ?? 0) == audit.doubled)
            #expect(audit.doubled <= testbed.settings.binary.unconfirmedFrames)
            let twice = seen.rows.filter { $0.state == "sent" && $0.attempts > 1 }
            #expect(audit.doubled <= twice.count)
            #expect(!twice.isEmpty)
        }
    }

    @Test(arguments: [
        ("garbage", "bytes that are not a packet"), ("half-packet", "only 3 bytes of a packet"),
        ("stranger", "does not identify a frame"),
        ("half-open 300", "closed"), ("reset", "lost"),
    ])
    func `a binary gateway that sends garbage is contacted again, and every device is reached`(
        nonsense: String, said: String
    ) async throws {
        let count = 4_000
        try await withBinaryTestbed(rules: "* \(nonsense) after 1500 times 1\n") { testbed in
            let seen = try await testbed.sendToBinary(.init(count))
            let audit = seen.audit
            #expect(audit.withoutRepeats == .everyoneOnce(count).with { $0.rejected = audit.rejected })
            #expect(audit.doubled <= seen.rows.count { $0.attempts > 1 })
            #expect(audit.rejected + audit.unanswered <= 1)
            #expect(testbed.engineLog.contains(said))
        }
    }
}

private struct BadTokens {
    let subscribers: SyntheticSubscribers
    let tokens: Set<String>

    init(of count: Int) {
        subscribers = SyntheticSubscribers(count)
        tokens = Set(subscribers.oneInEvery(1_000))
    }

    /// The answer is delayed, so that many messages are sent behind the bad token.
    var rules: String { tokens.map { "\($0) invalid-token delay 5\n" }.joined() }

    func expectFailed(_ rows: [MessageRow]) {
        #expect(Set(rows.lazy.filter { $0.state == "failed" }.map(\.token)) == tokens)
        #expect(
            rows.allSatisfy {
                $0.state == "sent" || ($0.failureType == "Hard" && $0.failureReason == "User unknown")
            })
    }
}

extension DeliveryAudit {
    fileprivate static func everyoneBut(_ bad: BadTokens) -> DeliveryAudit {
        let count = bad.subscribers.count
        return everyoneOnce(count - bad.tokens.count).with {
            $0.targeted = count
            $0.failed = bad.tokens.count
            $0.rejected = bad.tokens.count
        }
    }
}
