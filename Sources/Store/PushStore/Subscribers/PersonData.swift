package import PushModel
internal import PushQueue

/// The data that a store has about a person in addition to the rows of their devices: entries in targets,
/// gateways' names for messages to the person, and the records that logs keep of removed devices.
///
/// **Promises.** Each call runs a few short transactions and returns the position for the next call. The next
/// search finds unfinished work again. No row of a part changes: a message keeps the number of a subscription
/// about which nothing else is known. A gateway's later answers are recorded under that number.
package struct PersonData: Sendable {
    let connection: Connection

    /// Returns the removed subscriptions to which logs still refer by this user key.
    package func remembered(_ userKey: String) throws(StoreError) -> [SubscriptionID] {
        guard !userKey.isEmpty else { return [] }
        return try connection.read("find removed subscribers") { db in
            try db.values(
                Int64.self, sql: "SELECT id FROM removed_subscription WHERE user_key = ?1 ORDER BY id",
                arguments: [userKey]
            ).map(SubscriptionID.init(rawValue:))
        }
    }

    /// Deletes up to ``optOutsPerStep`` opt-outs of this person, on all devices.
    /// - Returns: Whether more may remain.
    package func eraseOptOuts(of userKey: String) throws(StoreError) -> Bool {
        try connection.write("erase opt-outs") { db in
            let rows = try db.execute(
                sql: """
                    DELETE FROM opt_out WHERE (app_id, mark, person) IN (
                        SELECT app_id, mark, person FROM opt_out WHERE person = ?1 LIMIT ?2)
                    """,
                arguments: [OptOuts.person(userKey), Self.optOutsPerStep])
            return rows == Self.optOutsPerStep
        }
    }

    private static let optOutsPerStep = 1_000

    // MARK: Targets

    /// A page of target entries. Pages are searched in the order of these properties.
    package struct ListedPage: Equatable, Sendable {
        fileprivate var table: Table
        fileprivate var owner: Int64 = 0
        fileprivate var page: Int64 = -1

        package static let first = ListedPage(table: .delivery)
    }

    fileprivate enum Table: String {
        case delivery = "delivery_target"
        case list = "recipient_page"

        var owner: String { self == .delivery ? "delivery_id" : "list_id" }
    }

    /// The number of pages that one transaction reads. Each lists up to ``StoredTarget/pageSize`` entries.
    private static let pagesPerStep = 20

    /// Replaces these user keys and tokens with values that no device has, wherever a target lists them, and
    /// removes their variables. All other entries keep their positions, on which a preparation in progress
    /// relies.
    /// - Parameter place: The position at which to continue.
    /// - Returns: The number of entries that were erased, and the next position, which is `nil` if everything
    ///   has been searched.
    package func eraseListed(
        _ values: Set<ExactText>, after place: ListedPage = .first
    ) throws(StoreError) -> (erased: Int, next: ListedPage?) {
        let step = try connection.read("find a person in targets") { db in
            try Self.pages(with: values, after: place, db)
        }
        var erased = 0
        for page in step.found {
            erased += try connection.write("erase a person from a target") { db in
                try Self.erase(values, from: page, db)
            }
        }
        if step.last == nil, place.table == .delivery { return (erased, ListedPage(table: .list)) }
        return (erased, step.last)
    }

    private static func pages(
        with values: Set<ExactText>, after place: ListedPage, _ db: any Session
    ) throws -> (found: [ListedPage], last: ListedPage?) {
        let statement = try db.statement(
            """
            SELECT \(place.table.owner), page, listed FROM \(place.table.rawValue)
            WHERE (\(place.table.owner), page) > (?1, ?2) ORDER BY 1, 2 LIMIT \(pagesPerStep)
            """)
        defer { statement.reset() }
        statement.bind(place.owner, at: 1)
        statement.bind(place.page, at: 2)
        var found: [ListedPage] = []
        var last: ListedPage?
        while try statement.next() {
            let page = ListedPage(
                table: place.table, owner: statement.integer(0), page: statement.integer(1))
            var texts: Set<ExactText> = []
            let listed = unsafe statement.bytes(2)
            // A page that cannot be read is skipped: its entries cannot be determined, and its delivery is
            // put on hold.
            if TargetExclusions.read(unsafe listed.span, to: &texts), !texts.isDisjoint(with: values) {
                found.append(page)
            }
            last = page
        }
        return (found, last)
    }

    private static func erase(
        _ values: Set<ExactText>, from page: ListedPage, _ db: any Session
    ) throws -> Int {
        let place = "\(page.table.owner) = ?1 AND page = ?2"
        let row = try db.row(
            sql: "SELECT listed, variables FROM \(page.table.rawValue) WHERE \(place)",
            arguments: [page.owner, page.page])
        guard let row else { return 0 }
        var listed = try StoredJSON.decode([String].self, from: try row["listed"])
        let indices = listed.indices.filter { values.contains(ExactText(listed[$0])) }
        guard !indices.isEmpty else { return 0 }
        for index in indices { listed[index] = nobody() }
        let variables = try (row["variables"] as [UInt8]?).map {
            try VariableBlock(decoding: $0, count: listed.count).emptied(at: Set(indices)).bytes
        }
        try db.execute(
            sql: "UPDATE \(page.table.rawValue) SET listed = ?3, variables = ?4 WHERE \(place)",
            arguments: [page.owner, page.page, try StoredJSON.encode(listed), variables])
        return indices.count
    }

    /// Returns a user key or token that no device has. It is different each time, because a target lists each
    /// value once.
    private static func nobody() -> String {
        "erased-"
            + [0, 1].map { _ in String(UInt64.random(in: 0...(.max)), radix: 16) }.joined(separator: "-")
    }
}
