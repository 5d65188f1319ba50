package import PushModel

/// The possible ids of an app's subscriptions. They are one contiguous range, so selecting all subscriptions
/// of an app needs no index.
struct SubscriptionRange {
    static let sequenceBits: Int64 = 40

    private let app: AppID
    init(_ app: AppID) { self.app = app }

    var first: Int64 { app.rawValue << Self.sequenceBits | 1 }
    var last: Int64 { beforeFirst | ((1 << Self.sequenceBits) - 1) }
    /// The id before the first one in the range.
    var beforeFirst: Int64 { app.rawValue << Self.sequenceBits }

    static func app(of subscription: Int64) -> AppID { AppID(rawValue: subscription >> sequenceBits) }

    func id(sequence: Int64) -> Int64 { beforeFirst | sequence }
}

extension SubscriptionID {
    /// The app with which the device is registered.
    package var app: AppID { SubscriptionRange.app(of: rawValue) }
}

extension Set<SubscriptionID> {
    var byApp: [AppID: Self] { Dictionary(grouping: self, by: \.app).mapValues(Set.init) }
}
