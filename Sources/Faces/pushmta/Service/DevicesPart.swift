internal import Logging
internal import PushAPI
internal import PushMaster
internal import PushModel
internal import PushStore
internal import PushSystem
internal import Synchronization

/// The services for devices in a process with a master. They use the master's writer as soon as it exists.
/// While another host sends, they use a separate writer.
final class MasterDevices: ServicePart {
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

    /// The services; `nil` if they are not available yet.
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

    /// The reason why the writer that is used while standing by cannot write; `nil` if it can write, or if
    /// there is no such writer.
    var failure: String? { state.withLock { $0.ofMaster == nil ? $0.standIn?.writer.failure : nil } }

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

/// The services for devices in a process without a master.
final class StandaloneDevices: ServicePart {
    let stages: Set<ServiceStage> = [.owning]
    let drainMilliseconds: Int64 = 5_000
    private let store: Store
    private let operations: @Sendable () -> Operations
    private let logger: Logger
    private let state = Mutex<(writer: DeviceWriter, services: DeviceServices)?>(nil)

    init(_ store: Store, _ logger: Logger, operations: @escaping @Sendable () -> Operations) {
        (self.store, self.logger, self.operations) = (store, logger, operations)
    }

    /// The services; `nil` if they have not started or have ended.
    var now: DeviceServices? { state.withLock { $0?.services } }
    var failure: String? { state.withLock { $0?.writer.failure } }

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
    /// Returns the services for devices in this process.
    func devices(writer: WriteService, _ logger: Logger) throws(StoreError) -> DeviceServices {
        DeviceServices(
            registrations: RegisterDevice(self, writer: writer, report: { logger.warning("\($0)") }),
            hits: try RecordHit(self, writer: writer, report: { logger.notice("\($0)") }))
    }
}
