import Testing
import pushload

extension EndToEnd.Answers {
    @Test
    func `each FCM answer has the effect that the table defines, and affects no other message`() async throws
    {
        let answers: [Answer] = [
            .init("d1", "fcm UNREGISTERED", "Hard", "User unknown", "UNREGISTERED"),
            .init("d2", "fcm INVALID_ARGUMENT message.token", "Hard", "User unknown", "INVALID_ARGUMENT"),
            .init("d3", "fcm INVALID_ARGUMENT message.android", "Ignored", "Undefined", "INVALID_ARGUMENT"),
            .init("d4", "fcm SENDER_ID_MISMATCH", "Soft", "User unknown", "SENDER_ID_MISMATCH"),
            .init("d5", "fcm NEVER_HEARD_OF 400", "Ignored", "Refused", "NEVER_HEARD_OF"),
        ]
        let each = 10
        var settings = TestbedSettings()
        var fcm = TestbedSettings.Gateway.FCM()
        fcm.rules = answers.map { "\($0.prefix)* \($0.rule)\n" }.joined()
        settings.gateway.fcm = fcm
        let subscribers = SyntheticSubscribers(
            1_000, prefixes: answers.map(\.prefix), perPrefix: each, isAndroid: true)
        try await withTestbed(settings) { testbed in
            try await testbed.createService()
            try await testbed.createAndroidApp()
            try await testbed.startEngine()
            try await testbed.importSubscribers(subscribers, into: Testbed.androidApp)
            let delivery = try await testbed.submit(DeliveryText(apps: [Testbed.androidApp]))
            try await testbed.settle(delivery)
            try await testbed.stopEngine()

            let refused = answers.count * each
            #expect(
                try await testbed.audit(of: delivery)
                    == .everyoneOnce(1_000 - refused).with {
                        $0.targeted = 1_000
                        $0.failed = refused
                        $0.rejected = refused
                    })
            let rows = try await testbed.messageLog(delivery)
            for answer in answers {
                let ended = rows.filter { $0.token.hasPrefix(answer.prefix) }
                #expect(ended.count == each)
                for row in ended {
                    #expect(row.state == "failed" && row.attempts == 1)
                    #expect(row.failureType == answer.type)
                    #expect(row.failureReason == answer.reason)
                    #expect(row.providerReason.hasPrefix(answer.providerReason))
                }
            }
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
