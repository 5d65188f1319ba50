internal import Logging
internal import PushAPI
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

/// What serves devices beside a master: the master's writer as soon as it exists. While another host sends, a writer of
/// its own.
final class DevicesOfMaster: ServicePart {
    private struct State {
        var ofMaster: DeviceServices?
        var standIn: (writer: DeviceWriter, services: DeviceServices)?
    }

    let stages: Set<ServiceStage> = [.standingBy]
    let drainMilliseconds: Int64 = 5_000
    private let service: MasterService
    private let store: Store
    private let running: RunningInstance
    private let logger: Logger
    private let state = Mutex(State())

    init(_ service: MasterService, of store: Store, _ running: RunningInstance, _ logger: Logger) {
        (self.service, self.store, self.running, self.logger) = (service, store, running, logger)
    }

    /// nil: not yet.
    var now: DeviceServices? {
        state.withLock { state in
            if state.ofMaster == nil {
                state.ofMaster = service.writeService.flatMap {
                    try? running.operations.devices(writer: $0, logger)
                }
            }
            return state.ofMaster ?? state.standIn?.services
        }
    }

    /// Why the writer for the time of standing by cannot write; nil: it can, or there is none.
    var trouble: String? { state.withLock { $0.ofMaster == nil ? $0.standIn?.writer.trouble : nil } }

    func start() throws {
        guard let host = try store.hostRegister()?.host else { return }
        let writer = try DeviceWriter(store, logger, name: "web \(host)")
        let services = try running.operations.devices(writer: writer.service, logger)
        state.withLock { $0.standIn = (writer, services) }
    }

    func drain(until deadline: MonotonicTime) -> Bool {
        state.withLock(\.standIn)?.writer.drain(until: deadline) ?? true
    }

    func stop() {}
}

/// What serves devices where no master is in the process.
final class DevicesAlone: ServicePart {
    let stages: Set<ServiceStage> = [.owning]
    let drainMilliseconds: Int64 = 5_000
    private let store: Store
    private let operations: @Sendable () -> Operations
    private let logger: Logger
    private let state = Mutex<(writer: DeviceWriter, services: DeviceServices)?>(nil)

    init(_ store: Store, _ logger: Logger, operations: @escaping @Sendable () -> Operations) {
        (self.store, self.logger, self.operations) = (store, logger, operations)
    }

    /// nil: it has not started, or has ended.
    var now: DeviceServices? { state.withLock { $0?.services } }
    var trouble: String? { state.withLock { $0?.writer.trouble } }

    func start() throws {
        let writer = try DeviceWriter(store, logger)
        let services = try operations().devices(writer: writer.service, logger)
        state.withLock { $0 = (writer, services) }
    }

    func drain(until deadline: MonotonicTime) -> Bool {
        state.withLock { $0?.writer }?.drain(until: deadline) ?? true
    }

    func stop() { state.withLock { $0 = nil } }
}

extension Operations {
    /// The services for devices in this process.
    func devices(writer: WriteService, _ logger: Logger) throws(StoreError) -> DeviceServices {
        DeviceServices(
            registrations: RegisterDevice(self, writer: writer, report: { logger.warning("\($0)") }),
            hits: try RecordHit(self, writer: writer))
    }
}
