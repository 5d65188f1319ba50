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
    private let app: AppID
    private let single: any Statement
    private let many: (any ArrayStatement)?

    init(_ db: any Session, _ app: AppID) throws {
        self.app = app
        single = try db.statement(HotSQL.findByToken)
        single.bind(app.rawValue, at: 1)
        many = try db.arrayStatement(HotSQL.findByTokens)
    }

    /// - Returns: one for each index, in their order; nil: the store does not know the token.
    func find(_ indices: some RandomAccessCollection<UInt32>, of records: [SubscriberRecord]) throws
        -> [KnownSubscriber?]
    {
        var found: [KnownSubscriber?] = []
        found.reserveCapacity(indices.count)
        guard let many else {
            for index in indices {
                let record = records[Int(index)]
                single.bind(token: record.token, at: 2)
                defer { single.reset() }
                found.append(try single.next() ? Self.known(single, record) : nil)
            }
            return found
        }
        many.bind(app.rawValue, at: 1)
        many.bind(indices.map { records[Int($0)].token }, at: 2)
        defer { many.reset() }
        for index in indices {
            // A row for each token, known or not.
            guard try many.next() else { throw UnreadableValue() }
            found.append(many.isNull(0) ? nil : Self.known(many, records[Int(index)]))
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
