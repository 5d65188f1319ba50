package import PushModel
internal import PushStore
package import PushWire

/// An account, or a topic of one, through which nothing goes now: what it is, and why.
package struct AccountHold: View, Equatable {
    package var account: String
    /// `stopped`, `waiting`, `probing` or `stalled`.
    package var state: String
    package var reason: String
    package var secondsUntilProbe: Int?
    /// When the wait ends; probes go out before. nil: it waits for no moment.
    package var until: WallTime?
    /// The topic that waits, while the account works; nil: the account does.
    package var topic: String?
    /// An app that goes through the account, where it was one that asked.
    package var app: String?

    /// nil where the account works.
    package init?(_ account: AccountStatus, app: String? = nil) {
        guard account.state != "working" else { return nil }
        self.account = account.name
        state = account.state
        reason = account.reason
        secondsUntilProbe = account.secondsUntilProbe
        until = account.waitEndsAt
        self.app = app
    }

    package init(_ topic: AccountStatus.Topic, of account: AccountStatus, app: String? = nil) {
        self.account = account.name
        self.topic = topic.name
        state = topic.state
        reason = topic.reason
        secondsUntilProbe = topic.secondsUntilProbe
        self.app = app
    }

    /// A storm that the store knows of, for when no master runs.
    init?(_ name: String, _ trust: AccountTrust?, app: String) {
        guard let since = trust?.stormSince else { return nil }
        account = name
        state = "stopped"
        reason =
            "since \(since.utcText) most of its answers call tokens bad: 'pushmta quarantine storm show' says more"
        self.app = app
    }
}
