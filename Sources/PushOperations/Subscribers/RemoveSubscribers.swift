internal import PushModel
package import PushStore

/// Removes the devices of one person, or one device. What was sent to them stays in the logs with the user key
/// (``EraseSubscribers`` leaves nothing); what is still to be sent to them ends. A device that registers again is a
/// new subscriber.
package struct RemoveSubscribers: ChangingOperation, DeferredOperation, UseCase {
    package static let name = "subscribers.remove"
    package static let operation = Operation(
        .delete, ShowSubscribers.path, .admin,
        "Removes one device, or all devices of one person; with erase=true also from logs and targets.",
        .lengthy)
    package static let members: [Member<Self>] = [
        .query(\.who.token, "token", SubscriberName.tokenHelp).secret,
        .query(\.who.userKey, "userKey", SubscriberName.userKeyHelp).secret,
        .query(\.app, "app", "Only devices of this app."),
        .query(\.erases, "erase", "Whether logs and targets forget the person, too.", default: false),
    ]
    package static let alternatives = SubscriberName.alternatives
    package static let mayContinue = true
    package var lookAfterwards: String { "subscribers count" }
    /// An erasure has a line of its own.
    package var auditText: AuditText? {
        erases ? nil : .of("\(who.described) of \(app.map { "app \($0)" } ?? "all apps")")
    }

    private var who = SubscriberName.token("")
    /// nil: of every app.
    private var app: String?
    private var erases = false

    package init() {}

    package init(_ who: SubscriberName, app: String? = nil) {
        self.who = who
        self.app = app
    }

    package static func isUnfinished(_ answer: RemovedSubscribers) -> Bool { answer.state == .running }

    package func begin(
        in operations: Operations,
        then: @escaping @Sendable (Result<RemovedSubscribers, OperationError>) -> Void
    ) {
        guard erases else {
            return then(Result { () throws(OperationError) in try operations.carryOut(self) })
        }
        guard app == nil else {
            return then(.failure(OperationError(.usage, "erase=true applies to all apps; leave app out")))
        }
        operations.waits.erasures.erase(who, in: operations) { result in
            switch result {
            case .success(.done(let done)): then(.success(RemovedSubscribers(.done, done)))
            case .success(.running(let progress)): then(.success(RemovedSubscribers(.running, progress)))
            case .failure(let error):
                let error = OperationError(error)
                let nothing = RemovedSubscribers(.done, ErasedSubscribers())
                then(error.kind == .noMatch ? .success(nothing) : .failure(error))
            }
        }
    }

    package func perform(in operations: Operations) throws -> RemovedSubscribers {
        let apps = try operations.apps(named: app)
        let found = try who.all(of: apps, in: operations).map(\.subscription)
        var removed = 0
        for page in found.pages(of: SubscriberRemover.subscriptionsPerCall) {
            removed += try operations.store.subscriberRemover.remove(page, at: operations.clock.moment())
        }
        return RemovedSubscribers(removed: removed)
    }
}

package struct RemovedSubscribers: View, Equatable {
    package enum State: String, Codable, Word { case done, running }

    package static let about = [
        "state": "of an erasure, as the members below; running: the same request again gets the rest",
        "remembered": "devices that had been removed before, and that logs still knew",
        "listed": "places in targets",
        "unreadableParts": "parts of deliveries that may still name the person",
    ]

    package var state: State?
    package var removed: Int
    package var remembered: Int?
    package var listed: Int?
    package var unreadableParts: Int?

    init(removed: Int) { self.removed = removed }

    fileprivate init(_ state: State, _ erased: ErasedSubscribers) {
        (self.state, removed, remembered) = (state, erased.removed, erased.remembered)
        (listed, unreadableParts) = (erased.listed, erased.unreadableParts)
    }
}
