internal import PushMaster
internal import PushModel
internal import PushStore
internal import PushWire

/// An account through which nothing goes now: what it is, why, and what to do.
struct AccountHold: Equatable {
    var account: String
    /// `stopped`, `closed`, `probing` or `stalled`.
    var state: String
    var reason: String
    var secondsUntilProbe: Int?

    /// nil where the account is open.
    init?(_ account: MasterStatus.Account) {
        guard account.state != "open" else { return nil }
        self.account = account.name
        state = account.state
        reason = account.reason
        secondsUntilProbe = account.secondsUntilProbe
    }

    /// A storm that the store knows of, for when no master runs.
    init?(_ name: String, _ trust: AccountTrust?) {
        guard let since = trust?.stormSince else { return nil }
        account = name
        state = "stopped"
        reason = "since \(since.utcText) most of its answers call tokens bad: 'pushmta quarantine storm show' says more"
    }

    /// - Parameter app: one that goes through the account, where it is known.
    func line(app: String? = nil) -> String {
        switch state {
        case "stopped": return "\(account) is stopped: \(reason)"
        case "stalled": return "\(account) is stalled: \(reason)"
        case "probing": return "\(account) is being tried with one message: \(reason)"
        default:
            let next = secondsUntilProbe.map { $0 > 0 ? ", next try in \($0) s" : ", next try now" } ?? ""
            let name = app?.quotedForShell ?? "APP"
            return "\(account) is held back\(next): \(reason); its messages wait, 'pushmta explain \(name)' says more"
        }
    }

    var json: JSONValue {
        [
            "account": .string(account), "state": .string(state), "reason": .string(reason),
            "secondsUntilProbe": secondsUntilProbe.map { .integer($0) } ?? .null,
        ]
    }
}
