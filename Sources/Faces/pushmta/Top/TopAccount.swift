internal import PushAPI
internal import PushModel
internal import PushWire

/// A row of `top` for an account: its condition, its waiting messages and its latest trouble.
struct TopAccount {
    static let headings =
        [
            "ACCOUNT", "STATE", "PER SECOND", "PENDING", "RETRYING", "PAUSED", "OLDEST", "ERRORS",
            "LIMITED BY", "LAST REASON",
        ]
    static let numbers = ["PER SECOND", "PENDING", "RETRYING", "PAUSED", "OLDEST", "ERRORS"]

    /// The steps that make the table narrower.
    static let narrowing: [TextTable.Narrowing] = [
        .shorten("LAST REASON", to: 24), .drop("PAUSED"), .drop("OLDEST"), .shorten("ACCOUNT", to: 20),
        .drop("RETRYING"), .shorten("LAST REASON", to: 12), .shorten("ACCOUNT", to: 12),
    ]

    /// The account's short name.
    private var name: String
    private var account: AccountStatus?
    private var queue: QueueView?

    /// Returns the accounts that have work or something to report. Accounts that do not work come first, then
    /// the busiest.
    static func all(of status: StatusView, _ names: AccountNames) -> [TopAccount] {
        let accounts = status.master?.accounts ?? []
        let queues = Dictionary(status.queues.map { ($0.mark, $0) }, uniquingKeysWith: { first, _ in first })
        let known = Set(accounts.map(\.mark))
        let rows =
            accounts.map {
                TopAccount(name: names.short($0.mark, orElse: $0.name), account: $0, queue: queues[$0.mark])
            }
            // These are accounts whose messages have not been granted yet.
            + status.queues.filter { !known.contains($0.mark) }
            .map { TopAccount(name: names.short($0.mark, orElse: $0.account), account: nil, queue: $0) }
        return rows.filter(\.isOfInterest).sorted { one, other in
            if one.works != other.works { return other.works }
            if one.perSecond != other.perSecond { return one.perSecond > other.perSecond }
            if one.waiting != other.waiting { return one.waiting > other.waiting }
            return one.name < other.name
        }
    }

    private var works: Bool { account.map { $0.state == "working" } ?? true }
    private var perSecond: Double { account?.answersPerSecond ?? queue?.answersPerSecond ?? 0 }
    private var waiting: Int { (queue?.pending ?? 0) + (queue?.retrying ?? 0) }
    private var isOfInterest: Bool {
        queue != nil || !works || perSecond > 0 || account?.troubles.isEmpty == false
    }
    private var errors: Int { account?.troubles.reduce(0) { $0 + $1.count } ?? 0 }

    /// The reason why the account is on hold, or otherwise its last error.
    private var lastReason: String {
        guard let account else { return "" }
        return works ? account.troubles.first?.text ?? "" : account.reason
    }

    var cells: [String] {
        [
            name, account?.state ?? "-", StatusView.tenths(perSecond), "\(queue?.pending ?? 0)",
            "\(queue?.retrying ?? 0)", "\(queue?.paused ?? 0)",
            queue?.oldestSeconds.map { StatusView.duration($0) } ?? "-", "\(errors)",
            account?.limitedBy?.name ?? "-", lastReason,
        ]
    }
}
