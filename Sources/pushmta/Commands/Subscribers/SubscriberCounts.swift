internal import PushModel
internal import PushStore
internal import PushWire

/// How many subscribers an app has, and how many of them deliveries leave out.
struct SubscriberCounts {
    private let app: String
    private let all: Int
    private let disabled: Int
    private let quarantined: Int
    /// What is counted page by page may change between the pages.
    private var valid: Int { max(all - disabled - quarantined, 0) }

    init(of app: App, in store: Store) throws(StoreError) {
        self.app = app.name
        all = try store.subscribers.count(of: app.id)
        let excluded = try store.quarantine.counts(of: app.id)[app.id] ?? QuarantineCounts()
        disabled = excluded.disabled
        quarantined = excluded.quarantined
    }

    /// How many are sent to comes first, and stands alone where that is all.
    var text: String {
        disabled + quarantined == 0 ? String(all) : "\(valid) valid, \(quarantined) quarantined, \(disabled) disabled"
    }

    var json: JSONValue {
        [
            "app": .string(app), "subscribers": .integer(all), "valid": .integer(valid),
            "quarantined": .integer(quarantined), "disabled": .integer(disabled),
        ]
    }

    static func table(_ counts: [SubscriberCounts]) -> TextTable {
        var table = TextTable(
            ["APP", "SUBSCRIBERS", "VALID", "QUARANTINED", "DISABLED"],
            numeric: ["SUBSCRIBERS", "VALID", "QUARANTINED", "DISABLED"])
        for count in counts {
            table.append(
                [count.app] + [count.all, count.valid, count.quarantined, count.disabled].map(Numerals.grouped))
        }
        return table
    }
}
