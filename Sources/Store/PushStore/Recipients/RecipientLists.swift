package import PushModel

/// Writes lists of recipients to the store, and removes them. A list belongs to no delivery until a caller
/// submits a delivery for it.
///
/// **Promises.** No transaction contains more than a few pages. A list without a delivery is removed an hour
/// after the last addition to it, and a list with a delivery once that delivery is prepared
/// (``RetentionKind/lists``).
package struct RecipientListWriter: Sendable {
    let connection: Connection

    /// The maximum size of a transaction: in bytes, not counting its last page, and in pages.
    private static let bytesAtOnce = 1 << 20
    private static let pagesAtOnce = 20
    /// The maximum pause between additions to a list.
    static let patienceSeconds: Int64 = 3_600

    /// Writes a draft to the store. If this fails, no part of the list remains, unless the store accepts no
    /// more writes.
    /// - Parameters:
    ///   - hasVariables: Whether the draft contains variables for any recipient.
    ///   - now: Called repeatedly.
    ///   - pause: Called between transactions. An error that it throws ends the operation.
    package func keep(
        _ draft: RecipientDraft, _ kind: RecipientList.Kind, hasVariables: Bool, at now: () -> WallMoment,
        pause: () throws -> Void
    ) throws -> RecipientList {
        let began = now()
        let number = try connection.write("create a list of recipients") { db in
            try db.insert(
                "INSERT INTO recipient_list (touched_ms) VALUES (?1)", [began.millisecondsSince1970])
        }
        do {
            var page = 0
            while page < draft.pages {
                page = try add(draft, from: page, to: number, hasVariables: hasVariables, at: now())
                try pause()
            }
        } catch {
            try? remove(number)
            throw error
        }
        return RecipientList(number: number, kind: kind, count: draft.count, pages: draft.pages)
    }

    /// - Returns: The number of the next page.
    private func add(
        _ draft: RecipientDraft, from first: Int, to list: Int64, hasVariables: Bool, at now: WallMoment
    ) throws -> Int {
        try connection.write("keep recipients") { db in
            let touched = try db.execute(
                sql: "UPDATE recipient_list SET touched_ms = ?2 WHERE id = ?1",
                arguments: [list, now.millisecondsSince1970])
            guard touched == 1 else { throw StoreError(.unfitTarget(what: Self.gone), path: connection.path) }
            var (number, bytes) = (first, 0)
            while number < first + Self.pagesAtOnce, bytes < Self.bytesAtOnce,
                let page = try draft.page(number)
            {
                let variables: [UInt8]? = hasVariables ? page.variables : nil
                try db.run(
                    sql:
                        """
                        INSERT INTO recipient_page (list_id, page, listed, variables) VALUES (?1, ?2, \
                        ?3, ?4)
                        """,
                    arguments: [list, number, page.listed, variables])
                bytes += page.listed.utf8.count + (variables?.count ?? 0)
                number += 1
            }
            guard number > first else { throw UnreadableValue() }
            return number
        }
    }

    static let gone = "the list of recipients is no longer in the store; submit it again"

    /// Removes a list that belongs to no delivery.
    package func remove(_ list: RecipientList) throws(StoreError) {
        do { try remove(list.number) } catch let error as StoreError { throw error } catch {
            throw StoreError(.unsound(what: "a list of recipients cannot be removed"), path: connection.path)
        }
    }

    private func remove(_ list: Int64) throws {
        while try connection.write(
            "remove recipients",
            { db in
                let isUnused = try db.value(
                    Bool.self, sql: "SELECT delivery_id IS NULL FROM recipient_list WHERE id = ?1",
                    arguments: [list])
                return try isUnused == true && RecipientLists(db: db).removePages(of: list)
            })
        {}
    }
}

/// Lists of recipients, within the caller's transaction.
struct RecipientLists {
    let db: any Session

    /// - Returns: Whether the list is in the store and belonged to no delivery until now.
    func bind(_ list: RecipientList, to delivery: DeliveryID) throws -> Bool {
        let pages = try db.value(
            Int64.self, sql: "SELECT count(*) FROM recipient_page WHERE list_id = ?1",
            arguments: [list.number])
        let changed = try db.execute(
            sql: "UPDATE recipient_list SET delivery_id = ?2 WHERE id = ?1 AND delivery_id IS NULL",
            arguments: [list.number, delivery.rawValue])
        return changed == 1 && pages == Int64(list.pages)
    }

    /// Returns a list that is no longer needed because its delivery has been prepared or ended before it was
    /// prepared, or because no caller submitted a delivery for the list in time. There are few lists at any
    /// time.
    func superfluous(at now: WallMoment) throws -> Int64? {
        let patience = RecipientListWriter.patienceSeconds * 1_000
        return try db.value(
            Int64.self,
            sql: """
                SELECT l.id FROM recipient_list l LEFT JOIN delivery d ON d.id = l.delivery_id
                WHERE (l.delivery_id IS NULL AND l.touched_ms < ?1) OR d.prepared = 1 OR \
                d.\(DeliveryRow.hasEnded)
                ORDER BY l.id LIMIT 1
                """, arguments: [now.millisecondsSince1970 - patience])
    }

    private static let pagesPerStep = 20

    /// Removes some of the list's pages, and finally the list itself.
    /// - Returns: Whether anything is left.
    func removePages(of list: Int64) throws -> Bool {
        let numbers = try db.values(
            Int64.self, sql: "SELECT page FROM recipient_page WHERE list_id = ?1 ORDER BY page LIMIT ?2",
            arguments: [list, Self.pagesPerStep])
        if let last = numbers.last {
            try db.execute(
                sql: "DELETE FROM recipient_page WHERE list_id = ?1 AND page <= ?2", arguments: [list, last])
        }
        guard numbers.count < Self.pagesPerStep else { return true }
        try db.execute(sql: "DELETE FROM recipient_list WHERE id = ?1", arguments: [list])
        return false
    }
}
