package import PushConfig
package import PushModel
package import PushWire

/// What use cases ask of the sending side, which this target does not see: a command answers through the
/// Unix socket of the instance, the master's own process directly.
package protocol SendingEngine: Sendable {
    /// Why this process may perform nothing itself, and leaves all operations to the running service; nil: it may.
    var refusal: (any Error)? { get }

    /// Whether a master serves the store now.
    var isRunning: Bool { get }

    /// What the master is busy with; nil where none runs.
    func status() throws -> MasterStatus?

    /// How long ago the loop of a master in this process turned; nil: there is none, or it does not serve
    /// now. Does not wait.
    var secondsSinceTurn: Double? { get }

    /// Tells the master that the store was changed. It finds out by itself a little later, so a failure is
    /// none.
    func nudge()

    /// Tells the master that a delivery which had ended has messages to be sent.
    func reopened(_ delivery: DeliveryID)

    /// Tells the master that a delivery was paused, or goes on: which of them, it sees in the store. It finds
    /// out by itself within `dataBasePoolPeriodSec`, so a failure is none.
    func pauseChanged(_ delivery: DeliveryID)

    /// Ends the wait of this account and of its refused topics: the running master asks its gateway at once.
    /// - Parameter order: the number under which the store has this for other hosts, which are notified; nil: it has not.
    /// - Throws: if no master can be asked; nothing was changed.
    func resumeAccount(_ mark: AccountKey, order: Int64?) throws

    /// Has children give back what they hold of a delivery that was stopped in the store, and waits for that:
    /// when this returns, no request of it begins any more.
    /// - Returns: how many requests had begun and were not answered; nil: nobody sends, so that whoever asks
    ///   may end what waits himself.
    /// - Throws: where it cannot be told; the delivery stays stopped.
    func withdraw(_ delivery: DeliveryID) throws -> Int?

    /// Whether a child may have this message, which was cancelled in the store: if not, none will get it.
    /// - Returns: nil: nobody sends.
    /// - Throws: if that cannot be found out.
    func maySend(_ message: MessageID) throws -> Bool?

    /// Has a use case carried out by the process that serves the store, if that is another one.
    /// - Parameters:
    ///   - request: ``UseCase/request``.
    ///   - caller: who asks, for the audit trail.
    func carryOut(_ request: ServiceRequest, for caller: String) -> CarriedOut

    /// What a command must have in common with this process, so that it makes no difference which of them carries out
    /// an operation: the build, the store and the settings. Empty: no command has it.
    var mark: String { get }

    /// Counts a use case that was carried out for another process of the instance.
    func noteOperation()

    /// Goes on with the settings of another file, or of the same one as it is now, by
    /// ``LoadedConfiguration``'s own rule of what needs a restart.
    /// - Throws: nothing was changed. Who is not the engine itself always does.
    func apply(_ configuration: LoadedConfiguration) throws

    /// Opens the log files by their names again, as after logrotate. Does not wait, and does nothing if it is not the
    /// service's own process.
    func reopenLogs()

    /// Ends the service: what children have may be finished. Does not wait.
    /// - Parameter seconds: in less time than the settings give.
    func stop(withinSeconds seconds: Int?)

    /// Writes a warning into the service's log, if this is the service's own process.
    func warn(_ line: String)

    /// Where and how a connector's gateway is reached.
    func gateway(of connector: ConnectorName) throws -> GatewayOrder

    /// The account that an app's messages go through, by the name that the master has for it.
    /// - Throws: where the app cannot be addressed, as with a credential of another instance.
    func account(of app: App) throws -> SendingAccount
}

extension SendingEngine {
    package func maySend(_ message: MessageID) throws -> Bool? { nil }
    package func reopened(_ delivery: DeliveryID) { nudge() }
    package func pauseChanged(_ delivery: DeliveryID) { nudge() }
    package func resumeAccount(_ mark: AccountKey, order: Int64?) throws { throw OperationError.noMaster }
    package var secondsSinceTurn: Double? { nil }
    package var refusal: (any Error)? { nil }
    package var mark: String { "" }
    package func noteOperation() {}

    package func apply(_ configuration: LoadedConfiguration) throws { throw OperationError.noMaster }
    package func reopenLogs() {}
    package func warn(_ line: String) {}
    package func stop(withinSeconds seconds: Int?) {}
}

/// An account as the master works it out.
package struct SendingAccount: Sendable {
    package var name: String
    package var mark: AccountKey
    package var order: AccountOrder

    package init(name: String, mark: AccountKey, order: AccountOrder) {
        self.name = name
        self.mark = mark
        self.order = order
    }
}
