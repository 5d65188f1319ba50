package import PushConfig
package import PushModel
internal import PushStore
package import PushWire

/// What `status` shows.
package struct StatusView: View, Equatable {
    /// The store's file.
    package var store: String
    package var running: Bool
    /// A rehearsal: every message counts as sent and none is.
    package var verifyMode: Bool
    /// nil where none runs.
    package var master: MasterStatus?
    /// Those that have not ended.
    package var deliveries: [DeliveryView]
    /// Those that are held because their rows are damaged.
    package var damaged: [DamagedDeliveryView]
    /// Of accounts that have something to do.
    package var queues: [QueueView]
    /// Verdicts about tokens that wait.
    package var waitingVerdicts: [WaitingVerdictsView] = []
    /// Receivers of events.
    package var webhooks: [WebhookView]
    /// What the store takes; nil where it could not be asked.
    package var size: StoreSize?
    /// Those that share the store, this one too; none where it is one host's by its nature.
    package var hosts: [HostView] = []
    /// Why the store could not be asked for deliveries: nothing is said of them then. nil: it was.
    package var storeTrouble: String?
}

extension StatusView {
    /// What a master says where the store itself cannot be read.
    package init(of master: MasterStatus, _ settings: ServerConfiguration, unreadable trouble: any Error) {
        self.init(
            store: settings.store.place.name, running: true, verifyMode: settings.mta.verifyMode,
            master: master, deliveries: [], damaged: [], queues: QueueView.all(of: master), webhooks: [],
            storeTrouble: "\(trouble)")
    }
}

extension StoreSize: View {}
extension MasterStatus: View {}
extension MasterStatus.Child: View {}
extension MasterStatus.Alarm: View {}
extension AccountStatus: View {}
extension AccountStatus.Trouble: View {}
extension AccountStatus.Topic: View {}
