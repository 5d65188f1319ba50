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

    /// The app's part of the account, by which answers are judged: apps of one team share its key, and one whose
    /// tokens are all wrong must not hide among the good answers of another.
    /// - Parameter topic: the bundle id that the messages go to; empty if the app has none. Answers to messages of
    ///   one topic are no evidence about another.
    package func part(of app: AppID, topic: String) -> AccountKey {
        let part = rawValue + Self.appWord + "\(app)"
        return AccountKey(rawValue: topic.isEmpty ? part : part + Self.topicWord + topic)
    }

    /// The part for messages to the topic that the app has now.
    package func part(of app: App) -> AccountKey { part(of: app.id, topic: app.settings.bundleID) }

    /// Whether `other` is this account, or an app's part of it.
    package func includes(_ other: AccountKey) -> Bool {
        other == self || other.rawValue.hasPrefix(rawValue + Self.appWord)
    }

    /// The app whose part of an account this is; nil: it is a whole account.
    package var app: AppID? {
        guard let start = rawValue.ranges(of: Self.appWord).last else { return nil }
        let number = rawValue[start.upperBound...].prefix { $0 != " " }
        return Int64(number).map(AppID.init(rawValue:))
    }

    /// The topic of an app's part of an account; nil: it has none.
    package var topic: String? {
        guard app != nil, let start = rawValue.ranges(of: Self.topicWord).last else { return nil }
        return String(rawValue[start.upperBound...])
    }

    /// The patterns, as LIKE takes them, of the marks of the app's parts of accounts, without a topic and with one.
    package static func patterns(of app: AppID) -> (plain: String, ofTopic: String) {
        let ending = "%" + appWord + "\(app)"
        return (ending, ending + topicWord + "%")
    }

    private static let appWord = " app "
    private static let topicWord = " topic "
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

/// The answers of an account to messages that were submitted in a span and are all settled.
package struct AccountAnswers: Equatable, Sendable {
    package var account: AccountKey
    /// Messages that were accepted.
    package var accepted: Int
    /// Messages whose token was rejected.
    package var aboutTokens: Int
    /// Messages that got no answer, if the gateway's acceptances arrive late
    /// (`AccountTerms.acceptancesArriveLate`): most of them were accepted.
    package var unanswered: Int

    package init(account: AccountKey, accepted: Int = 0, aboutTokens: Int = 0, unanswered: Int = 0) {
        self.account = account
        self.accepted = accepted
        self.aboutTokens = aboutTokens
        self.unanswered = unanswered
    }

    package var isEmpty: Bool { accepted == 0 && aboutTokens == 0 && unanswered == 0 }

    package static func += (left: inout Self, right: Self) {
        left.accepted += right.accepted
        left.aboutTokens += right.aboutTokens
        left.unanswered += right.unanswered
    }
}

/// The judgement about the verdicts that are held of an account.
package enum TrustJudgement: Equatable, Sendable {
    /// The evidence does not suffice either way: the verdicts stay held.
    case wait
    /// The account is sound: the verdicts are applied.
    case believe
    /// Everything is wrong: the account stops until an operator has decided.
    case storm
}
