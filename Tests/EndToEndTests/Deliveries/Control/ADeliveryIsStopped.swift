import Foundation
import Testing
import pushload

extension EndToEnd.Deliveries {
    @Test
    func `after a stop in mid-delivery is answered, no message is begun, and all begun messages are counted`()
        async throws
    {
        let count = 20_000
        try await withTestbed(slowly) { testbed in
            let (delivery, stopped, answered) = try await stopAmid(testbed, count)
            #expect(stopped.changed && (0...100).contains(stopped.onTheWire))
            #expect(["stopping", "stopped"].contains(stopped.state))
            #expect(stopped.cancelled + stopped.toBeCancelled > 0)
            let end = try await testbed.settle(delivery)
            #expect(end.state == "stopped" && end.counts.targeted == end.counts.sent + end.counts.cancelled)

            // A repeated command reports that the delivery has already been stopped, and none of the
            // delivery's messages is sent again.
            let again = try await stop(delivery, testbed)
            #expect(!again.changed && again.state == "stopped" && again.cancelled == end.counts.cancelled)
            let retry = try await testbed.pushmta(["delivery", "retry-failed", "\(delivery)"])
            #expect(retry.ending.status == 3)

            _ = try await testbed.killMaster()
            try await testbed.startEngine()
            try await busyWithAnother(testbed, SyntheticSubscribers(count))
            #expect(try await testbed.show(delivery).counts == end.counts)
            try await testbed.stopEngine()
            try await testbed.stopGateway()

            let requests = try requests(of: delivery, testbed)
            #expect(requests.count == end.counts.sent)
            // Requests that end after the command's answer began before the answer. Their number does not
            // exceed the number that the command reported as on the wire.
            #expect(requests.count { $0.time > answered } <= stopped.onTheWire)
            var expected = DeliveryAudit()
            expected.targeted = end.counts.targeted
            (expected.sent, expected.reached) = (end.counts.sent, end.counts.sent)
            expected.cancelled = end.counts.cancelled
            #expect(try await testbed.audit(of: delivery, among: [delivery, delivery + 1]) == expected)
        }
    }

    @Test func `after kill -9 of a master during a stop, the next master cancels the remaining messages`()
        async throws
    {
        let count = 20_000
        try await withTestbed(slowly) { testbed in
            let (delivery, stopped, answered) = try await stopAmid(testbed, count)
            _ = try await testbed.killMaster()
            try await testbed.startEngine()
            let end = try await testbed.settle(delivery)
            #expect(end.state == "stopped" && end.counts.pending == 0 && end.counts.retrying == 0)
            try await busyWithAnother(testbed, SyntheticSubscribers(count))
            try await testbed.stopEngine()
            try await testbed.stopGateway()
            let requests = try requests(of: delivery, testbed)
            #expect(requests.count { $0.time > answered } <= stopped.onTheWire)
            // The last answers were lost.
            #expect(requests.count - end.counts.sent <= stopped.onTheWire)
        }
    }

    @Test func `if no master is running, the command stops a delivery, and the next master sends nothing`()
        async throws
    {
        let count = 500
        try await withTestbed { testbed in
            try await testbed.createApp()
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            let delivery = try await testbed.submit()
            let stopped = try await stop(delivery, testbed)
            #expect(stopped.changed && stopped.state == "stopped" && stopped.onTheWire == 0)
            try await testbed.startEngine()
            try await busyWithAnother(testbed, SyntheticSubscribers(count))
            try await testbed.stopEngine()
            try await testbed.stopGateway()
            #expect(try requests(of: delivery, testbed).isEmpty)
        }
    }

    /// A hundred requests in flight and two seconds per answer.
    private var slowly: TestbedSettings {
        var settings = TestbedSettings()
        settings.capacity = 2_000
        settings.gateway.streams = 100
        settings.gateway.delayMilliseconds = 2_000
        return settings
    }

    /// The output of `delivery stop --json`.
    private struct Stopped: Decodable {
        var state: String
        var changed: Bool
        var onTheWire: Int
        var cancelled: Int
        var toBeCancelled: Int
    }

    private func stop(_ delivery: Int, _ testbed: Testbed) async throws -> Stopped {
        let said = try await testbed.succeed(["delivery", "stop", "\(delivery)", "--yes", "--json"])
        return try JSONDecoder().decode(Stopped.self, from: Data(said.output.utf8))
    }

    /// - Returns: The time at which the command was answered, by the clock that the gateway also uses.
    private func stopAmid(
        _ testbed: Testbed, _ count: Int
    ) async throws -> (delivery: Int, Stopped, answered: Int) {
        try await testbed.createApp()
        try await testbed.importSubscribers(SyntheticSubscribers(count))
        try await testbed.startEngine()
        let delivery = try await testbed.submit()
        try await testbed.wait(for: delivery, "it to be on its way") { $0.counts.sent > 0 }
        let stopped = try await stop(delivery, testbed)
        return (delivery, stopped, Int(Date().timeIntervalSince1970 * 1_000))
    }

    /// Runs another delivery until it ends. A master that completes it has examined all work in the store.
    private func busyWithAnother(_ testbed: Testbed, _ subscribers: SyntheticSubscribers) async throws {
        var document = DeliveryText()
        document.target = #"{"userKeys": ["\#(subscribers.userKey(1))"]}"#
        try await testbed.settle(try await testbed.submit(document))
    }

    private func requests(of delivery: Int, _ testbed: Testbed) throws -> [GatewayRequest] {
        try testbed.gatewayRequests().filter { $0.body.contains("\"_dId\":\"\(delivery)\"") }
    }
}
