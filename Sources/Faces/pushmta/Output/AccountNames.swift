internal import PushAPI
internal import PushModel
internal import PushWire

/// Short names of accounts for terminals, such as `shop-ios#5419`: an app that uses the account, and the
/// first digits of the credential's mark, which distinguish the account from others. `account resume` and
/// `explain` accept them.
struct AccountNames {
    private var labels: [String: String] = [:]
    private var digits = AccountStatus.minMarkDigits
    /// The marks of the accounts that have the same full name, keyed by that name.
    private var marks: [String: [String]] = [:]

    init(_ status: StatusView) {
        for queue in status.queues where !queue.mark.isEmpty { add(queue.account, queue.mark, queue.apps) }
        for account in status.master?.accounts ?? [] { add(account.name, account.mark, account.apps) }
        let hashes = Set(labels.keys.compactMap(Self.hash))
        let longest = hashes.map(\.count).max() ?? 0
        while digits < longest, Set(hashes.map { $0.prefix(digits) }).count < hashes.count { digits += 1 }
    }

    private mutating func add(_ name: String, _ mark: String, _ apps: [String]) {
        if labels[mark] == nil { marks[name, default: []].append(mark) }
        if let first = apps.min() {
            labels[mark] = apps.count > 1 ? "\(first)+\(apps.count - 1)" : first
        } else if labels[mark] == nil {
            labels[mark] = Self.project(name)
        }
    }

    /// Returns the project or team that a full name ends with, for an account that no app uses any longer.
    private static func project(_ name: String) -> String {
        let identity = name.split(separator: " ", maxSplits: 2).last.map(String.init) ?? name
        let parts = identity.split(separator: ":")
        return parts.count > 1 && parts[0] == "project" ? String(parts[1]) : identity
    }

    private static func hash(of mark: String) -> Substring? {
        mark.lastIndex(of: "#").map { mark[mark.index(after: $0)...] }
    }

    /// - Parameter name: The full name, which is returned if the mark is not known.
    func short(_ mark: String, orElse name: String) -> String {
        guard let label = labels[mark], let hash = Self.hash(of: mark) else { return name }
        return "\(label)#\(hash.prefix(digits))"
    }

    /// Returns the line of an alarm. If the alarm is about an account, the account's name is shortened,
    /// unless another account has the same name.
    func line(of alarm: MasterStatus.Alarm) -> String {
        var alarm = alarm
        if let found = marks[alarm.about], found.count == 1 {
            alarm.about = short(found[0], orElse: alarm.about)
        }
        return alarm.line
    }
}

extension PushEnvironment {
    /// A note that follows an app's name where most apps are in production; empty for production.
    var note: String { self == .production ? "" : " (\(rawValue))" }
}
