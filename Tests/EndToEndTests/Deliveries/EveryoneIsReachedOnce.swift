import FoundationEssentials
import Testing
import pushload

extension EndToEnd.Deliveries {
    @Test func `a delivery reaches everyone once, with what was written`() async throws {
        let count = 2_000
        try await withHouse { house in
            try await house.createApp()
            try await house.startEngine()
            try await house.importSubscribers(SyntheticSubscribers(count))
            let delivery = try await house.submit()
            let report = try await house.settle(delivery)
            #expect(report.state == "finished")
            try await house.stopEngine()
            #expect(try await house.ledger(of: delivery) == .everyoneOnce(count))

            let rows = try await house.messageLog(delivery)
            #expect(rows.count == count)
            #expect(Set(rows.map(\.messageId)).count == count)
            #expect(
                Set(rows.map(\.userKey)) == Set((0..<count).map { SyntheticSubscribers(count).userKey($0) }))
            #expect(rows.allSatisfy { $0.app == House.app && $0.attempts == 1 && $0.failureType.isEmpty })

            let requests = try house.gatewayRequests()
            #expect(Set(requests.map(\.id)).count == count)
            #expect(requests.allSatisfy { $0.topic == house.account.bundleID })
            #expect(requests.allSatisfy { $0.pushType == "alert" })
            let body = try #require(requests.first?.body)
            let alert = try JSONDecoder().decode(Body.self, from: Data(body.utf8))
            #expect(alert.aps.alert.title == "Paris ✈ from \"99\" EUR")
            #expect(alert.aps.alert.body == "Book until Sunday.")
            #expect(alert.mediaUrl == "https://example.org/paris.png")

            let summary = try house.gatewaySummary()
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
