package import PushModel
internal import PushQueue

/// What a store says of a person beside the rows of the devices: what targets list, how gateways called the
/// messages to them, and what logs keep of devices that were removed.
///
/// **Promises.** Each call is a few short transactions, and says where the next one goes on. What was not finished is
/// found again. No row of a part changes: a message keeps the number of a subscription of which nothing else is
/// known. What a gateway answers afterwards is recorded by that number.
package struct PersonTraces: Sendable {
    let connection: Connection

    /// Subscriptions with this user key that were removed, and that logs know by it.
    package func remembered(_ userKey: String) throws(StoreError) -> [SubscriptionID] {
        guard !userKey.isEmpty else { return [] }
        return try connection.read("find removed subscribers") { db in
            try db.values(
                Int64.self, sql: "SELECT id FROM removed_subscription WHERE user_key = ?1 ORDER BY id",
                arguments: [userKey]
            ).map(SubscriptionID.init(rawValue:))
        }
    }

    // MARK: Targets

    /// A page of what targets list: they are looked through in this order.
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

    /// What is read in one transaction: each lists up to ``StoredTarget/pageSize``.
    private static let pagesPerStep = 20

    /// Puts something that nobody has in the place of these user keys and tokens, wherever a target lists them, and
    /// nothing in the place of what it says of them. So the places of all others stay what a preparation that is
    /// under way takes them for.
    /// - Parameter place: where to go on.
    /// - Returns: how many there were, and where to go on from there; nil: that was all.
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
            // One that cannot be read holds its delivery; what it lists cannot be told.
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

    /// A user key and a token that nobody has, another each time: a target lists each once.
    private static func nobody() -> String {
        "erased-"
            + [0, 1].map { _ in String(UInt64.random(in: 0...(.max)), radix: 16) }.joined(separator: "-")
    }
}
