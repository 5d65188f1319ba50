internal import PushConfig
package import PushModel
internal import PushSchedule
internal import PushStore

/// Verdicts about tokens that wait although there is no storm: no device is disabled until they are applied.
package struct WaitingVerdictsView: View, Equatable {
    /// What the verdicts wait for.
    package enum Cause: String, Codable, Word {
        /// An operator's decision, or enough accepted messages: the account has not shown yet that it works.
        case unproved
        /// Accepted messages, or an operator's decision: the latest answers look as if everything were wrong.
        case contradicted
        /// Further answers, or the time ``WaitingVerdictsView/appliesAt``.
        case undecided
    }

    package static let about = [
        "appliesAt": "when they are applied unless answers contradict them; null: not by the passage of time"
    ]

    /// An app's part of an account, with its credential's mark: a name that ``DecideStorm`` takes.
    package var account: String
    /// Whose subscribers they are about.
    package var apps: [String]
    package var held: Int
    /// When the oldest was given.
    package var since: WallMoment
    package var cause: Cause
    package var appliesAt: WallTime?

    init(_ trust: AccountTrust, since: WallMoment, apps: [String], under rule: StormRule) {
        account = trust.mark.rawValue
        self.apps = apps
        held = trust.waiting
        self.since = since
        switch rule.wait(of: trust.evidence, since: since) {
        case .decision: cause = .unproved
        case .acceptances: cause = .contradicted
        case .time(let time): (cause, appliesAt) = (.undecided, time)
        }
    }

    /// All of a store, or those that came with answers to a delivery.
    static func all(of delivery: DeliveryID? = nil, in operations: Operations) throws -> [Self] {
        let trust = operations.store.trust
        let waiting = try trust.waiting()
        guard !waiting.isEmpty else { return [] }
        let named = try delivery.map { Set(try trust.trusts(with: $0).map(\.mark)) }
        let names = try operations.appNames()
        let rule = StormRule(holdDelaySeconds: Int64(operations.settings.nmac.quarantine.holdDelaySec))
        return waiting.filter { named?.contains($0.trust.mark) ?? true }.map { trust, since in
            WaitingVerdictsView(
                trust, since: since, apps: trust.mark.app.flatMap { names[$0] }.map { [$0] } ?? [],
                under: rule)
        }
    }
}
