import GatewayFCM
import GatewayKit
import PushModel
import PushWire
import Testing
import pushsink

/// Tests of the limit on the requests to FCM that the accounts of one child have in progress together.
@Suite struct SharedRequestsTests {
    private static func order(_ sink: FCMSink) throws -> GatewayOrder {
        var order = try sink.order(parallel: 8)
        try order.change(FCMSettings.self) { $0.requestsOfChild = 3 }
        return order
    }

    @Test(arguments: [false, true])
    func `an account begins no request while the other accounts of its child use all`(isLegacy: Bool) throws {
        let sink = try FCMSink(["--fcm-delay-ms", "20"])
        let shared = SharedRequests()
        let first = try sink.sender(messages: 30, gateway: try Self.order(sink), shared: shared)
        let second = try sink.sender(
            messages: 30, token: "bb", credential: isLegacy ? try FCMSink.projectKey() : nil,
            gateway: try Self.order(sink), shared: shared)
        #expect(shared.limit == 3 && shared.free == 3)
        try first.run(until: "the first account uses all requests") { shared.inProgress == 3 }
        #expect(shared.free == 0 && second.connector.credit == 0)
        try first.sendAll()
        #expect(first.maxInFlight == 3 && shared.inProgress == 0)
        try second.sendAll()
        #expect(second.maxInFlight == 3 && shared.inProgress == 0)
        #expect(try sink.summary().fcm.parallelStreams == 3)
    }

    @Test func `the former connector neither has the limit of the child nor counts towards it`() throws {
        let sink = try FCMSink(["--fcm-delay-ms", "2"])
        let shared = SharedRequests()
        (shared.limit, shared.inProgress) = (1, 1)
        let sender = try sink.sender(
            messages: 10, connector: .androidPushConnector, gateway: try Self.order(sink), shared: shared)
        try sender.sendAll()
        #expect(sender.acceptedCount == 10 && shared.inProgress == 1 && shared.limit == 1)
    }
}
