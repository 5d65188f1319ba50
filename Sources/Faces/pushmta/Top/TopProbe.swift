internal import PushAPI
internal import PushConfig
internal import PushMaster
internal import PushModel
internal import PushStore
internal import PushSystem

/// Queries the master on a separate thread, so that a master that does not answer does not delay the handling
/// of keys.
final class TopProbe: Sendable {
    enum Order: Sendable {
        case pause(DeliveryID)
        case resume(DeliveryID)
        /// The interval between two queries.
        case interval(milliseconds: Int64)
    }
    enum Update: Sendable {
        case status(StatusView, at: MonotonicTime)
        /// There was no answer, for this reason.
        case failure(String)
        /// The result of an order.
        case done(String)
    }

    let news: Mailbox<Update>
    private let orders: Mailbox<Order>

    init(_ instance: Instance, intervalMilliseconds: Int64) throws(MasterError) {
        let news = try Mailbox<Update>()
        let orders = try Mailbox<Order>()
        (self.news, self.orders) = (news, orders)
        // The thread is not ended in an orderly way. It ends with the process, even if it still waits for an
        // answer.
        _ = try DedicatedThread(named: "top") {
            Self.run(instance, orders, news, intervalMilliseconds)
        }
    }

    func send(_ order: Order) { orders.send(order) }

    private static func run(
        _ instance: Instance, _ orders: Mailbox<Order>, _ news: Mailbox<Update>, _ firstInterval: Int64
    ) {
        var interval = firstInterval
        while true {
            look(instance, news)
            var next = Clocks.monotonic().advanced(byMilliseconds: interval)
            while case let left = next.milliseconds(since: Clocks.monotonic()), left > 0 {
                for order in orders.wait(atMostMilliseconds: Int32(clamping: left)) {
                    if case .interval(let milliseconds) = order {
                        interval = milliseconds
                    } else {
                        news.send(.done(carryOut(order, instance)))
                    }
                    // The effect of the order is shown immediately.
                    next = Clocks.monotonic()
                }
            }
        }
    }

    private static func look(_ instance: Instance, _ news: Mailbox<Update>) {
        do {
            news.send(.status(try status(of: instance), at: Clocks.monotonic()))
        } catch { news.send(.failure(Self.line(error))) }
    }

    /// Returns the status. If the master cannot currently carry out operations, for example while it is
    /// starting, or cannot read its store, the master's own report is still available.
    private static func status(of instance: Instance) throws -> StatusView {
        do { return try instance.askMaster(ShowStatus()) } catch {
            guard let master = try? LocalClient.status(storePath: instance.storePath) else { throw error }
            return StatusView(of: master, instance.settings, unreadable: error)
        }
    }

    private static func carryOut(_ order: Order, _ instance: Instance) -> String {
        switch order {
        case .pause(let delivery): carryOut(PauseDelivery(id: delivery), instance)
        case .resume(let delivery): carryOut(ResumeDelivery(id: delivery), instance)
        case .interval: ""
        }
    }

    private static func carryOut<Request: CommandUseCase>(_ request: Request, _ instance: Instance) -> String
    {
        do { return Request.lines(try instance.askMaster(request)).joined(separator: "; ") } catch {
            return line(error)
        }
    }

    private static func line(_ error: any Error) -> String {
        "\(error)".printable(atMost: CommandFailure.maxLineLength)
    }
}
