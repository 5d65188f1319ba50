internal import PushModel

/// The store's data about a record's token.
struct KnownSubscriber {
    var id: Int64
    /// Whether deliveries leave the subscription out.
    var isExcluded: Bool
    /// Whether the subscription's user has opted out. This also excludes the subscription.
    var isOptedOut: Bool
    /// Whether the store has the same data as the record. If the record has no parameters, the parameters are
    /// not compared.
    var isSame: Bool
    /// The user key in the store, if it differs from the record's; `nil` if it is the same.
    var otherUserKey: String?
}

/// Finds the subscribers of an import's records, a page at a time if each query is a network round trip.
struct SubscriberLookUp {
    private let batch: Batch

    init(_ db: any Session, _ app: AppID) throws {
        batch = try Batch(db, one: HotSQL.findByToken, many: HotSQL.findByTokens)
        batch.bind(app.rawValue, at: 1)
    }

    /// - Returns: One element for each row, in order; `nil` if the store does not know the token.
    func find(_ chunk: SubscriberChunk) throws -> [KnownSubscriber?] { try find(chunk.indices, of: chunk) }

    /// - Returns: One element for each index, in order.
    func find(_ indices: some Collection<Int>, of chunk: SubscriberChunk) throws -> [KnownSubscriber?] {
        var found: [KnownSubscriber?] = []
        found.reserveCapacity(indices.count)
        try batch.rowOfEach(indices) {
            chunk.bindToken(of: $0, to: $1, at: 2)
        } row: { index, row in
            found.append(row.map { Self.known($0, index, of: chunk) })
        }
        return found
    }

    /// The columns are those of ``HotSQL/findByToken``.
    private static func known(_ row: any Statement, _ index: Int, of chunk: SubscriberChunk)
        -> KnownSubscriber
    {
        func equals(_ column: Int32, _ field: SubscriberChunk.Field) -> Bool {
            unsafe chunk.with(field, of: index) { unsafe row.bytes(column).elementsEqual($0) }
        }
        let hasSameKey = equals(1, .userKey)
        let isSame = hasSameKey && (chunk.isEmpty(.parameters, of: index) || equals(2, .parameters))
        let otherUserKey = hasSameKey ? nil : unsafe String(decoding: row.bytes(1), as: UTF8.self)
        let state = row.integer(3)
        return KnownSubscriber(
            id: row.integer(0), isExcluded: state != StateCode.valid,
            isOptedOut: state == StateCode.optedOut, isSame: isSame, otherUserKey: otherUserKey)
    }
}
