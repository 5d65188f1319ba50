import Testing
import pushload

private let answers: [Answer] = [
    .init("d1", "status 410 Unregistered", "Hard", "User unknown", "Unregistered"),
    .init("d2", "status 410 ExpiredToken", "Hard", "User unknown", "ExpiredToken"),
    .init("d3", "status 400 BadDeviceToken", "Hard", "User unknown", "BadDeviceToken"),
    .init("d4", "status 400 DeviceTokenNotForTopic", "Soft", "Refused", "DeviceTokenNotForTopic"),
    .init("d5", "status 413 PayloadTooLarge", "Soft", "Refused", "PayloadTooLarge"),
    .init("d6", "status 400 BadCollapseId", "Soft", "Refused", "BadCollapseId"),
    .init("d7", "status 400 NeverHeardOf", "Soft", "Refused", "NeverHeardOf"),
    // These answers lead to a retry according to the retry calendar, after at least one hour.
    .init(
        "d8", "status 429 TooManyRequests", "Soft", "Refused", "TooManyRequests", state: "retrying"),
    .init(
        "d9", "status 500 InternalServerError", "Soft", "Refused", "InternalServerError",
        state: "retrying"),
    .init(
        "da", "status 503 ServiceUnavailable", "Soft", "Refused", "ServiceUnavailable",
        state: "retrying"),
]

extension EndToEnd.Answers {
    @Test
    func `each gateway answer has the effect that the table defines, and affects no other message`()
        async throws
    {
        let each = 20
        let subscribers = SyntheticSubscribers(2_000, prefixes: answers.map(\.prefix), perPrefix: each)
        var settings = TestbedSettings()
        settings.gateway.rules = answers.map { "\($0.prefix)* \($0.rule)\n" }.joined()
        try await withTestbed(settings) { testbed in
            try await testbed.createApp()
            try await testbed.startEngine()
            try await testbed.importSubscribers(subscribers)
            let delivery = try await testbed.submit()
            let refused = answers.count * each
            let waiting = answers.count { $0.state == "retrying" } * each
            try await testbed.wait(for: delivery, "every message to have its answer") {
                $0.counts.pending == 0 && $0.counts.retrying == waiting
            }
            try await testbed.stopEngine()

            #expect(
                try await testbed.audit(of: delivery)
                    == .everyoneOnce(2_000 - refused).with {
                        $0.targeted = 2_000
                        $0.failed = refused - waiting
                        $0.unfinished = waiting
                        $0.rejected = refused
                    })
            let rows = try await testbed.messageLog(delivery)
            for answer in answers {
                let ended = rows.filter { $0.token.hasPrefix(answer.prefix) }
                #expect(ended.count == each)
                for row in ended {
                    #expect(row.state == answer.state && row.attempts == 1)
                    #expect(row.failureType == answer.type)
                    #expect(row.failureReason == answer.reason)
                    #expect(row.providerReason == answer.providerReason)
                }
            }
            // Three of the answers mean that a token is dead, one counts as an error of its token, and all
            // others do not affect the token.
            let list = try await testbed.succeed(["quarantine", "list", "--app", Testbed.app]).output
            let errors = list.split(separator: "\n")
            #expect(errors.count { $0.contains(" quarantined ") } == 3 * each)
            #expect(errors.count { $0.contains(" counting ") } == each)
        }
    }
}

private struct Answer {
    var prefix: String
    var rule: String
    var type: String
    var reason: String
    var providerReason: String
    var state: String

    init(
        _ prefix: String, _ rule: String, _ type: String, _ reason: String, _ providerReason: String,
        state: String = "failed"
    ) {
        self.state = state
        self.prefix = prefix
        self.rule = rule
        self.type = type
        self.reason = reason
        self.providerReason = providerReason
    }
}
