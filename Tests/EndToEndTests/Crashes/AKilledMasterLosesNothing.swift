import Testing
import pushload

extension EndToEnd.Crashes {
    @Test func `kill -9 and a restart of the master lose nothing, and no child outlives its master`()
        async throws
    {
        let count = 20_000
        try await withTestbed(KillScenario.settings(stopsAfter: [count / 3])) { testbed in
            let report = try await KillScenario(messages: count, victims: [.master]).run(in: testbed)
            let audit = report.audit
            #expect(audit.withoutRepeats == .everyoneOnce(count))
            #expect(audit.doubled <= report.bound)
            #expect(report.bound == 2 * testbed.settings.capacity)
            #expect(audit.unanswered <= report.bound)
        }
    }
}
