package import PushModel

/// An operator's order that ends the wait of an account. It is a line of the audit trail, from which every host that
/// shares the store learns of it.
package struct ResumeOrder: Hashable, Sendable {
    /// Of the audit line; later orders have greater ones.
    package var number: Int64
    /// The account's name, as the audit trail has it: ``AuditWriter/text(_:)``.
    package var account: String

    package init(number: Int64, account: String) {
        (self.number, self.account) = (number, account)
    }

    static let action = "account.resume"
}

/// Up to where a process has read them. The first time it only takes note of what there is: an order ends a wait, and
/// a process that begins has none.
package struct ResumeOrderPlace: Equatable, Sendable {
    /// Of the last order, and of the last line of any kind; nil: not read yet.
    fileprivate var last: (order: Int64, line: Int64)?

    package init() {}

    package static func == (left: Self, right: Self) -> Bool {
        left.last?.order == right.last?.order && left.last?.line == right.last?.line
    }
}

extension AuditWriter {
    /// Orders that an account's wait ends, on every host that sends from this store.
    /// - Parameter account: its name.
    package func orderResume(
        of account: String, by who: String, at now: WallMoment
    ) throws(StoreError) -> ResumeOrder {
        try connection.write("write the audit trail") { db in
            // First, and not last as elsewhere: so orders get their numbers one after the other, in the order of their
            // commits, and whoever has read one has read all before it.
            try WorkChange.note(db)
            let number = try Self.note(who: who, action: ResumeOrder.action, what: account, at: now, db)
            return ResumeOrder(number: number, account: Self.text(account))
        }
    }
}

extension AuditReader {
    /// Lines of other kinds get their numbers before they are committed. So an order may have a lower number than a line
    /// that was read already, but not a much lower one.
    private static let linesReadAgain: Int64 = 1_000

    /// Orders since the last time. To be called when ``WorkReader/changeNumber()`` has changed.
    package func resumeOrders(after place: inout ResumeOrderPlace) throws(StoreError) -> [ResumeOrder] {
        let last = place.last
        let (lastLine, orders) = try connection.read("read the audit trail") { db in
            let lastLine = try db.value(Int64.self, sql: HotSQL.lastAuditLine) ?? 0
            guard let last else { return (lastLine, [ResumeOrder]()) }
            let start = max(last.order, last.line - Self.linesReadAgain)
            let rows = try db.rows(
                sql: HotSQL.auditOfAction, arguments: [start, ResumeOrder.action])
            return (
                lastLine, try rows.map { ResumeOrder(number: try $0["id"], account: try $0["what"]) }
            )
        }
        place.last = (orders.last?.number ?? last?.order ?? lastLine, max(lastLine, last?.line ?? 0))
        return orders
    }
}

extension HotSQL {
    static let lastAuditLine = "SELECT max(id) FROM audit"

    /// ?1 the number behind which, ?2 the action.
    static let auditOfAction = "SELECT id, what FROM audit WHERE id > ?1 AND action = ?2 ORDER BY id"
}
