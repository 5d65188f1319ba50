internal import Logging
internal import PushAPI
internal import PushConfig
internal import PushMaster
internal import PushModel
internal import PushStore
internal import PushSystem
internal import PushWebhooks
internal import Synchronization

/// The sender of webhooks. It starts only in the process that sends webhooks for all processes that share the
/// store.
final class WebhookPart: ServicePart {
    private struct Running {
        let sender: WebhookSender
        let thread: DedicatedThread
    }

    let stages: Set<ServiceStage> = [.leading]
    let drainMilliseconds: Int64 = 5_000
    private let store: Store
    private let settings: @Sendable () -> ServerConfiguration
    private let logger: Logger
    private let running = Mutex<Running?>(nil)

    /// - Parameter settings: Returns the current settings.
    init(_ store: Store, _ logger: Logger, settings: @escaping @Sendable () -> ServerConfiguration) {
        (self.store, self.logger, self.settings) = (store, logger, settings)
    }

    func start() throws {
        let sender = WebhookSender(
            store: store, key: try store.instanceKey(),
            bounds: { [settings] in
                let settings = settings().nmac
                return (settings.webhookDays, settings.webhookOutboxMb)
            }, moment: Clocks.moment, logger: logger)
        let thread = try DedicatedThread(named: "webhooks") { sender.run() }
        running.withLock { $0 = Running(sender: sender, thread: thread) }
    }

    func drain(until deadline: MonotonicTime) -> Bool {
        guard let running = running.withLock(\.self) else { return true }
        running.sender.end()
        return running.thread.join(until: deadline)
    }

    func stop() { running.withLock { $0 = nil } }
}
