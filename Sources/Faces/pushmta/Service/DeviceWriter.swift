internal import Logging
internal import PushMaster
internal import PushModel
internal import PushStore
internal import PushSystem
internal import Synchronization

/// Writes what devices send where no master is in the process: a write service with threads of its own, which
/// shares the store with whoever else writes to it.
final class DeviceWriter: Sendable {
    let service: WriteService
    /// Why nothing can be written now; nil: it can.
    var trouble: String? { lastTrouble.text.withLock(\.self) }
    private final class Trouble: Sendable { let text = Mutex<String?>(nil) }
    private let lastTrouble: Trouble
    private let threads: [DedicatedThread]

    /// - Parameter name: of this writer in the store: two that wrote by one name would take the other's groups
    ///   for their own.
    init(_ store: Store, _ logger: Logger, name: String = "web") throws(MasterError) {
        let lastTrouble = Trouble()
        // Nothing that devices send is an answer about a token, which alone is judged.
        let service = WriteService(
            store: store, engine: store.writeEngine(name: name), judge: { _ in .wait },
            clock: WriteClock(wall: Clocks.moment)
        ) { event in
            switch event {
            case .trouble(let why):
                lastTrouble.text.withLock { $0 = why }
                logger.error("the store: \(why); trying again every second")
            case .recovered:
                lastTrouble.text.withLock { $0 = nil }
                logger.notice("the store can be written again")
            case .setAside(let why): logger.critical("what a device sent could not be written: \(why)")
            case .damaged, .recorded: break
            }
        }
        self.service = service
        self.lastTrouble = lastTrouble
        let writing = try DedicatedThread(named: "write service") { service.run() }
        do {
            threads = [writing, try DedicatedThread(named: "store answers") { service.callBack() }]
        } catch {
            service.end()
            writing.join()
            throw error
        }
    }

    /// Accepts nothing new, and writes what is queued.
    /// - Returns: false: something was not written at the deadline.
    func drain(until deadline: MonotonicTime) -> Bool {
        service.hurry(until: deadline)
        service.end()
        return threads.reduce(true) { $1.join(until: deadline.advanced(bySeconds: 1)) && $0 }
    }
}
