import Testing
import pushload

extension EndToEnd {
    @Test func `each answer of the gateway ends its message as the table says, and no other`() async throws {
        let answers: [Answer] = [
            .init("d1", "status 410 Unregistered", "Hard", "User unknown", "Unregistered"),
            .init("d2", "status 410 ExpiredToken", "Hard", "User unknown", "ExpiredToken"),
            .init("d3", "status 400 BadDeviceToken", "Hard", "User unknown", "BadDeviceToken"),
            .init("d4", "status 400 DeviceTokenNotForTopic", "Soft", "Refused", "DeviceTokenNotForTopic"),
            .init("d5", "status 413 PayloadTooLarge", "Soft", "Refused", "PayloadTooLarge"),
            .init("d6", "status 400 BadCollapseId", "Soft", "Refused", "BadCollapseId"),
            // Later versions send these again by the retry calendar.
            .init("d7", "status 429 TooManyRequests", "Soft", "Refused", "TooManyRequests"),
            .init("d8", "status 500 InternalServerError", "Soft", "Refused", "InternalServerError"),
            .init("d9", "status 503 ServiceUnavailable", "Soft", "Refused", "ServiceUnavailable"),
            .init("da", "status 400 NeverHeardOf", "Soft", "Refused", "NeverHeardOf"),
        ]
        let each = 20
        let subscribers = SyntheticSubscribers(2_000, prefixes: answers.map(\.prefix), perPrefix: each)
        var settings = HouseSettings()
        settings.gateway.rules = answers.map { "\($0.prefix)* \($0.rule)\n" }.joined()
        try await withHouse(settings) { house in
            try await house.createApp()
            try await house.startEngine()
            try await house.importSubscribers(subscribers)
            let delivery = try await house.submit()
            try await house.settle(delivery)
            try await house.stopEngine()

            let refused = answers.count * each
            #expect(try await house.ledger(of: delivery) == .everyoneOnce(2_000 - refused).with {
                $0.targeted = 2_000
                $0.failed = refused
                $0.rejected = refused
            })
            let rows = try await house.messageLog(delivery)
            for answer in answers {
                let ended = rows.filter { $0.registrationToken.hasPrefix(answer.prefix) }
                #expect(ended.count == each)
                for row in ended {
                    #expect(row.state == "failed" && row.attempts == 1)
                    #expect(row.failureType == answer.type)
                    #expect(row.failureReason == answer.reason)
                    #expect(row.providerReason == answer.providerReason)
                }
            }
            // No verdict about a token takes effect yet: the next delivery is for all of them again.
            let count = try await house.succeed(["subscribers", "count", "--app", House.app])
            #expect(count.output == "2000\n")
        }
    }
}

private struct Answer {
    var prefix: String
    var rule: String
    var type: String
    var reason: String
    var providerReason: String

    init(_ prefix: String, _ rule: String, _ type: String, _ reason: String, _ providerReason: String) {
        self.prefix = prefix
        self.rule = rule
        self.type = type
        self.reason = reason
        self.providerReason = providerReason
    }
}
