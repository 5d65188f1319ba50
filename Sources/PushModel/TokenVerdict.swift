/// Names an account together with its credential, the same in every life of the master, or one app's part of
/// it: under which a verdict about a token was given. Never a secret; operators read it.
package struct AccountKey: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
    package var description: String { rawValue }

    /// What `status`, log and metrics call an account: its key without the credential's mark.
    package static func accountName(
        _ connector: ConnectorName, _ environment: PushEnvironment, identity: String
    ) -> String {
        "\(connector) \(environment.rawValue) \(identity)"
    }

    /// The app's part of the account, which answers are judged by: apps of one team share its key, and one
    /// whose tokens are all wrong must not hide among the good answers of another.
    package func part(of app: AppID) -> AccountKey {
        AccountKey(rawValue: rawValue + Self.appWord + "\(app)")
    }

    /// Whether `other` is this account, or an app's part of it.
    package func includes(_ other: AccountKey) -> Bool {
        other == self || other.rawValue.hasPrefix(rawValue + Self.appWord)
    }

    /// How the mark of every app's part of an account ends.
    package static func ending(of app: AppID) -> String { appWord + "\(app)" }

    private static let appWord = " app "
}

/// What a gateway's answer says of a token. A wrong credential makes every token look dead, so a verdict is
/// held until the account that it came through is believed.
package struct TokenVerdict: Equatable, Sendable {
    package enum Gravity: Int64, Sendable, CaseIterable {
        /// Quarantines at once.
        case dead = 2
        /// Counts towards quarantine.
        case suspect = 3
    }
    package var gravity: Gravity
    /// Since when, where the gateway says so: a device that registered later is alive.
    package var deadSince: WallMoment?
    /// The app's part of it.
    package var account: AccountKey

    package init(gravity: Gravity, deadSince: WallMoment?, account: AccountKey) {
        self.gravity = gravity
        self.deadSince = deadSince
        self.account = account
    }
}

/// How many answers of an account accepted a message, and how many called its token bad.
package struct AccountAnswers: Equatable, Sendable {
    package var account: AccountKey
    package var accepted: Int
    package var aboutTokens: Int

    package init(account: AccountKey, accepted: Int = 0, aboutTokens: Int = 0) {
        self.account = account
        self.accepted = accepted
        self.aboutTokens = aboutTokens
    }
}

/// What is made of the verdicts that are held of an account.
package enum TrustJudgement: Equatable, Sendable {
    /// Too few answers to judge by, or none that proves the account: the verdicts stay held.
    case wait
    /// The answers are in order.
    case believe
    /// Most of them call tokens bad: an operator must look.
    case storm
}
