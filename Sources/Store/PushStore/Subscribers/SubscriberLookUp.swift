internal import PushModel

/// What the store knows of a record's token.
struct KnownSubscriber {
    var id: Int64
    /// Whether deliveries leave it out.
    var isExcluded: Bool
    /// Whether the store says what the record says. One without parameters says nothing of them.
    var isSame: Bool
    /// What the store has instead of the record's user key; nil: the same.
    var otherUserKey: String?
}

/// Finds the subscribers of an import's records, a page at once where each question is a journey.
struct SubscriberLookUp {
    private let batch: Batch

    init(_ db: any Session, _ app: AppID) throws {
        batch = try Batch(db, one: HotSQL.findByToken, many: HotSQL.findByTokens)
        batch.bind(app.rawValue, at: 1)
    }

    /// - Returns: one for each index, in their order; nil: the store does not know the token.
    func find(_ indices: some RandomAccessCollection<UInt32>, of records: [SubscriberRecord]) throws
        -> [KnownSubscriber?]
    {
        var found: [KnownSubscriber?] = []
        found.reserveCapacity(indices.count)
        try batch.rowOfEach(indices) {
            $1.bind(token: records[Int($0)].token, at: 2)
        } row: { index, row in
            found.append(row.map { Self.known($0, records[Int(index)]) })
        }
        return found
    }

    /// Columns are those of ``HotSQL/findByToken``.
    private static func known(_ row: any Statement, _ record: SubscriberRecord) -> KnownSubscriber {
        let hasSameKey = says(row, column: 1, record.userKey)
        let isSame = hasSameKey && (record.parametersJSON.map { says(row, column: 2, $0) } ?? true)
        let otherUserKey = hasSameKey ? nil : unsafe String(decoding: row.bytes(1), as: UTF8.self)
        return KnownSubscriber(
            id: row.integer(0), isExcluded: row.integer(3) != 0, isSame: isSame, otherUserKey: otherUserKey)
    }

    private static func says(_ row: any Statement, column: Int32, _ text: String) -> Bool {
        unsafe row.bytes(column).elementsEqual(text.utf8)
    }
}
