package import PushConfig
package import PushModel
internal import PushStore
package import PushWire

/// The answer to `status`.
package struct StatusView: View, Equatable {
    /// The store's file.
    package var store: String
    package var running: Bool
    /// Whether this is a rehearsal: every message counts as sent, and none is sent.
    package var verifyMode: Bool
    /// The running master; `nil` if there is none.
    package var master: MasterStatus?
    /// The deliveries that have not ended.
    package var deliveries: [DeliveryView]
    /// The deliveries that are on hold because their rows are damaged.
    package var damaged: [DamagedDeliveryView]
    /// The queues of accounts that have work.
    package var queues: [QueueView]
    /// Waiting verdicts about tokens.
    package var waitingVerdicts: [WaitingVerdictsView] = []
    /// Receivers of events.
    package var webhooks: [WebhookView]
    /// The space that the store uses; `nil` if the store could not be queried.
    package var size: StoreSize?
    /// The hosts that share the store, including this one; empty if the kind of store allows only one host.
    package var hosts: [HostView] = []
    /// The reason why deliveries could not be read from the store, in which case none are shown. `nil` if
    /// they could be read.
    package var storeTrouble: String?
}

extension StatusView {
    /// Creates the status from a master's data, for use if the store itself cannot be read.
    package init(of master: MasterStatus, _ settings: ServerConfiguration, unreadable failure: any Error) {
        self.init(
            store: settings.store.place.name, running: true, verifyMode: settings.mta.verifyMode,
            master: master, deliveries: [], damaged: [], queues: QueueView.all(of: master), webhooks: [],
            storeTrouble: "\(failure)")
    }
}

extension StoreSize: View {}
extension MasterStatus: View {}
extension MasterStatus.Child: View {}
extension MasterStatus.Alarm: View {}
extension MasterStatus.Sending: View {}
extension AccountStatus: View {}
extension AccountStatus.Trouble: View {}
extension AccountStatus.Topic: View {}
