internal import PushModel
internal import PushQueue

/// The rows of held-back verdicts, read and written within the caller's transaction. A caller that removes
/// verdicts must lower the account's `waiting` value by the same number.
struct VerdictTable {
    let db: any Session

    // MARK: Holding

    /// - Parameter entries: The entries of one row as returned by ``VerdictRow/cut(_:)``.
    func insert(_ head: VerdictHead, _ entries: ArraySlice<VerdictEntry>) throws {
        let statement = try db.statement(HotSQL.holdVerdicts)
        try bind(entries, to: statement)
        statement.bind(head.account, at: 6)
        statement.bind(head.delivery.rawValue, at: 7)
        statement.bind(head.gravity, at: 8)
        statement.bind(head.reason, at: 9)
        statement.bind(head.decided.millisecondsSince1970, at: 10)
        try statement.run()
    }

    private func bind(_ entries: some RandomAccessCollection<VerdictEntry>, to statement: any Statement)
        throws
    {
        let members = try PartMembers(
            ContiguousArray(entries.map { SubscriptionID(rawValue: $0.subscription) }))
        statement.bind(Int64(entries.count), at: 1)
        statement.bind(entries.first?.subscription, at: 2)
        statement.bind(entries.last?.subscription, at: 3)
        unsafe members.bytes.withUnsafeBytes { unsafe statement.bind(blob: $0, at: 4) }
        if let times = DeadSinceTimes.encode(ContiguousArray(entries.map(\.deadSince))) {
            unsafe times.withUnsafeBytes { unsafe statement.bind(blob: $0, at: 5) }
        } else {
            statement.bindNull(at: 5)
        }
    }

    // MARK: Settling

    /// The oldest rows of an account, up to a maximum number of verdicts.
    struct Page {
        var rows: [VerdictRow] = []
        /// Rows that are not valid.
        var damaged: [DamagedVerdicts] = []
        /// The last row, valid or not; `nil` if there is none.
        var last: Int64?
        /// The number of verdicts, including unreadable ones.
        var count = 0
        /// Whether more rows follow.
        var hasMore = false
    }

    /// - Parameters:
    ///   - last: The last row to include.
    ///   - limit: At least ``VerdictRow/maxVerdicts``.
    func page(of account: Int64, upTo last: Int64 = .max, limit: Int) throws -> Page {
        let statement = try db.statement(HotSQL.heldVerdicts(db.dialect))
        defer { statement.reset() }
        statement.bind(account, at: 1)
        statement.bind(Int64(limit) + 1, at: 2)
        statement.bind(last, at: 3)
        var page = Page()
        while try statement.next() {
            let count = VerdictRow.count(statement.integer(6))
            guard page.count + count <= limit else {
                page.hasMore = true
                break
            }
            page.last = statement.integer(0)
            page.count += count
            do { page.rows.append(try VerdictRow(statement)) } catch { page.damaged.append(error) }
        }
        return page
    }

    /// Deletes an account's rows up to and including this one. The caller updates `waiting`.
    func delete(upTo last: Int64, of account: Int64) throws {
        try db.execute(
            sql: "DELETE FROM held_verdict WHERE account_id = ?1 AND id <= ?2", arguments: [account, last])
    }

    // MARK: Taking verdicts out

    /// Reports whether there are, or seem to be, verdicts about subscriptions in the range. Usually there are
    /// none.
    func mayHave(about range: ClosedRange<Int64>) throws -> Bool {
        try db.value(
            Bool.self, sql: "SELECT EXISTS (\(HotSQL.overlappingRows))", arguments: Self.arguments(range))
            == true
    }

    /// Removes all verdicts about these subscriptions.
    /// - Parameter sorted: Subscriptions in ascending order.
    func remove(about sorted: [Int64]) throws {
        guard let first = sorted.first, let last = sorted.last else { return }
        // Few subscriptions have verdicts, so all rows between the lowest and the highest given subscription
        // are read. If there are more rows than subscriptions, each subscription is looked up individually.
        if let rows = try rows(
            overlapping: first...last, about: sorted, mostSeen: sorted.count + Self.fewRows)
        {
            for row in rows { try take(sorted, from: row) }
            return
        }
        for subscription in sorted { try remove(about: subscription, maxRows: .max) }
    }

    /// Removes the verdicts about a subscription from at most the given number of rows.
    /// - Returns: The number of rows changed.
    @discardableResult
    func remove(about subscription: Int64, maxRows: Int) throws -> Int {
        let rows =
            try rows(overlapping: subscription...subscription, about: [subscription], mostSeen: .max) ?? []
        var taken = 0
        for row in rows where taken < maxRows { taken += try take([subscription], from: row) ? 1 : 0 }
        return taken
    }

    /// Deletes rows about subscriptions of an app without reading their contents.
    func removeRows(about range: ClosedRange<Int64>, limit: Int) throws {
        let found = try db.rows(
            sql: "\(HotSQL.overlappingRows) LIMIT ?4", arguments: Self.arguments(range) + [limit])
        for row in found {
            try db.execute(sql: HotSQL.deleteVerdicts, arguments: [try row["id"] as Int64])
            try lower(by: VerdictRow.count(try row["count"]), of: try row["account_id"])
        }
    }

    /// - Returns: Whether the row had any such verdicts.
    @discardableResult
    private func take(_ sorted: [Int64], from row: VerdictRow) throws -> Bool {
        guard let left = row.without(sorted[...]) else { return false }
        if left.isEmpty {
            try db.execute(sql: HotSQL.deleteVerdicts, arguments: [row.id])
        } else {
            let statement = try db.statement(HotSQL.rewriteVerdicts)
            try bind(left, to: statement)
            statement.bind(row.id, at: 6)
            try statement.run()
        }
        try lower(by: row.entries.count - left.count, of: row.head.account)
        return true
    }

    private func lower(by count: Int, of account: Int64) throws {
        try db.execute(sql: HotSQL.lowerWaiting, arguments: [account, count])
    }

    /// Returns rows that may contain verdicts about these subscriptions. Rows that are not valid are skipped.
    /// - Returns: `nil` if the range contains more than `mostSeen` rows.
    private func rows(
        overlapping range: ClosedRange<Int64>, about sorted: [Int64], mostSeen: Int
    ) throws -> [VerdictRow]? {
        let statement = try db.statement(HotSQL.heldAbout)
        defer { statement.reset() }
        statement.bind(Self.arguments(range))
        var rows: [VerdictRow] = []
        var seen = 0
        while try statement.next() {
            guard seen < mostSeen else { return nil }
            seen += 1
            let (first, last) = (statement.integer(7), statement.integer(8))
            let place = sorted.place(of: first)
            guard place < sorted.count, sorted[place] <= last, let row = try? VerdictRow(statement) else {
                continue
            }
            rows.append(row)
        }
        return rows
    }

    private static func arguments(_ range: ClosedRange<Int64>) -> [any SQLConvertible] {
        let (end, overflow) = range.upperBound.addingReportingOverflow(VerdictRow.widest)
        return [range.lowerBound, range.upperBound, overflow ? .max : end]
    }

    private static let fewRows = 100
}

extension [Int64] {
    /// Returns the position of the first element that is not less than `value`, by binary search. The array
    /// must be sorted.
    func place(of value: Int64) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < value { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
