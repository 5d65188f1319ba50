internal import Logging
internal import PushAPI
internal import PushConfig
internal import PushMaster
internal import PushModel
internal import PushStore
internal import PushSystem
internal import PushWebhooks
internal import Synchronization

/// Who tells receivers of events in this process, from when it may begin until the process ends.
final class WebhookStart: Sendable {
    private struct Running {
        let sender: WebhookSender
        let thread: DedicatedThread
    }

    private let logger: Logger
    private let running = Mutex<Running?>(nil)

    /// What is under way at the end has so long to be given up.
    private static let lastSeconds: Int64 = 5

    init(_ logger: Logger) { self.logger = logger }

    /// - Parameter settings: those that hold now.
    func start(_ store: Store, settings: @escaping @Sendable () -> ServerConfiguration) throws {
        let sender = WebhookSender(
            store: store, key: try store.instanceKey(),
            bounds: {
                let settings = settings().nmac
                return (settings.webhookDays, settings.webhookOutboxMb)
            }, moment: Clocks.moment, logger: logger)
        let thread = try DedicatedThread(named: "webhooks") { sender.run() }
        running.withLock { $0 = Running(sender: sender, thread: thread) }
    }

    /// Does nothing where it has not begun.
    func stop() {
        let running = running.withLock { running in
            defer { running = nil }
            return running
        }
        guard let running else { return }
        running.sender.end()
        _ = running.thread.join(until: Clocks.monotonic().advanced(bySeconds: Self.lastSeconds))
    }
}
