import Testing
import pushload

extension EndToEnd.Answers {
    @Test func `after a reload enables it, the delivery log has a line for each attempt, with its outcome`()
        async throws
    {
        let (count, each) = (300, 20)
        var settings = TestbedSettings()
        settings.gateway.rules = """
            d1* status 503 ServiceUnavailable each 2
            d2* status 400 BadDeviceToken
            """
        settings.retry = TestbedSettings.Retry(count: 5, period: "1s", minimumDelays: false)
        try await withTestbed(settings) { testbed in
            try await testbed.createApp()
            try await testbed.importSubscribers(
                SyntheticSubscribers(count, prefixes: ["d1", "d2"], perPrefix: each))
            try await testbed.startEngine()
            try testbed.reconfigure { $0.deliveryLog = "attempts.log" }
            try await testbed.succeed(["reload"])
            let delivery = try await testbed.submit()
            try await testbed.settle(delivery)
            try await testbed.stopEngine()

            let text = Folder.text(testbed.folder.file("attempts.log"))
            let lines = text.split(separator: "\n").map(String.init)
            func said(_ words: String) -> Int { lines.count { $0.contains(" \(words)") } }
            #expect(lines.count == count + 2 * each)
            let own = "delivery=\(delivery) app=\(Testbed.app) account="
            #expect(lines.allSatisfy { $0.hasPrefix("time=") && $0.contains(own) })
            #expect(said("outcome=sent") == count - each)
            #expect(said("outcome=retrying reason=ServiceUnavailable") == 2 * each)
            #expect(said("outcome=failed reason=BadDeviceToken") == each)
            for attempts in 1...2 {
                #expect(
                    lines.count { $0.contains("=retrying ") && $0.hasSuffix(" attempts=\(attempts)") } == each
                )
            }
            #expect(lines.count { $0.contains("=sent ") && $0.hasSuffix(" attempts=3") } == each)
            // The line contains no token.
            #expect(
                try await testbed.messageLog(delivery).allSatisfy { !text.contains($0.token) })
        }
    }
}
