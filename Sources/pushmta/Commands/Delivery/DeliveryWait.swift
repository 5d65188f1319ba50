internal import Glibc
internal import PushMaster
internal import PushModel
internal import PushOperations

/// Watches a delivery to its end.
struct DeliveryWait {
    private let operations: Operations
    private let start = Clocks.monotonic()

    private static let pollMicroseconds: UInt32 = 100_000
    /// How often to ask whether an account holds it up, which costs more than a look at its counts.
    private static let holdMilliseconds: Int64 = 2_000

    init(_ operations: Operations) { self.operations = operations }

    func end(of id: DeliveryID) throws -> Ending {
        let interruption = Interruption(SIGINT)
        var progress = ProgressLine()
        var nextLook = start.advanced(byMilliseconds: Self.holdMilliseconds)
        var told: Set<String> = []
        if !operations.engine.isRunning {
            StandardError.line("no master serves this store: delivery \(id) starts when 'pushmta run' does")
        }
        while true {
            let looksForHolds = Clocks.monotonic() >= nextLook
            let details = try operations.carryOut(ShowDelivery(id: id, looksForHolds: looksForHolds, looksFurther: false))
            let delivery = details.delivery
            if delivery.state.isFinal {
                progress.clear()
                StandardError.line(delivery.summary)
                return delivery.state == .finished ? .done : .failed
            }
            if interruption.isPending {
                progress.clear()
                StandardError.line("delivery \(id) goes on; 'pushmta delivery show \(id)' says how far it is")
                interruption.obey()
            }
            if looksForHolds {
                nextLook = Clocks.monotonic().advanced(byMilliseconds: Self.holdMilliseconds)
                // Each reason once: the wait may be long, and a person must not take silence for work.
                for hold in details.waitsFor where told.insert(hold.account + hold.reason).inserted {
                    progress.clear()
                    StandardError.line(hold.line.printable(atMost: CommandFailure.longestLine))
                }
            }
            progress.show { delivery.summary }
            usleep(Self.pollMicroseconds)
        }
    }
}
