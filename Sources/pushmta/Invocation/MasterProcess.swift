internal import PushConfig
internal import PushMaster
internal import PushOperations
internal import PushStore
internal import PushWire

/// The sending side as a command reaches it: a master in another process, by its lock and its control socket.
struct MasterProcess: InstanceEngine {
    let store: Store
    let configuration: LoadedConfiguration

    /// Where that cannot be told, a master is assumed: to step aside for one costs little.
    var isRunning: Bool { (try? InstanceLock.isHeld(besideStore: store.instancePath)) ?? true }

    func status() throws -> MasterStatus? { try ControlClient.status(storePath: store.instancePath) }

    func nudge() { ControlClient.nudge(storePath: store.instancePath) }

    func carryOut(_ request: [UInt8]) -> CarriedOut {
        guard let mark = configuration.operationMark(of: store) else { return .notTaken }
        return switch ControlClient.carryOut(request, mark: mark, storePath: store.instancePath) {
        case .answer(let bytes): .answer(bytes)
        case .notTaken: .notTaken
        case .unknown: .unknown
        }
    }
}
