internal import PushOperations

extension SubscriberCounts {
    /// How many are sent to comes first, and stands alone where that is all.
    var text: String {
        disabled + quarantined == 0
            ? String(subscribers) : "\(valid) valid, \(quarantined) quarantined, \(disabled) disabled"
    }

    static func table(_ counts: [SubscriberCounts]) -> TextTable {
        var table = TextTable(
            ["APP", "SUBSCRIBERS", "VALID", "QUARANTINED", "DISABLED"],
            numeric: ["SUBSCRIBERS", "VALID", "QUARANTINED", "DISABLED"])
        for count in counts {
            table.append(
                [count.app]
                    + [count.subscribers, count.valid, count.quarantined, count.disabled].map { "\($0)" })
        }
        return table
    }
}
