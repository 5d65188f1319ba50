import Testing
import pushload

extension EndToEnd.Crashes {
    @Test
    func `kill -9 of a child in mid-delivery loses nothing, and repeats at most messages that the child had`()
        async throws
    {
        let count = 20_000
        try await withTestbed(KillScenario.settings(delayMilliseconds: 400, stopsAfter: [count / 3])) {
            testbed in
            var scenario = KillScenario(messages: count, victims: [.child])
            scenario.awaitsSpawns = true
            let report = try await scenario.run(in: testbed)
            let audit = report.audit
            #expect(audit.withoutRepeats == .everyoneOnce(count))
            #expect(audit.doubled <= report.bound)
            #expect(report.bound == testbed.settings.capacity)
            // Messages that the gateway had received but not answered when the client disappeared were sent
            // again.
            #expect(audit.unanswered <= report.bound)
            #expect(report.spawns == 1)
        }
    }
}
