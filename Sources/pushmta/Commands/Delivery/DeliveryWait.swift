internal import Glibc
internal import PushMaster
internal import PushModel
internal import PushStore

/// Watches a delivery to its end.
struct DeliveryWait {
    private let store: Store
    private let instance: Instance
    private let start = Clocks.monotonic()

    private static let pollMicroseconds: UInt32 = 100_000
    /// How often to ask whether an account holds it up, which costs more than a look at its counts.
    private static let holdMilliseconds: Int64 = 2_000

    init(in store: Store, of instance: Instance) {
        self.store = store
        self.instance = instance
    }

    func end(of id: DeliveryID) throws -> Ending {
        let interruption = Interruption(SIGINT)
        var progress = ProgressLine()
        var nextLook = start.advanced(byMilliseconds: Self.holdMilliseconds)
        var told: Set<String> = []
        if try !InstanceLock.isHeld(besideStore: instance.storePath) {
            StandardError.line("no master serves this store: delivery \(id) starts when 'pushmta run' does")
        }
        while true {
            let delivery = try store.deliveries.require(id)
            let now = Clocks.moment()
            if delivery.state.isFinal {
                progress.clear()
                StandardError.line(Self.summary(delivery, at: now))
                return delivery.state == .finished ? .done : .failed
            }
            if interruption.isPending {
                progress.clear()
                StandardError.line("delivery \(id) goes on; 'pushmta delivery show \(id)' says how far it is")
                interruption.obey()
            }
            if Clocks.monotonic() >= nextLook {
                nextLook = Clocks.monotonic().advanced(byMilliseconds: Self.holdMilliseconds)
                // Each reason once: the wait may be long, and a person must not take silence for work.
                for (app, hold) in try HeldDelivery(delivery, in: store, of: instance).holds
                where told.insert(hold.account + hold.reason).inserted {
                    progress.clear()
                    StandardError.line(hold.line(app: app).printable(atMost: CommandFailure.longestLine))
                }
            }
            progress.show { Self.summary(delivery, at: now) }
            usleep(Self.pollMicroseconds)
        }
    }

    /// `sent 9990 of 10000, 10 failed, 8 333/s`
    private static func summary(_ delivery: DeliverySummary, at now: WallMoment) -> String {
        let counts = delivery.counts
        var parts = ["sent \(counts.sent) of \(counts.targeted)"]
        for (count, name) in [
            (counts.failed, "failed"), (counts.cancelled, "cancelled"), (counts.excluded, "excluded"),
            (counts.retrying, "retrying"),
        ] where count > 0 {
            parts.append("\(count) \(name)")
        }
        let state = delivery.state
        if state != .finished, state != .inProgress { parts.append(state.rawValue) }
        let rate = DeliveryView.rate(delivery, at: now)
        if !rate.isEmpty { parts.append(rate) }
        return parts.joined(separator: ", ")
    }
}
