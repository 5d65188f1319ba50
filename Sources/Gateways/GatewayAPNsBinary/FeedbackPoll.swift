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
        let ear = Ear()
        do {
            let loop = try TransportLoop()
            let reader = try FeedbackReader(order, loop: loop, listener: ear)
            try withExtendedLifetime(reader) {
                while ear.end == nil {
                    _ = try loop.wait(atMostMilliseconds: 1_000)
                    let heard = ear.tuples
                    ear.tuples = []
                    if !heard.isEmpty { each(heard) }
                }
            }
        } catch {
            return .refused(reason: APNsBinaryReply.judge(.certificate, detail: "\(error)").reason)
        }
        return ear.end ?? .complete
    }

    private final class Ear: FeedbackListener {
        var tuples: [FeedbackTuple] = []
        var end: FeedbackEnd?
        func feedback(_ tuples: [FeedbackTuple]) { self.tuples += tuples }
        func feedbackEnded(_ end: FeedbackEnd) { self.end = end }
    }
}
