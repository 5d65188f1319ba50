internal import PushModel
internal import PushStore

/// The stage's own store, with one app and at most one delivery.
struct StageStore {
    static let noon = WallMoment(WallTime(secondsSince1970: 1_795_262_400))
    /// The first delivery of a new store.
    static let delivery = DeliveryID(rawValue: 1)
    private static let appName = "neotrips-ios"

    let store: Store

    init(_ folder: String) throws { store = try Store.open(path: folder + "/pushmta.db") }

    /// Creates an app with the given number of subscribers.
    func subscribe(_ count: Int) throws -> App {
        let writer = store.catalogueWriter(key: try store.instanceKey())
        _ = try writer.createService(name: "neotrips", label: "Neotrips")
        let settings = AppSettings(
            name: Self.appName, platform: .ios, integrationKey: "key", connector: .iosHTTP2,
            environment: .production, bundleID: "com.example.app", credentialIdentity: "TEAM:KEY",
            messageIDFormat: .uuid)
        let app = try writer.createApp(settings, service: "neotrips", credential: nil)
        let records = (0..<count).map {
            SubscriberRecord(token: Self.token($0), userKey: Self.userKey($0), parametersJSON: nil)
        }
        _ = try store.subscriberImporter.upsert(records, into: app.id, at: Self.noon)
        return app
    }

    func app() throws -> App {
        guard let app = try store.catalogue.app(named: Self.appName) else {
            throw StageError("the store has no app: run the stage with --fill first")
        }
        return app
    }

    func submitToAll(_ app: App) throws {
        let order = DeliveryOrder(
            label: "Spring sale", service: ServiceID(rawValue: 1), apps: [app.id], target: .all,
            schedule: DeliverySchedule(), retry: RetryOverride(), tracking: true,
            contentJSON: Array(#"{"title":"Hello"}"#.utf8))
        let delivery = try store.deliverySubmitter.submit(order, at: Self.noon)
        guard delivery == Self.delivery else { throw StageError("the store is not empty") }
    }

    func counts() throws -> DeliveryCounts {
        guard let summary = try store.deliveries.summary(of: Self.delivery) else {
            throw StageError("the store has no delivery: run the stage with --fill first")
        }
        return summary.counts
    }

    static func userKey(_ number: Int) -> String { "user-\(number)" }

    /// Returns 64 hexadecimal digits. Tokens differ for each number and are not sorted by number.
    static func token(_ number: Int) -> String {
        var word = UInt64(number) &* 0x9E37_79B9_7F4A_7C15
        var text = ""
        for _ in 0..<4 {
            word = (word ^ word >> 29) &* 0xBF58_476D_1CE4_E5B9
            let digits = String(word, radix: 16)
            text += String(repeating: "0", count: 16 - digits.count) + digits
        }
        return text
    }
}
