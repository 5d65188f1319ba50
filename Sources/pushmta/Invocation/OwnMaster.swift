internal import PushConfig
internal import PushMaster
internal import PushModel
internal import PushOperations
internal import PushStore
internal import PushSystem
internal import PushWire

/// The sending side as the master's own process has it.
struct OwnMaster: InstanceEngine {
    let handle: MasterHandle
    let store: Store
    let configuration: LoadedConfiguration

    var isRunning: Bool { true }

    func status() throws -> MasterStatus? { handle.status() }

    func nudge() { handle.nudge() }

    func reopened(_ delivery: DeliveryID) { handle.reopened(delivery) }

    /// This is the process that others ask.
    func carryOut(_ request: [UInt8]) -> CarriedOut { .notTaken }
}

extension OperationService {
    /// The use cases, for clients of a master's control socket.
    init?(of master: MasterHandle, in store: Store, _ configuration: LoadedConfiguration) {
        guard let mark = configuration.operationMark(of: store) else { return nil }
        let operations = Operations(
            configuration: configuration, store: store,
            engine: OwnMaster(handle: master, store: store, configuration: configuration),
            clock: .ofTheMachine)
        self.init(mark: mark) { OperationExchange.answer(to: $0, in: operations) }
    }
}

extension OperationsClock {
    static var ofTheMachine: OperationsClock {
        OperationsClock(moment: { Clocks.moment() }, monotonic: { Clocks.monotonic() })
    }
}
