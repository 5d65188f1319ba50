package import PushConfig
package import PushModel
package import PushWire

/// The requests of use cases to the sending side, which this target does not see. In a command, they go
/// through the Unix socket of the instance; in the master's own process, they are direct calls.
package protocol SendingEngine: Sendable {
    /// The reason why this process must leave all operations to the running service; `nil` if the process may
    /// perform them itself.
    var refusal: (any Error)? { get }

    /// Whether a master is serving the store now.
    var isRunning: Bool { get }

    /// Returns the current work of the master; `nil` if no master is running.
    func status() throws -> MasterStatus?

    /// The number of seconds since the last turn of the loop of a master in this process; `nil` if there is
    /// no such master, or if it is not serving now. Does not wait.
    var secondsSinceTurn: Double? { get }

    /// Notifies the master that the store was changed. The master finds out by itself a little later, so a
    /// failure is not an error.
    func nudge()

    /// Notifies the master that a delivery that had ended has messages to send.
    func reopened(_ delivery: DeliveryID)

    /// Notifies the master that a delivery was paused or continued. The master reads from the store whether
    /// the delivery is paused. It finds out by itself within `dataBasePoolPeriodSec`, so a failure is not an
    /// error.
    func pauseChanged(_ delivery: DeliveryID)

    /// Makes this account and its refused topics stop waiting: the running master tries the account's gateway
    /// immediately.
    /// - Parameter order: The number of the order in the store, through which other hosts are notified; `nil`
    ///   if the store does not have the order.
    /// - Throws: If no master can be reached; nothing was changed.
    func resumeAccount(_ mark: AccountKey, order: Int64?) throws

    /// Makes the children return their messages of a delivery that was stopped in the store, and waits until
    /// they have done so. After this returns, no further request of the delivery begins.
    /// - Returns: The number of requests that have begun but have not been answered; `nil` if no process is
    ///   sending, in which case the caller may end the waiting messages itself.
    /// - Throws: If that number cannot be determined; the delivery stays stopped.
    func withdraw(_ delivery: DeliveryID) throws -> Int?

    /// Reports whether a child may have this message, which was cancelled in the store. If not, no child will
    /// get it.
    /// - Returns: `nil` if nothing is sending.
    /// - Throws: If this cannot be determined.
    func maySend(_ message: MessageID) throws -> Bool?

    /// Has a use case carried out by the process that serves the store, if that is another process.
    /// - Parameters:
    ///   - request: ``UseCase/request``.
    ///   - caller: The caller, for the audit trail.
    func carryOut(_ request: ServiceRequest, for caller: String) -> CarriedOut

    /// A mark of the build, the store and the settings. If a command has the same mark as this process, it
    /// makes no difference which of the two carries out an operation. An empty mark equals no command's mark.
    var mark: String { get }

    /// Counts a use case that was carried out for another process of the instance.
    func noteOperation()

    /// Applies the settings of another file, or the present contents of the same file, according to
    /// ``LoadedConfiguration``'s own rule for changes that need a restart.
    /// - Throws: If the settings cannot be applied; nothing was changed. An implementation that is not the
    ///   engine itself always throws.
    func apply(_ configuration: LoadedConfiguration) throws

    /// Reopens the log files by name, for example after logrotate. Does not wait, and does nothing if this is
    /// not the service's own process.
    func reopenLogs()

    /// Writes the result of reading serverConf.xml again into the service's log, if this is the service's own
    /// process.
    func logReload(_ result: Result<ReloadView, OperationError>)

    /// Stops the service. Children may finish the messages that they have. Does not wait.
    /// - Parameter seconds: A time limit that is shorter than the one in the settings.
    func stop(withinSeconds seconds: Int?)

    /// Writes a warning into the service's log, if this is the service's own process.
    func warn(_ line: String)

    /// Returns the address of a connector's gateway and the way in which it is reached.
    func gateway(of connector: ConnectorName) throws -> GatewayOrder

    /// Returns the account that an app's messages go through, under the master's name for it.
    /// - Throws: If the app cannot be addressed, for example because its credential is from another instance.
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
    package func logReload(_ result: Result<ReloadView, OperationError>) {}
    package func warn(_ line: String) {}
    package func stop(withinSeconds seconds: Int?) {}
}

/// An app's account, as the master derives it.
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
