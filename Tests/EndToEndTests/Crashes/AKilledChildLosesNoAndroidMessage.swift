import Testing
import pushload

extension EndToEnd.Crashes {
    @Test func `kill -9 of a child in mid-delivery does not lose any Android message`() async throws {
        let count = 10_000
        var settings = KillScenario.settings(capacity: 500, delayMilliseconds: 0, stopsAfter: [count / 3])
        settings.parallelRequests = 100
        var fcm = TestbedSettings.Gateway.FCM()
        fcm.delayMilliseconds = 200
        settings.gateway.fcm = fcm
        try await withTestbed(settings) { testbed in
            var scenario = KillScenario(messages: count, victims: [.child])
            scenario.isAndroid = true
            let report = try await scenario.run(in: testbed)
            let audit = report.audit
            #expect(audit.withoutRepeats == .everyoneOnce(count))
            #expect(audit.doubled <= report.bound)
            #expect(audit.unanswered <= report.bound)
        }
    }
}
