internal import PushModel
package import PushStore
internal import PushWire

/// Records at a person's request that the person has opted out, or lifts an opt-out. An opt-out is the only
/// state that an operator can set: the other states result from answers of gateways
/// (``AddToQuarantine``, ``ReleaseFromQuarantine``).
package struct SetSubscriberState: ChangingOperation, UseCase {
    package enum State: String, Word {
        case optedOut
        /// Not opted out. A subscriber in quarantine stays there.
        case valid
    }

    package static let name = "subscribers.set"
    package static let operation = Operation(
        .post, "\(ShowSubscribers.path)/state", .admin,
        "Records that a person has opted out, or lifts an opt-out at the person's request, on one device or "
            + "on all of the person's devices.", .lengthy, reach: .services)
    package static let example = #"{"userKey": "anna", "state": "optedOut", "reason": "e-mail of 3 May"}"#
    package static let members: [Member<Self>] = [
        .field(\.who.token, "token", SubscriberName.tokenHelp).secret,
        .field(\.who.userKey, "userKey", SubscriberName.userKeyHelp).secret,
        .field(\.app, "app", "Change only devices of this app."),
        .field(
            \.state, "state",
            "`optedOut` excludes the devices from all deliveries. `valid` lifts this; a device in quarantine "
                + "stays there."),
        .field(
            \.reason, "reason",
            "The reason for the audit trail, in up to \(NameRule.maximumBytes) bytes. It must not contain a "
                + "token or a user key."),
    ]
    package static let alternatives = SubscriberName.alternatives
    package var followUpCommand: String { "subscribers show" }
    /// The text contains neither a token nor a user key.
    package var auditText: AuditText? {
        let place = app.map { "app \($0)" } ?? "all apps"
        return .of("\(who.described) of \(place) to \(state.rawValue)\(reason.map { ": \($0)" } ?? "")")
    }

    private var who = SubscriberName.token("")
    /// The app whose devices are changed; `nil` means every app.
    private var app: String?
    private var state = State.optedOut
    private var reason: String?

    package init() {}

    package init(_ who: SubscriberName, to state: State, app: String? = nil, reason: String? = nil) {
        (self.who, self.state, self.app, self.reason) = (who, state, app, reason)
    }

    package func perform(in operations: Operations) throws -> ChangedSubscribers {
        try check()
        let apps = try operations.appNames(named: app)
        let found = try who.all(of: apps, in: operations).map(\.subscription)
        var changed = ChangedSubscribers()
        for page in found.pages(of: OptOutWriter.subscriptionsPerCall) {
            let step = try operations.store.optOutWriter.set(
                state == .optedOut, of: page, at: operations.clock.moment())
            changed.changed += step.changed
            changed.unchanged += step.unchanged
        }
        guard found.isEmpty else { return changed }
        // A device that was removed keeps its opt-out.
        if state == .valid, case .token(let token) = who {
            for app in apps {
                let token = DeviceToken.spelled(token, for: [app.platform])
                if try operations.store.optOutWriter.lift(token: token, in: app.id) { changed.changed += 1 }
            }
        }
        guard changed.changed > 0 else { throw who.notFoundError(of: app) }
        return changed
    }

    private func check() throws(OperationError) {
        if case .userKey("") = who {
            throw OperationError(.usage, "an empty user key does not identify a person; give a user key")
        }
        guard let reason else { return }
        try NameRule.check(reason, "the reason")
        // The reason appears in the audit trail, which other people read.
        let name = who.text.lowercased()
        guard name.count < 4 || !reason.lowercased().contains(name) else {
            throw .refused("reason: must not contain the \(who.token == nil ? "user key" : "token")")
        }
    }
}

package struct ChangedSubscribers: View, Equatable {
    package static let about = [
        "changed": "devices whose state was changed",
        "unchanged": "devices that had the state already",
    ]

    package var changed = 0
    package var unchanged = 0

    package init() {}
}
