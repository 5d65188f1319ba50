internal import PushConnectors
package import PushModel
internal import PushStore
package import PushWire

/// The settings that apply to an application's account, the reasons for them, and the state of the account.
package struct AccountExplanation: View, Equatable {
    package struct Setting: View, Equatable {
        package var setting: String
        package var value: String
        /// Where the value comes from.
        package var why: String
    }

    package struct Credential: View, Equatable {
        /// The time at which the app received the credential; `nil` if it was not recorded.
        package var givenAt: WallTime?
        package var ageDays: Int64?
        /// The time at which the credential expires; `nil` for keys.
        package var notAfter: WallTime?
        /// The number of whole days until the credential expires; negative after it has expired.
        package var daysLeft: Int64?
        /// A warning about an approaching problem; `nil` if there is none.
        package var warning: String?

        /// The warning begins this number of days before the expiry, because a person needs several days to
        /// renew a certificate with Apple.
        private static let warnDays: Int64 = 30

        init(_ order: AccountOrder, given: WallTime?, at now: WallTime) {
            givenAt = given
            ageDays = given.map { max(now.seconds(since: $0), 0) / 86_400 }
            notAfter = Self.end(of: order)
            daysLeft = notAfter.map { Int64((Double($0.seconds(since: now)) / 86_400).rounded(.down)) }
            guard let days = daysLeft, days < Self.warnDays else { return }
            let state = days < 0 ? "has expired" : "expires in \(Numerals.count(Int(days), "day"))"
            warning = "the certificate \(state); renew it with Apple and give the new one to the app"
        }

        /// Returns the time at which the credential expires; `nil` for keys.
        static func end(of order: AccountOrder) -> WallTime? {
            ConnectorCatalogue.end(of: order.credential)
        }
    }

    package struct Answers: View, Equatable {
        /// Whether the gateway has ever accepted a message of the app through this account.
        package var hasAccepted: Bool
        /// Whether answers since the last change of the app's credential, topic or environment have shown
        /// that the app works.
        package var isProved: Bool
        /// The share of dead tokens that is normal for the app, as learned so far.
        package var normalDeadShare: Double
        /// The number of accepted messages since the last decision.
        package var accepted: Int
        /// The number of rejected tokens since the last decision.
        package var aboutTokens: Int
        package var held: Int
        package var stormSince: WallMoment?
        package var firstSeenAt: WallMoment

        init(_ trust: AccountTrust) {
            hasAccepted = trust.hasAccepted
            isProved = trust.evidence.isProved
            normalDeadShare = Double(trust.evidence.deadPerMillion) / 1_000_000
            accepted = trust.evidence.accepted
            aboutTokens = trust.evidence.aboutTokens
            held = trust.waiting
            stormSince = trust.stormSince
            firstSeenAt = trust.firstSeen
        }
    }

    package struct Master: View, Equatable {
        package struct Child: View, Equatable {
            package var pid: Int32
            package var state: String
            package var connections: Int
            /// The number of the child's outstanding messages, for all its accounts.
            package var outstanding: Int
        }

        package var pid: Int32
        package var state: String
        /// The state of the account; `nil` if the account is unknown to the master.
        package var account: AccountStatus?
        /// The children that have served the account.
        package var children: [Child]

        /// - Parameter apps: The apps that the caller can see; `nil` means all apps.
        init(_ master: MasterStatus, mark: AccountKey, showing apps: [String]?) {
            var account = master.accounts.first { $0.mark == mark.rawValue }
            if let apps { account?.hideApps(otherThan: apps) }
            pid = master.pid
            state = master.state
            self.account = account
            children = master.children.filter { account?.children.contains($0.pid) == true }.map {
                Child(pid: $0.pid, state: $0.state, connections: $0.connections, outstanding: $0.outstanding)
            }
        }
    }

    package var app: String
    package var account: String
    package var mark: String
    /// The settings that identify the account, followed by those for its connection.
    package var settings: [Setting]
    package var credential: Credential
    /// The answers of the gateway; `nil` if the app has never received an answer through this account.
    package var answers: Answers?
    /// The running master; `nil` if there is none.
    package var master: Master?

    /// The ``settings`` that identify the account. Their values are too long for a table.
    package var identity: ArraySlice<Setting> { settings.prefix { $0.setting != AccountSettings.firstRow } }
}

extension AccountStatus {
    /// Removes everything that may name other apps than these.
    fileprivate mutating func hideApps(otherThan visible: [String]) {
        let isShared = apps.contains { !visible.contains($0) }
        apps.removeAll { !visible.contains($0) }
        guard isShared else { return }
        topics.removeAll { topic in topic.app.map { !visible.contains($0) } ?? true }
        troubles = []
    }
}
