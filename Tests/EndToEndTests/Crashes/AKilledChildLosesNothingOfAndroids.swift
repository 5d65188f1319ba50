import Testing
import pushload

extension EndToEnd.Crashes {
    @Test func `kill -9 of a child in mid-delivery loses nothing of Android's either`() async throws {
        let count = 10_000
        var settings = KillScenario.settings(room: 500, delayMilliseconds: 0)
        settings.parallelRequests = 100
        var fcm = HouseSettings.Gateway.FCM()
        fcm.delayMilliseconds = 100
        settings.gateway.fcm = fcm
        try await withHouse(settings) { house in
            var scenario = KillScenario(messages: count, victims: [.child])
            scenario.isAndroid = true
            let report = try await scenario.run(in: house)
            let ledger = report.ledger
            #expect(
                ledger
                    == .everyoneOnce(count).with {
                        $0.doubled = ledger.doubled
                        $0.unanswered = ledger.unanswered
                    })
            #expect(ledger.doubled <= report.bound)
            #expect(ledger.unanswered <= report.bound)
        }
    }
}
