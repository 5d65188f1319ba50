import FoundationEssentials
import Testing
import pushload

extension EndToEnd.Deliveries {
    @Test func `a delivery reaches every device once, with the content that was submitted`() async throws {
        let count = 2_000
        try await withTestbed { testbed in
            try await testbed.createApp()
            try await testbed.startEngine()
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            let delivery = try await testbed.submit()
            let report = try await testbed.settle(delivery)
            #expect(report.state == "finished")
            try await testbed.stopEngine()
            #expect(try await testbed.audit(of: delivery) == .everyoneOnce(count))

            let rows = try await testbed.messageLog(delivery)
            #expect(rows.count == count)
            #expect(Set(rows.map(\.messageId)).count == count)
            #expect(
                Set(rows.map(\.userKey)) == Set((0..<count).map { SyntheticSubscribers(count).userKey($0) }))
            #expect(rows.allSatisfy { $0.app == Testbed.app && $0.attempts == 1 && $0.failureType.isEmpty })

            let requests = try testbed.gatewayRequests()
            #expect(Set(requests.map(\.id)).count == count)
            #expect(requests.allSatisfy { $0.topic == testbed.account.bundleID })
            #expect(requests.allSatisfy { $0.pushType == "alert" })
            let body = try #require(requests.first?.body)
            let alert = try JSONDecoder().decode(Body.self, from: Data(body.utf8))
            #expect(alert.aps.alert.title == "Paris ✈ from \"99\" EUR")
            #expect(alert.aps.alert.body == "Book until Sunday.")
            #expect(alert.mediaUrl == "https://example.org/paris.png")

            let summary = try testbed.gatewaySummary()
            #expect(summary.requests == count && summary.accepted == count)
            #expect(summary.distinctTokens == count && summary.distinctApnsIDs == count)
            #expect(summary.connections == 1 && summary.protocolErrors == 0)
        }
    }
}

private struct Body: Decodable {
    struct Aps: Decodable {
        struct Alert: Decodable {
            var title: String
            var body: String
        }
        var alert: Alert
    }
    var aps: Aps
    var mediaUrl: String
}
