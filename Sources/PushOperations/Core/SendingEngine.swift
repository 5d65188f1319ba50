package import PushModel
package import PushWire

/// What use cases ask of the sending side, which this room does not see: a command answers through the control socket,
/// the master's own process directly.
package protocol SendingEngine: Sendable {
    /// Whether a master serves the store now.
    var isRunning: Bool { get }

    /// What the master is busy with; nil where none runs.
    func status() throws -> MasterStatus?

    /// Tells the master that the store was changed. It finds out by itself a little later, so a failure is none.
    func nudge()

    /// Where and how a connector's gateway is reached.
    func gateway(of connector: ConnectorName) throws -> GatewayOrder

    /// The account that an app's messages go through, by the name that the master has for it.
    /// - Throws: where the app cannot be addressed, as with a credential of another instance.
    func account(of app: App) throws -> SendingAccount
}

/// An account as the master works it out.
package struct SendingAccount: Sendable {
    package var name: String
    package var mark: AccountMark
    package var order: AccountOrder

    package init(name: String, mark: AccountMark, order: AccountOrder) {
        self.name = name
        self.mark = mark
        self.order = order
    }
}
