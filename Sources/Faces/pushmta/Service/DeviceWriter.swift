internal import Logging
internal import PushMaster
internal import PushModel
internal import PushStore
internal import PushSystem
internal import Synchronization

/// Writes data from devices while this process does not have the writer of a master. It runs a write service
/// on its own threads. Other processes may write to the same store at the same time.
final class DeviceWriter: Sendable {
    let service: WriteService
    /// The reason why nothing can be written now; `nil` if writing is possible.
    var failure: String? { lastFailure.text.withLock(\.self) }
    private final class LastFailure: Sendable { let text = Mutex<String?>(nil) }
    private let lastFailure: LastFailure
    private let threads: [DedicatedThread]

    /// - Parameter name: The name of this writer in the store. If two writers used the same name, each would
    ///   mistake the other's groups for its own.
    init(_ store: Store, _ logger: Logger, name: String = "web") throws(MasterError) {
        let lastFailure = LastFailure()
        // No judgement is needed here, because only gateways' answers about tokens are judged.
        let service = WriteService(
            store: store, engine: store.writeEngine(name: name), judge: { _ in .wait },
            clock: WriteClock(wall: Clocks.moment)
        ) { event in
            switch event {
            case .failure(let why):
                lastFailure.text.withLock { $0 = why }
                logger.error("the store: \(why); trying again every second")
            case .recovered:
                lastFailure.text.withLock { $0 = nil }
                logger.notice("the store is writable again")
            case .setAside(let why):
                logger.critical(
                    """
                    data that a device sent was skipped, because it cannot be written: \(why); please report \
                    this line and the log before it
                    """)
            case .damaged, .recorded: break
            }
        }
        self.service = service
        self.lastFailure = lastFailure
        let writing = try DedicatedThread(named: "write service") { service.run() }
        do {
            threads = [writing, try DedicatedThread(named: "store answers") { service.callBack() }]
        } catch {
            service.end()
            writing.join()
            throw error
        }
    }

    /// Stops accepting data, and writes everything in the queue.
    /// - Returns: `false` if the queue was not completely written at the deadline.
    func drain(until deadline: MonotonicTime) -> Bool {
        service.hurry(until: deadline)
        service.end()
        return threads.reduce(true) { $1.join(until: deadline.advanced(bySeconds: 1)) && $0 }
    }
}
