import FoundationEssentials
import Testing
import pushload

extension EndToEnd.Deliveries {
    @Test func `a silent push is a low-priority background push without visible content`() async throws {
        let count = 500
        try await withTestbed { testbed in
            try await testbed.createApp()
            try await testbed.startEngine()
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            var document = DeliveryText()
            document.type = "silent"
            let delivery = try await testbed.submit(document)
            try await testbed.settle(delivery)
            #expect(try await testbed.audit(of: delivery) == .everyoneOnce(count))
            for request in try testbed.gatewayRequests() {
                #expect(request.pushType == "background")
                #expect(request.priority == "5")
                let aps = try JSONDecoder().decode(Body.self, from: Data(request.body.utf8)).aps
                #expect(aps == ["content-available": 1])
            }
        }
    }
}

private struct Body: Decodable {
    /// The values are only numbers, so an alert or a sound could not be decoded.
    var aps: [String: Int]
}
