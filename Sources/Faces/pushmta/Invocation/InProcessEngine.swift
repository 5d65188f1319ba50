internal import Logging
internal import PushAPI
internal import PushConfig
internal import PushMaster
internal import PushModel
internal import PushStore
internal import PushSystem
internal import PushWire

/// The sending side within the master's own process.
struct InProcessEngine: InstanceEngine {
    let handle: MasterHandle
    let store: Store
    let configuration: LoadedConfiguration
    let applySettings: @Sendable (LoadedConfiguration) throws -> Void
    let reopen: @Sendable () -> Void
    /// See ``LoadedConfiguration/operationMark(of:)``.
    let mark: String
    let logger: Logger

    var isRunning: Bool { true }

    func status() throws -> MasterStatus? { handle.status() }

    var secondsSinceTurn: Double? { handle.board.secondsSinceTurn }

    func wakeUp() { handle.wakeUp() }

    func reopened(_ delivery: DeliveryID) { handle.reopened(delivery) }

    func pauseChanged(_ delivery: DeliveryID) { handle.pauseChanged(delivery) }

    func resumeAccount(_ mark: AccountKey, order: Int64?) throws { handle.resumeAccount(mark, order: order) }

    func withdraw(_ delivery: DeliveryID) throws -> Int? {
        switch handle.withdraw(delivery) {
        case .done(let inFlight): return inFlight
        case .nobodySends: return nil
        case .unknown: throw OperationError.unconfirmedStop(of: delivery, "the master did not answer in time")
        }
    }

    func maySend(_ message: MessageID) throws -> Bool? {
        switch handle.find(message) {
        case .done(let inFlight): return inFlight > 0
        case .nobodySends: return nil
        case .unknown: throw OperationError.failed("the master did not answer in time")
        }
    }

    /// This process is the one to which other processes send requests, so it does not forward this request.
    func carryOut(_ request: ServiceRequest, for caller: String) -> CarriedOut { .notTaken }

    func noteOperation() { handle.noteOperation() }

    func apply(_ configuration: LoadedConfiguration) throws { try applySettings(configuration) }

    func reopenLogs() { reopen() }

    func logReload(_ result: Result<ReloadView, OperationError>) { logger.logReload(result) }

    func warn(_ line: String) { logger.warning("\(line.printable(atMost: CommandFailure.maxLineLength))") }

    func stop(withinSeconds seconds: Int?) { handle.stop(withinSeconds: seconds.map(Int64.init)) }
}

extension Logger {
    /// Logs the result of reading the configuration file again.
    func logReload(_ result: Result<ReloadView, OperationError>) {
        switch result {
        case .success(let view):
            for line in view.warnings { warning("\(line.printable(atMost: CommandFailure.maxLineLength))") }
            for line in view.lines { notice("\(line.printable(atMost: CommandFailure.maxLineLength))") }
        case .failure(let failure):
            // Each line contains a reason and the advice. As a separate line, the advice would not be written
            // again within a minute, but only counted.
            let advice = failure.lines.last ?? ""
            for line in failure.lines.dropLast() {
                let reason = line.printable(atMost: CommandFailure.maxLineLength)
                error("not reloaded: \(reason); \(advice)")
            }
        }
    }
}

extension OperationsClock {
    static var ofTheMachine: OperationsClock {
        OperationsClock(moment: { Clocks.moment() }, monotonic: { Clocks.monotonic() })
    }
}
