import Testing
import pushload

extension EndToEnd.Binary {
    /// The binary gateway reports a bad token immediately, and a good token only by silence. Each connection
    /// that it closes therefore loses the good answers, and none of the bad answers.
    @Test
    func `a binary gateway that closes connections repeatedly does not turn a few dead tokens into a storm`()
        async throws
    {
        let count = 20_000
        let subscribers = SyntheticSubscribers(count)
        let dead = Set(subscribers.oneInEvery(250))
        let rules = dead.map { "\($0) invalid-token\n" }.joined() + "* close every 3000 times 6\n"
        try await withBinaryTestbed(rules: rules, { $0.binary.confirmAfterSeconds = 5 }) { testbed in
            let seen = try await testbed.sendToBinary(subscribers)
            #expect(Set(seen.rows.lazy.filter { $0.state == "failed" }.map(\.token)) == dead)
            #expect(seen.rows.count { $0.state == "sent" } == count - dead.count)
            #expect(testbed.logLines(" level=critical ").isEmpty)
            #expect(!testbed.engineLog.contains("is stopped"))
            #expect(try testbed.gatewaySummary().binary.connections > dead.count)
        }
    }
}
