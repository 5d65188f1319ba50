internal import Dispatch
internal import PushModel

/// Leases of parts in the table `part_lease`. They use a separate connection, which waits for no other
/// writer.
///
/// **The fence:** `channel` is used under `lock`.
final class PostgreSQLLeases: PartLeases, @unchecked Sendable {
    private let place: String
    private let term: HostTerm
    private let channel: PostgreSQLChannel
    private let lock = DispatchSemaphore(value: 1)

    /// The maximum number of parts with due messages that are taken from one app at once.
    private static let duePartsOfApp = 20
    private static let dueParts = 200

    init(place: String, term: HostTerm, channel: PostgreSQLChannel) {
        (self.place, self.term, self.channel) = (place, term, channel)
    }

    func take(_ parts: [PartID]) throws(StoreError) -> Set<PartID> {
        guard !parts.isEmpty else { return [] }
        let list = Self.list(parts.map(\.rawValue))
        return try transaction("take parts") { db, term in
            try db.execute(sql: HotSQL.takeParts, arguments: [term, list])
            let taken = try db.values(
                Int64.self, sql: HotSQL.partsTaken, arguments: [term, list])
            return Set(taken.map(PartID.init(rawValue:)))
        }
    }

    func takeDue(by now: WallTime, except none: [AppID], oneOf few: [AppID]) throws(StoreError) {
        try transaction("take due parts") { db, term in
            _ = try db.execute(
                sql: HotSQL.takeDueParts,
                arguments: [
                    term, now.secondsSince1970, Self.duePartsOfApp, Self.dueParts,
                    Self.list(none.map(\.rawValue)), Self.list(few.map(\.rawValue)),
                ])
        }
    }

    func giveBack(of apps: [AppID]) throws(StoreError) {
        try transaction("return parts") { db, term in
            _ = try db.execute(
                sql: HotSQL.giveBackPartsOfApps,
                arguments: [term, Self.list(apps.map(\.rawValue))])
        }
    }

    func giveBack(unlessDueBy moment: WallTime) throws(StoreError) {
        try transaction("return parts") { db, term in
            _ = try db.execute(
                sql: HotSQL.giveBackPartsNotDue,
                arguments: [term, moment.secondsSince1970])
        }
    }

    var ownTerm: Int64 { term.now ?? 0 }

    func holders(ofDeliveries deliveries: [DeliveryID]) throws(StoreError) -> [DeliveryID: Set<Int64>] {
        try holders(HotSQL.holdersOfDeliveries, deliveries.map(\.rawValue)).reduce(into: [:]) {
            $0[DeliveryID(rawValue: $1.number), default: []].insert($1.term)
        }
    }

    func holders(ofApps apps: [AppID]) throws(StoreError) -> [AppID: Set<Int64>] {
        try holders(HotSQL.holdersOfApps, apps.map(\.rawValue)).reduce(into: [:]) {
            $0[AppID(rawValue: $1.number), default: []].insert($1.term)
        }
    }

    private func holders(
        _ sql: String, _ numbers: [Int64]
    ) throws(StoreError) -> [(number: Int64, term: Int64)] {
        guard !numbers.isEmpty else { return [] }
        return try transaction("find the holders of parts") { db, _ in
            try db.rows(sql: sql, arguments: [Self.list(numbers)]).map {
                (number: try $0[0], term: try $0[1])
            }
        }
    }

    func ended(among deliveries: [DeliveryID]) throws(StoreError) -> [DeliveryID] {
        guard !deliveries.isEmpty else { return [] }
        let list = Self.list(deliveries.map(\.rawValue))
        return try transaction("look for ended deliveries") { db, _ in
            try db.values(
                Int64.self, sql: HotSQL.endedAmong, arguments: [list]
            ).map(DeliveryID.init(rawValue:))
        }
    }

    /// Returns numbers in the form in which the server reads an array.
    private static func list(_ numbers: [Int64]) -> String {
        "{" + numbers.map(String.init).joined(separator: ",") + "}"
    }

    private func transaction<Value>(
        _ what: String, _ body: (any Session, _ term: Int64) throws -> Value
    ) throws(StoreError) -> Value {
        lock.wait()
        defer { lock.signal() }
        do {
            let link = try channel.connected()
            // Before this host has entered the list of hosts, a query uses term 0, which no host has.
            let term = term.now ?? 0
            return try link.transaction(.ownRows) { try body(PostgreSQLSession(link), term) }
        } catch {
            channel.leave(after: error)
            throw StoreError(postgreSQL: error, during: what, place: place)
        }
    }
}
