package import PushConfig
package import PushModel
package import PushWire

/// The requests that use cases make to the sending side, on which this target does not depend. In a command,
/// they go through the Unix socket of the instance; in the master's own process, they are direct calls.
package protocol SendingEngine: Sendable {
    /// The reason why this process must leave all operations to the running service; `nil` if the process may
    /// perform them itself.
    var refusal: (any Error)? { get }

    /// Whether a master is serving the store now.
    var isRunning: Bool { get }

    /// Returns the master's current status; `nil` if no master is running.
    func status() throws -> MasterStatus?

    /// The number of seconds since the last turn of the master's loop, if the master runs in this process;
    /// `nil` if it does not, or if it is not serving at present. Does not wait.
    var secondsSinceTurn: Double? { get }

    /// Notifies the master that the store was changed. Without the notification, the master detects the
    /// change a little later, so a failure to notify it is not an error.
    func wakeUp()

    /// Notifies the master that a delivery that had ended has messages to send again.
    func reopened(_ delivery: DeliveryID)

    /// Notifies the master that a delivery was paused or continued. The master reads from the store whether
    /// the delivery is paused. Without the notification, it reads this within `dataBasePoolPeriodSec`, so a
    /// failure to notify it is not an error.
    func pauseChanged(_ delivery: DeliveryID)

    /// Makes this account and its refused topics stop waiting: the running master tries the account's gateway
    /// immediately.
    /// - Parameter order: The number of the order that was written to the store to notify the other hosts;
    ///   `nil` if no order was written.
    /// - Throws: If no master can be reached; nothing was changed.
    func resumeAccount(_ mark: AccountKey, order: Int64?) throws

    /// Makes the children return all messages of a delivery that was stopped in the store, and waits until
    /// they have done so. After this method returns, no further request for the delivery begins.
    /// - Returns: The number of requests that have begun but have not been answered; `nil` if no process is
    ///   sending, in which case the caller may end the waiting messages itself.
    /// - Throws: If that number cannot be determined. The delivery remains stopped.
    func withdraw(_ delivery: DeliveryID) throws -> Int?

    /// Reports whether it is possible that a child has this message, which was cancelled in the store. If it
    /// is not possible, no child will get the message.
    /// - Returns: `nil` if no process is sending.
    /// - Throws: If this cannot be determined.
    func maySend(_ message: MessageID) throws -> Bool?

    /// Returns the recent requests of devices to the running service, if that is another process; `nil` if it
    /// is this process, or if no service answers.
    /// - Parameter next: ``SeenDevices/next`` of an earlier answer; 0 if there is none.
    func seenDevices(from next: Int64) -> SeenDevices?

    /// Has a use case carried out by the process that serves the store, if that is another process.
    /// - Parameters:
    ///   - request: ``UseCase/request``.
    ///   - caller: The caller, for the audit trail.
    func carryOut(_ request: ServiceRequest, for caller: String) -> CarriedOut

    /// A mark that identifies this process's build, store and settings. If a command has the same mark as
    /// this process, it makes no difference which of the two carries out an operation. An empty mark equals
    /// no command's mark.
    var mark: String { get }

    /// Counts a use case that was carried out for another process of the instance.
    func noteOperation()

    /// Applies the settings of another file, or the present contents of the same file, according to the rule
    /// of ``LoadedConfiguration`` for changes that need a restart.
    /// - Throws: If the settings cannot be applied; nothing was changed. An implementation that is not the
    ///   engine itself always throws.
    func apply(_ configuration: LoadedConfiguration) throws

    /// Reopens the log files by name, for example after logrotate. Does not wait, and does nothing if this is
    /// not the service's own process.
    func reopenLogs()

    /// Writes to the service's log the result of reloading serverConf.xml, if this is the service's own
    /// process.
    func logReload(_ result: Result<ReloadView, OperationError>)

    /// Stops the service. Children may finish the messages that they have. Does not wait.
    /// - Parameter seconds: A time limit that is shorter than the one in the settings.
    func stop(withinSeconds seconds: Int?)

    /// Writes a warning to the service's log, or to a command's standard error.
    func warn(_ line: String)

    /// Returns the address of a connector's gateway and how the gateway is reached.
    func gateway(of connector: ConnectorName) throws -> GatewayOrder

    /// Returns the account through which an app's messages are sent, with the name that the master uses for
    /// the account.
    /// - Throws: If the app cannot be addressed, for example because its credential is from another instance.
    func account(of app: App) throws -> SendingAccount
}

extension SendingEngine {
    package func maySend(_ message: MessageID) throws -> Bool? { nil }
    package func seenDevices(from next: Int64) -> SeenDevices? { nil }
    package func reopened(_ delivery: DeliveryID) { wakeUp() }
    package func pauseChanged(_ delivery: DeliveryID) { wakeUp() }
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
