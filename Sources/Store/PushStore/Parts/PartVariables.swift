internal import PushModel
internal import PushQueue

/// The values that the target of a delivery supplied for the recipients of a part's messages when the part
/// was created, or with which individually submitted messages were accepted. The values of neighbouring
/// messages of a delivery are stored together in blocks, one row for each block, so that a reader of a few
/// messages does not read the values of all messages. Parts of a delivery whose target supplies no values
/// have no blocks. If the target supplies values, each message is in a block.
struct PartVariables {
    let db: any Session

    /// The limits of a block: the maximum number of messages, and the number of bytes at which no further
    /// message is added.
    static let maxPerBlock = 64
    private static let blockBytes = 32_768

    /// - Parameters:
    ///   - members: The members of the part, in its order.
    ///   - values: The values to which the members refer.
    func insert(_ members: [TargetSelection.Member], of part: PartID, _ values: [[UInt8]]) throws {
        var first = 0
        while first < members.count {
            var (end, bytes) = (first, 0)
            while end < members.count, end - first < Self.maxPerBlock, bytes < Self.blockBytes {
                bytes += members[end].variables(in: values).count
                end += 1
            }
            let some = members[first..<end]
            try insert(
                VariableBlock(some.map { $0.variables(in: values) }), at: first, of: part,
                (some.first?.subscription ?? 0, some.last?.subscription ?? 0))
            first = end
        }
    }

    /// Inserts the values of messages that were submitted individually. Each message has its own block: the
    /// subscriptions of neighbouring messages are not in order, so that a block of several messages would be
    /// read whenever a subscription with a number between theirs is erased.
    func insert(_ devices: [MessageRecipients.Device], of part: PartID) throws {
        for (index, device) in devices.enumerated() {
            let subscription = device.subscription.rawValue
            try insert(
                VariableBlock(CollectionOfOne(device.values)), at: index, of: part,
                (subscription, subscription))
        }
    }

    private func insert(
        _ block: VariableBlock, at first: Int, of part: PartID, _ ends: (first: Int64, last: Int64)
    ) throws {
        try db.run(
            sql: """
                INSERT INTO part_variables (part_id, first_index, count, first_subscription, \
                last_subscription, variables)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                """,
            arguments: [part.rawValue, first, block.count, ends.first, ends.last, block.bytes])
    }

    /// Starts a query for the values of these messages.
    func ask(_ range: ClosedRange<Int>, of part: PartID) throws -> any Statement {
        let statement = try db.statement(HotSQL.variables)
        statement.bind(part.rawValue, at: 1)
        statement.bind(Int64(range.lowerBound - Self.maxPerBlock), at: 2)
        statement.bind(Int64(range.upperBound), at: 3)
        try statement.start()
        return statement
    }

    /// - Throws: ``DamagedPart`` if a message is not in any block. A recipient must not receive values that
    ///   are meant for another recipient.
    func answer(_ range: ClosedRange<Int>, of part: Part, _ statement: any Statement) throws -> Found {
        defer { statement.reset() }
        var found = Found(next: range.lowerBound, first: range.lowerBound)
        do {
            while try statement.next() {
                let block = try VariableBlock(
                    decoding: unsafe Array(statement.bytes(2)), count: Int(statement.integer(1)))
                try found.append(block, from: Int(statement.integer(0)), upTo: range.upperBound)
            }
            guard found.next > range.upperBound else { throw PartDamage(.variables, .count) }
        } catch let damage as PartDamage {
            throw DamagedPart(part.id, of: part.delivery, damage)
        }
        return found
    }

    /// The values of neighbouring messages.
    struct Found {
        fileprivate var next: Int
        fileprivate let first: Int
        private var bytes: [UInt8] = []
        private var ends: ContiguousArray<Int> = []

        fileprivate init(next: Int, first: Int) { (self.next, self.first) = (next, first) }

        fileprivate mutating func append(
            _ block: VariableBlock, from start: Int, upTo last: Int
        ) throws(PartDamage) {
            guard start <= next else { throw PartDamage(.variables, .count) }
            while next <= last, next - start < block.count {
                bytes += block[next - start]
                ends.append(bytes.count)
                next += 1
            }
        }

        /// Appends the values of one message of the range.
        func append(at index: Int, to filling: inout [UInt8]) {
            let place = index - first
            filling += bytes[(place > 0 ? ends[place - 1] : 0)..<ends[place]]
        }
    }

    /// Reports whether any delivery has values for its recipients.
    func exist() throws -> Bool {
        try db.value(Bool.self, sql: "SELECT EXISTS (SELECT 1 FROM part_variables)") ?? false
    }

    /// Erases the values that deliveries have for a subscription.
    /// - Returns: The parts that cannot be read and may still contain such values. No messages of these parts
    ///   are sent, and these parts do not prevent the removal of a person.
    @discardableResult
    func erase(_ subscription: SubscriptionID) throws -> Set<PartID> {
        let app = SubscriptionRange.app(of: subscription.rawValue)
        return try erase(
            [subscription], from: HotSQL.blocksAround, [subscription.rawValue, SubscriptionRange(app).first])
    }

    /// Erases the values that deliveries have for these subscriptions, which all belong to one app. Only
    /// deliveries that have not ended are changed.
    func eraseWaiting(_ subscriptions: Set<SubscriptionID>) throws {
        guard let first = subscriptions.min()?.rawValue, let last = subscriptions.max()?.rawValue else {
            return
        }
        let least = SubscriptionRange(SubscriptionRange.app(of: first)).first
        _ = try erase(subscriptions, from: HotSQL.waitingBlocks(db.dialect), [last, least, first])
    }

    /// - Parameter blocks: A query that returns `part_id` and `first_index`.
    /// - Returns: The parts that cannot be read.
    private func erase(
        _ subscriptions: Set<SubscriptionID>, from blocks: String, _ arguments: [any SQLConvertible]
    ) throws -> Set<PartID> {
        let rows = try db.rows(sql: blocks, arguments: arguments)
        let parts = try Dictionary(grouping: rows) { PartID(rawValue: try $0["part_id"]) }
        var unreadable: Set<PartID> = []
        for (id, rows) in parts.sorted(by: { $0.key < $1.key }) {
            do {
                guard let part = try PartTable(db: db).part(id)?.part else { continue }
                let places = try PartTable(db: db).members(of: part).indices(of: subscriptions)
                for row in rows where !places.isEmpty {
                    let isReadable = try erase(places, from: part, block: try row["first_index"])
                    if !isReadable { unreadable.insert(id) }
                }
            } catch is DamagedPart {
                unreadable.insert(id)
            }
        }
        return unreadable
    }

    /// - Returns: Whether the block can be read.
    private func erase(_ places: ContiguousArray<Int>, from part: Part, block first: Int) throws -> Bool {
        let row = try db.row(
            sql: "SELECT count, variables FROM part_variables WHERE part_id = ?1 AND first_index = ?2",
            arguments: [part.id.rawValue, first])
        guard let row else { return true }
        let (count, bytes): (Int, [UInt8]) = (try row["count"], try row["variables"])
        let own = places.filter { $0 >= first && $0 - first < count }
        guard !own.isEmpty else { return true }
        let block: VariableBlock
        do throws(PartDamage) { block = try VariableBlock(decoding: bytes, count: count) } catch {
            return false
        }
        try db.execute(
            sql: "UPDATE part_variables SET variables = ?3 WHERE part_id = ?1 AND first_index = ?2",
            arguments: [part.id.rawValue, first, block.emptied(at: Set(own.map { $0 - first })).bytes])
        return true
    }
}

extension HotSQL {
    /// ?1 part, ?2 an index after which the first block begins, ?3 the last index.
    static let variables = """
        SELECT first_index, count, variables FROM part_variables
        WHERE part_id = ?1 AND first_index > ?2 AND first_index <= ?3 ORDER BY first_index
        """

    /// ?1 the last of several subscriptions of one app, ?2 the lowest number that a subscription of that app
    /// can have, ?3 the first of the subscriptions. Returns the blocks of open parts that may contain
    /// messages for these subscriptions.
    static func waitingBlocks(_ dialect: SQLDialect) -> String {
        switch dialect {
        case .sqlite:
            """
            SELECT v.part_id, v.first_index FROM part_progress q CROSS JOIN part_variables v
            WHERE q.is_open = 1 AND v.part_id = q.part_id
                AND v.first_subscription BETWEEN ?2 AND ?1 AND v.last_subscription >= ?3
            """
        case .postgreSQL:
            """
            SELECT v.part_id, v.first_index
            FROM (SELECT part_id FROM part_progress WHERE is_open = 1 AND delivery_id > \(-Int64.max)
                    ORDER BY delivery_id, part_id LIMIT \(Int32.max)) AS q
                CROSS JOIN LATERAL (SELECT part_id, first_index FROM part_variables
                    WHERE part_id BETWEEN q.part_id AND q.part_id
                        AND first_subscription BETWEEN ?2 AND ?1 AND last_subscription >= ?3
                    ORDER BY part_id, first_index LIMIT \(Int32.max)) AS v
            """
        }
    }

    /// ?1 subscription, ?2 the lowest number that a subscription of its app can have. Returns the blocks that
    /// may contain a message for it.
    static let blocksAround = """
        SELECT part_id, first_index FROM part_variables
        WHERE first_subscription BETWEEN ?2 AND ?1 AND last_subscription >= ?1
        """
}

/// A filler that extends each recipient's parameters by the values that the delivery's target supplies for
/// that recipient.
struct Filler {
    private let part: Part
    private let range: ClosedRange<Int>
    /// The values; `nil` if the target supplies none or the caller does not request them.
    private let table: PartVariables?
    private var asked: (any Statement)?
    private var found: PartVariables.Found?
    private var filling: [UInt8] = []

    /// Starts the query. ``take()`` waits for the result.
    /// - Parameter indices: The indices of messages, in ascending order.
    init(
        of part: Part, _ indices: ContiguousArray<Int>, _ extent: MessageReader.Extent, _ db: any Session
    ) throws {
        self.part = part
        guard extent.hasVariables, let first = indices.first, let last = indices.last else {
            (table, range) = (nil, 0...0)
            return
        }
        range = first...last
        table = PartVariables(db: db)
        asked = try table?.ask(range, of: part.id)
    }

    mutating func take() throws {
        guard let table, let asked else { return }
        self.asked = nil
        found = try table.answer(range, of: part, asked)
    }

    /// Ends the query without waiting for its result.
    func end() { asked?.reset() }

    /// Whether the target supplies values. Callers check this for each message: without such values, they
    /// need no closure, which would cost an allocation.
    var hasFound: Bool { found != nil }

    /// - Parameter body: Receives the parameters with the values that the target supplies.
    mutating func fill(_ parameters: Span<UInt8>, of index: Int, _ body: (Span<UInt8>) -> Void) {
        guard let found else { return body(parameters) }
        filling.removeAll(keepingCapacity: true)
        unsafe parameters.withUnsafeBufferPointer { unsafe filling.append(contentsOf: $0) }
        found.append(at: index, to: &filling)
        body(filling.span)
    }
}
