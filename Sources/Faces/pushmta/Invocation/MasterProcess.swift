internal import Logging
internal import PushAPI
internal import PushConfig
internal import PushMaster
internal import PushModel
internal import PushStore
internal import PushWire

/// The sending side as a command sees it: a master in another process, reached through its lock and its Unix
/// socket.
struct MasterProcess: InstanceEngine {
    let store: Store
    let configuration: LoadedConfiguration
    /// The error in the configuration file; `nil` if there is none.
    var refused: ConfigurationError?
    /// The contact with the master, in a process that serves many callers and must not wait for a silent
    /// master. `nil` in a command, which serves one caller and then ends.
    var contact: MasterContact?
    /// Applies changed settings to the work of this process. `nil` if a reload would not change anything in
    /// this process.
    var applySettings: (@Sendable (LoadedConfiguration) throws -> Void)?
    /// The log of a service; `nil` in a command.
    var logger: Logger?

    /// Whether a master is running. If this cannot be determined, the property is `true`, because it does
    /// little harm to assume wrongly that a master is running.
    var isRunning: Bool { (try? InstanceLock.isHeld(forStore: store.instancePath)) ?? true }

    func status() throws -> MasterStatus? {
        guard let contact else { return try LocalClient.status(storePath: store.instancePath) }
        do { return try contact.status() } catch {
            throw OperationError(.unavailable, "\(error); check the master's log, or restart it")
        }
    }

    func wakeUp() {
        if let contact { return contact.wakeUp() }
        if !LocalClient.wakeUp(storePath: store.instancePath) { store.announceChange() }
    }

    func pauseChanged(_ delivery: DeliveryID) {
        if let contact { return contact.pauseChanged(delivery) }
        if !LocalClient.pauseChanged(delivery, storePath: store.instancePath) { store.announceChange() }
    }

    func resumeAccount(_ mark: AccountKey, order: Int64?) throws {
        let order = ResumeAccount(account: mark.rawValue)
        guard try order.perform(there: { carryOut($0, for: nil, mark: nil) }) != nil else {
            if contact?.isSilent == true {
                throw OperationError(
                    .unavailable, "the master does not answer; check its log, or restart it")
            }
            throw OperationError.otherVersion
        }
    }

    func withdraw(_ delivery: DeliveryID) throws -> Int? {
        if isRunning,
            let answer = try WithdrawDelivery(id: delivery).perform(
                there: { carryOut($0, for: nil, mark: nil) })
        {
            return answer.onTheWire
        }
        guard !isRunning else {
            pauseChanged(delivery)
            throw OperationError.unconfirmedStop(of: delivery, "the running master did not accept the order")
        }
        // Children of a master that was killed a moment ago may still be running.
        guard try InstanceLock.waitForChildren(forStore: store.instancePath, atMostSeconds: 10) else {
            throw OperationError.unconfirmedStop(
                of: delivery, "children of an earlier master are still running")
        }
        store.announceChange()
        return nil
    }

    func maySend(_ message: MessageID) throws -> Bool? {
        if isRunning,
            let answer = try FindMessage(number: message).perform(
                there: { carryOut($0, for: nil, mark: nil) })
        {
            return answer.maySend
        }
        guard !isRunning else { throw OperationError.failed("the running master did not answer") }
        guard try InstanceLock.waitForChildren(forStore: store.instancePath, atMostSeconds: 10) else {
            throw OperationError.failed("children of an earlier master are still running")
        }
        return nil
    }

    func seenDevices(from next: Int64) -> SeenDevices? {
        guard isRunning else { return nil }
        // A service that does not answer may answer the next look.
        return try? WatchDevices(next: next).perform(there: { carryOut($0, for: nil, mark: nil) })
    }

    func apply(_ configuration: LoadedConfiguration) throws {
        guard let applySettings else { throw OperationError.noMaster }
        try applySettings(configuration)
    }

    func logReload(_ result: Result<ReloadView, OperationError>) { logger?.logReload(result) }

    func warn(_ line: String) {
        guard let logger else { return StandardError.warn(of: [line]) }
        logger.warning("\(line.printable(atMost: CommandFailure.maxLineLength))")
    }

    var refusal: (any Error)? { refused }

    func carryOut(_ request: ServiceRequest, for caller: String) -> CarriedOut {
        if let refused {
            let outcome = carryOut(request, for: caller, mark: nil)
            if case .answer = outcome { refused.warnOfRefusal() }
            return outcome
        }
        guard let mark = configuration.operationMark(of: store) else { return .notTaken }
        return carryOut(request, for: caller, mark: mark)
    }

    /// - Parameter caller: The caller for whom this process makes the request, if it serves many callers.
    ///   `nil` in a command: the service determines the user itself.
    private func carryOut(_ request: ServiceRequest, for caller: String?, mark: String?) -> CarriedOut {
        contact?.carryOut(request, for: caller, mark: mark)
            ?? LocalClient.carryOut(request, mark: mark, storePath: store.instancePath)
    }
}

extension Instance {
    /// Asks the master that serves this instance to carry out a request, regardless of the instance's
    /// settings and the state of its store. The request must concern the master itself, or must not depend on
    /// settings.
    func askMaster<Request: UseCase>(_ request: Request) throws -> Request.Answer {
        guard try InstanceLock.isHeld(forStore: storePath) else { throw OperationError.noMaster }
        let answer = try request.perform {
            LocalClient.carryOut($0, mark: nil, storePath: storePath)
        }
        guard let answer else { throw OperationError.otherVersion }
        return answer
    }
}
