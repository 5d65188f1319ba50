/// The name of an account together with its credential, or of one app's part of such an account. Verdicts
/// about tokens are recorded under this name. The name does not change when the master restarts. It is never
/// a secret, because operators read it.
package struct AccountKey: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
    package var description: String { rawValue }

    /// Creates the key of a whole account. The store contains such keys, so their form must not change.
    /// - Parameters:
    ///   - identity: Empty for the stub connector, which has no credential.
    ///   - credentialMark: A mark that distinguishes a renewed credential from the previous one.
    package init(
        _ connector: ConnectorName, _ environment: PushEnvironment, identity: String, credentialMark: String
    ) {
        rawValue = "\(connector) \(environment.rawValue) \(identity) #\(credentialMark)"
    }

    /// Returns the account's name in `status`, logs and metrics: its key without the mark of the credential.
    package static func accountName(
        _ connector: ConnectorName, _ environment: PushEnvironment, identity: String
    ) -> String {
        "\(connector) \(environment.rawValue)" + (identity.isEmpty ? "" : " \(identity)")
    }

    /// The name of the account that this key belongs to.
    package var accountName: String {
        guard let end = rawValue.lastIndex(of: "#") else { return rawValue }
        var name = rawValue[..<end]
        // Without an identity, the mark follows two spaces.
        while name.last == " " { name.removeLast() }
        return String(name)
    }

    /// Returns the app's part of the account. Answers are judged separately for each part: the apps of a team
    /// share the account's key, and good answers for one app must not hide the fact that all tokens of
    /// another app are wrong.
    /// - Parameter topic: The bundle id to which the messages are sent; empty if the app has none. Answers to
    ///   messages of one topic are not evidence about another topic.
    package func part(of app: AppID, topic: String) -> AccountKey {
        let part = rawValue + Self.appWord + "\(app)"
        return AccountKey(rawValue: topic.isEmpty ? part : part + Self.topicWord + topic)
    }

    /// Returns the part for messages to the app's current topic.
    package func part(of app: App) -> AccountKey { part(of: app.id, topic: app.settings.bundleID) }

    /// Reports whether `other` is this account or an app's part of it.
    package func includes(_ other: AccountKey) -> Bool {
        other == self || other.rawValue.hasPrefix(rawValue + Self.appWord)
    }

    /// The app whose part of an account this is; `nil` for a whole account.
    package var app: AppID? {
        guard let start = rawValue.ranges(of: Self.appWord).last else { return nil }
        let number = rawValue[start.upperBound...].prefix { $0 != " " }
        return Int64(number).map(AppID.init(rawValue:))
    }

    /// The topic of an app's part of an account; `nil` if it has none.
    package var topic: String? {
        guard app != nil, let start = rawValue.ranges(of: Self.topicWord).last else { return nil }
        return String(rawValue[start.upperBound...])
    }

    /// Returns LIKE patterns that match the keys of the app's parts of accounts: one for keys without a
    /// topic, and one for keys with a topic.
    package static func patterns(of app: AppID) -> (plain: String, ofTopic: String) {
        let ending = "%" + appWord + "\(app)"
        return (ending, ending + topicWord + "%")
    }

    private static let appWord = " app "
    private static let topicWord = " topic "
}

/// The meaning of a gateway's answer for a token. A wrong credential makes every token look dead, so a
/// verdict is held back until the account's answers are believed.
package struct TokenVerdict: Equatable, Sendable {
    package enum Gravity: Int64, Sendable, CaseIterable {
        /// The token is quarantined immediately.
        case dead = 2
        /// The verdict counts towards quarantine.
        case suspect = 3
    }
    package var gravity: Gravity
    /// The time since which the token has been dead, if the gateway reports it. A device that registered
    /// later is alive.
    package var deadSince: WallMoment?
    /// The app's part of the account.
    package var account: AccountKey

    package init(gravity: Gravity, deadSince: WallMoment?, account: AccountKey) {
        self.gravity = gravity
        self.deadSince = deadSince
        self.account = account
    }
}

/// An account's answers to the messages that were submitted within one span of time (`AnswerSpans`). All of
/// these messages are settled.
package struct AccountAnswers: Equatable, Sendable {
    package var account: AccountKey
    /// The number of messages that were accepted.
    package var accepted: Int
    /// The number of messages whose token was rejected.
    package var aboutTokens: Int
    /// The number of messages without an answer, if the gateway's acceptances arrive late
    /// (`AccountLimits.acceptancesArriveLate`). Most of these messages were accepted.
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

/// The decision about an account's held-back verdicts.
package enum TrustJudgement: Equatable, Sendable {
    /// The evidence is not sufficient either way. The verdicts remain held back.
    case wait
    /// The account is sound. The verdicts are applied.
    case believe
    /// Everything is wrong. The account stops until an operator has decided.
    case storm
}
