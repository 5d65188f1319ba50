internal import Glibc
package import Logging
package import PushConfig
internal import PushModel
internal import PushSchedule
package import PushStore
internal import PushWire
internal import ServiceLifecycle

/// The sending half of the engine: one loop over the children's links, one thread that reads the store, one that
/// writes it.
///
/// **Promises.** At most one master serves a store, and nothing is granted before the children of an earlier one are
/// gone. `run()` returns after a graceful shutdown, when every outcome that was reported is committed.
/// **Failures.** ``MasterError`` and StoreError before the first child is started; afterwards troubles are logged and
/// worked around.
package final class MasterService: ServiceLifecycle.Service {
    private let configuration: ServerConfiguration
    private let store: Store
    private let key: InstanceKey
    private let childOrder: ChildProcess.Order
    private let logger: Logger
    private let patienceSeconds: Int64?

    /// How long a new master waits for the children of the one before: they end when their link closes.
    private static let patienceWithOldChildrenSeconds: Int64 = 30

    /// - Parameter patienceWithChildrenSeconds: how long a child may be without progress beyond the slowest gateway's
    ///   time-out; nil: as long as one may need.
    package init(
        settings: ServerConfiguration, store: Store, key: InstanceKey, childExecutable: String,
        childArguments: [String], logger: Logger, patienceWithChildrenSeconds: Int64? = nil
    ) {
        configuration = settings
        self.store = store
        self.key = key
        childOrder = ChildProcess.Order(executable: childExecutable, arguments: childArguments)
        self.logger = logger
        patienceSeconds = patienceWithChildrenSeconds
    }

    package func run() async throws {
        let loopMail = try Mailbox<LoopEvent>()
        let result = await withTaskCancellationOrGracefulShutdownHandler {
            await DedicatedThread.value(named: "links") { [self] in
                Result { try serve(loopMail) }
            }
        } onCancelOrGracefulShutdown: {
            loopMail.send(.shutDown)
        }
        try result.get()
    }

    /// The master's life, on its own thread: everything that it holds is dropped in order at the end, locks last.
    private func serve(_ loopMail: Mailbox<LoopEvent>) throws {
        // A file that may not grow is a disk that is full, which the store survives: no reason to end.
        signal(SIGXFSZ, SIG_IGN)
        let settings = MasterSettings(
            configuration, childOrder: childOrder, patienceSeconds: patienceSeconds ?? MasterSettings.patienceSeconds)
        let gateways = try GatewaySettings(configuration)
        let lock = try InstanceLock(besideStore: store.path)
        // At once: whoever sees the lock held may ask, and waits for the loop to answer.
        let control = openControl()
        try lock.waitForChildren(atMostSeconds: Self.patienceWithOldChildrenSeconds)

        let readerMail = try Mailbox<StoreReader.Job>()
        let writerMail = try WriterInbox(store: store, loop: loopMail, storms: settings.storms)
        let messages = try store.messageReader()
        let reader = DedicatedThread(named: "store reader") { [store, key] in
            var reader = StoreReader(
                mailbox: readerMail, loop: loopMail, store: store, messages: messages, key: key, gateways: gateways,
                feedbackPeriodSeconds: settings.feedbackPeriodSeconds)
            reader.run()
        }
        let writer = DedicatedThread(named: "store writer") { [store, key, configuration] in
            var writer = StoreWriter(
                inbox: writerMail, pollSeconds: Int64(configuration.mta.master.dataBasePoolPeriodSec),
                quarantine: settings.quarantine, catalogue: store.catalogueWriter(key: key))
            writer.run()
        }
        logger.notice("serving \(store.path)")
        LinkLoop(
            settings: settings, lock: lock, mailbox: loopMail, reader: readerMail, writer: writerMail,
            control: control, logger: logger
        ).run()
        readerMail.send(.stop)
        writerMail.send(.stop)
        reader.join()
        writer.join()
        // What the writer did after the loop had ended.
        for case .feedbackApplied(let lines) in loopMail.take() {
            for line in lines { logger.info("\(line)") }
        }
        // The lock goes last: until then no other master may start.
        withExtendedLifetime(lock) {}
        logger.notice("stopped")
    }

    private func openControl() -> ControlSocket? {
        do { return try ControlSocket(besideStore: store.path) } catch {
            logger.warning("\(error): new work is found by polling, and `status` does not reach this master")
            return nil
        }
    }
}
