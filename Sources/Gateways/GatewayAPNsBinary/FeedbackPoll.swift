package import GatewayKit
package import PushModel
internal import PushTransport
package import PushWire

/// Reads an app's feedback service once, from beginning to end, for `feedback poll`.
package enum FeedbackPoll {
    /// - Parameter each: Receives the tuples as they arrive.
    package static func run(
        settings: AppSettings, credential: OpaqueCredential?, gateway: GatewayOrder,
        each: ([FeedbackTuple]) -> Void
    ) -> FeedbackEnd {
        let order = AccountOrder(
            account: .only, connector: settings.connector, environment: settings.environment,
            credential: credential ?? OpaqueCredential(bytes: []), gateway: gateway)
        let collector = TupleCollector()
        do {
            let loop = try TransportLoop()
            let reader = try FeedbackReader(order, loop: loop, listener: collector)
            try withExtendedLifetime(reader) {
                while collector.end == nil {
                    _ = try loop.wait(atMostMilliseconds: 1_000)
                    let received = collector.tuples
                    collector.tuples = []
                    if !received.isEmpty { each(received) }
                }
            }
        } catch {
            return .refused(reason: APNsBinaryReply.judge(.certificate, detail: "\(error)").reason)
        }
        return collector.end ?? .complete
    }

    private final class TupleCollector: FeedbackListener {
        var tuples: [FeedbackTuple] = []
        var end: FeedbackEnd?
        func feedback(_ tuples: [FeedbackTuple]) { self.tuples += tuples }
        func feedbackEnded(_ end: FeedbackEnd) { self.end = end }
    }
}
