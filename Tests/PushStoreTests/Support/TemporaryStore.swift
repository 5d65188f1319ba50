import FoundationEssentials
import Glibc
import PushModel
import PushStore
import TestSupport
import Testing

/// A store in its own folder, with helpers for most tests. At the end of a test, the counters of every
/// delivery are compared with its rows, values that are stored in two places must be equal, and no
/// transaction may have been long, whether or not the test checks this.
struct TemporaryStore {
    let folder: String
    let place: Store.Place
    let store: Store
    let key: InstanceKey

    init(folder: String, place: Store.Place? = nil, store: Store, key: InstanceKey) {
        self.folder = folder
        self.place = place ?? .sqlite(path: store.path)
        self.store = store
        self.key = key
    }

    var path: String { store.path }
    var writer: CatalogueWriter { store.catalogueWriter(key: key) }

    static let noon = WallMoment(WallTime(secondsSince1970: 1_795_262_400))

    static func with<Value>(
        maximumPages: Int? = nil, _ story: (TemporaryStore) throws -> Value
    ) throws -> Value {
        try TemporaryFolder.with { folder in
            switch TestEngine.current {
            case .sqlite:
                let path = folder + "/var/pushmta.db"
                return try tell(
                    story, .sqlite(path: path), try Store.open(path: path, maximumPages: maximumPages), folder
                )
            case .postgreSQL:
                return try TemporaryDatabase.with { server in
                    let place = Store.Place.postgreSQL(server, instanceFolder: folder + "/var")
                    return try tell(story, place, try Store.open(place), folder)
                }
            }
        }
    }

    private static func tell<Value>(
        _ story: (TemporaryStore) throws -> Value, _ place: Store.Place, _ store: Store, _ folder: String
    ) throws -> Value {
        let fixture = TemporaryStore(folder: folder, place: place, store: store, key: try store.instanceKey())
        let value = try story(fixture)
        #expect(store.inspection.largestWrite <= 5_000)
        try fixture.checkVerdicts()
        for summary in try store.deliveries.list(limit: 5_000) {
            #expect(summary.counts.isBalanced)
            // If the messages of a delivery were removed, only its counts exist.
            if summary.removed != nil { continue }
            #expect(try store.inspection.recount(summary.id) == summary.counts)
            #expect(try store.inspection.agrees(summary.id))
        }
        return value
    }

    /// Opens the store as another process would.
    func reopened(busyTimeoutMilliseconds: Int = 10_000) throws -> Store {
        try Store.open(place, busyTimeoutMilliseconds: busyTimeoutMilliseconds)
    }

    /// Changes the store as another program would.
    func alter(_ sql: String) throws {
        switch place {
        case .sqlite(let path): try PushStoreTests.alter(path, sql)
        case .postgreSQL(let server, _): try TemporaryCluster.shared?.run(sql, in: server.database)
        }
    }

    /// Returns the first column of a query, as another program would read it from the store.
    func query(_ sql: String) throws -> [String] {
        switch place {
        case .sqlite(let path): try PushStoreTests.query(path, sql)
        case .postgreSQL(let server, _): try TemporaryCluster.shared?.run(sql, in: server.database) ?? []
        }
    }

    static func settings(
        _ name: String, platform: Platform = .ios, environment: PushEnvironment = .production,
        integrationKey: String? = nil, identity: String = "TEAM:KEY"
    ) -> AppSettings {
        AppSettings(
            name: name, platform: platform, integrationKey: integrationKey ?? "key-of-\(name)",
            connector: .iosHTTP2,
            environment: environment, bundleID: "com.example.\(name)", credentialIdentity: identity,
            messageIDFormat: .uuid)
    }

    /// Returns an app of the service "neotrips". The service is created if it does not exist.
    func app(_ name: String = "neotrips-ios") throws -> App {
        if try store.catalogue.service(named: "neotrips") == nil {
            _ = try writer.createService(name: "neotrips", label: "Neotrips")
        }
        return try writer.createApp(Self.settings(name), service: "neotrips", credential: nil)
    }

    /// Returns 64 hexadecimal digits that differ for each number and are not sorted.
    static func token(_ number: Int) -> String {
        var word = UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15
        var text = ""
        for _ in 0..<4 {
            word ^= word >> 29
            word = word &* 0xBF58_476D_1CE4_E5B9
            let digits = String(word, radix: 16)
            text += String(repeating: "0", count: 16 - digits.count) + digits
        }
        return text
    }

    /// Adds subscribers `user-1`… with tokens by number.
    @discardableResult
    func subscribe(_ numbers: ClosedRange<Int>, to app: App) throws -> ImportCounts {
        try store.subscriberImporter.upsert(
            numbers.map {
                SubscriberRecord(token: Self.token($0), userKey: "user-\($0)", parametersJSON: nil)
            },
            into: app.id, at: Self.noon)
    }

    /// Returns the registration of a device with the token of this number. Without parameters, it contains
    /// none, so the stored ones remain.
    static func registration(
        _ number: Int, with app: App, user: String = "", parameters: String? = nil,
        device: DeviceFacts = DeviceFacts(), at now: WallMoment = noon
    ) -> RegistrationRecord {
        RegistrationRecord(
            app: app.id, token: token(number), userKey: user, parametersJSON: parameters,
            replacesParameters: parameters != nil, device: device, at: now)
    }

    func order(_ target: Target = .all, apps: [App], _ adjust: (inout DeliveryOrder) -> Void = { _ in })
        -> DeliveryOrder
    {
        var order = DeliveryOrder(
            label: "Spring sale", service: ServiceID(rawValue: 1), apps: apps.map(\.id), target: target,
            schedule: DeliverySchedule(), retry: RetryOverride(), tracking: true,
            contentJSON: Array(#"{"title":"Hello"}"#.utf8))
        adjust(&order)
        return order
    }

    func submit(_ target: Target = .all, apps: [App], _ adjust: (inout DeliveryOrder) -> Void = { _ in })
        throws
        -> DeliveryID
    {
        try store.deliverySubmitter.submit(order(target, apps: apps, adjust), at: Self.noon)
    }

    /// Prepares a delivery completely.
    /// - Returns: Its open parts.
    @discardableResult
    func prepare(_ delivery: DeliveryID, at now: WallMoment = noon) throws -> [Part] {
        var parts: [Part] = []
        for _ in 0..<10_000 {
            let step = try store.preparation.prepareChunk(of: delivery, at: now)
            if let part = step.part { parts.append(part) }
            if step.isComplete { return parts }
        }
        Issue.record("preparation does not end")
        return parts
    }

    /// Makes copies of the store's last delivery, which has one message, without thousands of transactions.
    /// - Returns: The acceptance of the message in each copy.
    func acceptedCopies(_ count: Int, of delivery: DeliveryID) throws -> [OutcomeBatch] {
        let message = try #require(try store.deliveries.log(of: delivery).first).message
        try alter(
            """
            CREATE TEMP TABLE number AS WITH RECURSIVE n (v) AS (VALUES (1) UNION ALL SELECT v + 1 FROM n
                WHERE v < \(count)) SELECT v FROM n;
            CREATE TEMP TABLE d AS SELECT delivery.*, v FROM delivery, number WHERE id = \(delivery);
            UPDATE d SET id = id + v;
            ALTER TABLE d DROP COLUMN v;
            INSERT INTO delivery SELECT * FROM d;
            CREATE TEMP TABLE p AS SELECT part.*, v FROM part, number WHERE delivery_id = \(delivery);
            UPDATE p SET id = id + v, delivery_id = delivery_id + v;
            ALTER TABLE p DROP COLUMN v;
            INSERT INTO part SELECT * FROM p;
            CREATE TEMP TABLE m AS SELECT part_progress.*, v FROM part_progress, number WHERE delivery_id = \(delivery);
            UPDATE m SET part_id = part_id + v, delivery_id = delivery_id + v;
            ALTER TABLE m DROP COLUMN v;
            INSERT INTO part_progress SELECT * FROM m;
            UPDATE numbering SET last_message = last_message + \(count);
            """)
        if case .postgreSQL = place {
            _ = try query(
                "SELECT setval(CAST(pg_get_serial_sequence('delivery', 'id') AS REGCLASS), max(id)) FROM delivery"
            )
        }
        return (1...Int64(count)).map { number in
            var batch = OutcomeBatch(delivery: DeliveryID(rawValue: delivery.rawValue + number))
            batch.accepted = [MessageID(rawValue: message.rawValue + number)]
            return batch
        }
    }

    /// Returns the delivery that is prepared first in a new round.
    func nextToPrepare(at now: WallMoment) throws -> DeliveryID? {
        var turns = PreparationTurns()
        return try store.work.nextToPrepare(at: now, &turns)
    }

    func counts(_ delivery: DeliveryID) throws -> DeliveryCounts {
        try #require(try store.deliveries.summary(of: delivery)).counts
    }

    func state(_ delivery: DeliveryID) throws -> DeliveryState {
        try #require(try store.deliveries.summary(of: delivery)).state
    }

    /// Returns the whole log.
    func log(_ delivery: DeliveryID) throws -> [MessageLogEntry] {
        var entries: [MessageLogEntry] = []
        while true {
            let page = try store.deliveries.log(of: delivery, after: entries.last?.message)
            if page.isEmpty { return entries }
            entries += page
        }
    }

    /// Records that all of these messages were accepted.
    @discardableResult
    func accept(_ messages: [MessageID], of delivery: DeliveryID, at now: WallMoment = noon) throws
        -> RecordResult
    {
        var batch = OutcomeBatch(delivery: delivery)
        batch.accepted = messages
        return try store.outcomes.record([batch], at: now)
    }
}

extension Part {
    var ids: [MessageID] {
        (messages.lowerBound.rawValue...messages.upperBound.rawValue).map(MessageID.init(rawValue:))
    }
}

extension WallMoment {
    func later(seconds: Int64) -> WallMoment { WallMoment(time.advanced(bySeconds: seconds)) }
}

enum TemporaryDatabase {
    /// A database that contains the tables. Every other database is a copy of it.
    private static let template: Result<PostgreSQLServer, any Error>? = TemporaryCluster.shared.map {
        cluster in
        Result {
            let server = try cluster.makeDatabase()
            try TemporaryFolder.with { _ = try Store.open(.postgreSQL(server, instanceFolder: $0)) }
            return server
        }
    }

    static func with<Value>(_ body: (PostgreSQLServer) throws -> Value) throws -> Value {
        let cluster = try #require(TemporaryCluster.shared)
        let server = try cluster.takeCopy(of: try #require(template).get())
        defer { try? cluster.giveBack(server) }
        return try body(server)
    }
}

/// Expects a call to fail with this cause.
func expect(
    _ expected: StoreError.Cause, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) {
    let found = cause(of: body)
    #expect(found == expected, sourceLocation: sourceLocation)
}

/// Returns the cause with which a call fails. Records an issue if it does not fail.
func cause(of body: () throws -> Void) -> StoreError.Cause? {
    do {
        try body()
        Issue.record("nothing was thrown")
        return nil
    } catch let error as StoreError {
        return error.cause
    } catch {
        Issue.record("not a StoreError: \(error)")
        return nil
    }
}
