internal import PushConnectors
package import PushModel
internal import PushStore
package import PushWire

/// Which settings hold for an application's account and why, and how it does.
package struct AccountExplanation: View, Equatable {
    package struct Setting: View, Equatable {
        package var setting: String
        package var value: String
        /// The place that it comes from.
        package var why: String
    }

    package struct Credential: View, Equatable {
        /// When the app got it; nil: it was not noted.
        package var givenAt: WallTime?
        package var ageDays: Int64?
        /// When it ends by itself; nil for keys.
        package var notAfter: WallTime?
        /// Whole days; negative once it has ended.
        package var daysLeft: Int64?
        /// What will soon be in the way; nil: nothing.
        package var warning: String?

        /// Apple's renewal takes a person some days.
        private static let warnDays: Int64 = 30

        init(_ order: AccountOrder, given: WallTime?, at now: WallTime) {
            givenAt = given
            ageDays = given.map { max(now.seconds(since: $0), 0) / 86_400 }
            notAfter = Self.end(of: order)
            daysLeft = notAfter.map { Int64((Double($0.seconds(since: now)) / 86_400).rounded(.down)) }
            guard let days = daysLeft, days < Self.warnDays else { return }
            let state = days < 0 ? "has ended" : "ends in \(Numerals.count(Int(days), "day"))"
            warning = "the certificate \(state): renew it with Apple and give the app the new one"
        }

        /// When the credential ends by itself; nil for keys.
        static func end(of order: AccountOrder) -> WallTime? {
            ConnectorCatalogue.end(of: order.credential)
        }
    }

    package struct Answers: View, Equatable {
        /// Whether it ever had a message accepted.
        package var hasAccepted: Bool
        /// Whether its answers have shown that it works since its credential, topic or environment last changed.
        package var isProved: Bool
        /// The share of dead tokens that is normal for the app, as learned so far.
        package var normalDeadShare: Double
        /// Since the last decision.
        package var accepted: Int
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
            /// Of all its accounts.
            package var outstanding: Int
        }

        package var pid: Int32
        package var state: String
        /// nil where the master has not met it.
        package var account: AccountStatus?
        /// Those that have served the account.
        package var children: [Child]

        init(_ master: MasterStatus, mark: AccountKey) {
            let account = master.accounts.first { $0.mark == mark.rawValue }
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
    /// Who it is first, then how it is spoken to.
    package var settings: [Setting]
    package var credential: Credential
    /// nil: the app never had one through this account.
    package var answers: Answers?
    /// nil where no master runs.
    package var master: Master?

    /// Those of ``settings`` that say who it is: long names that have no place in a table.
    package var identity: ArraySlice<Setting> { settings.prefix { $0.setting != AccountSettings.firstRow } }
}
