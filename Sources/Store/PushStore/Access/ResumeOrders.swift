package import PushModel

/// An operator's order that an account stop waiting and send again at once. The order is a line of the audit
/// trail, where every host that shares the store finds it.
package struct ResumeOrder: Hashable, Sendable {
    /// The number of the audit line. Later orders have greater numbers.
    package var number: Int64
    /// The account's name in the form that the audit trail contains: see ``AuditWriter/text(_:)``.
    package var account: String

    package init(number: Int64, account: String) {
        (self.number, self.account) = (number, account)
    }

    static let action = "account.resume"
}

/// The position up to which a process has read the orders. The first read only records the current position,
/// because an order ends an account's wait, and no account waits yet in a process that has just started.
package struct ResumeOrderPlace: Equatable, Sendable {
    /// The numbers of the last order and of the last line of any kind; `nil` if nothing has been read yet.
    fileprivate var last: (order: Int64, line: Int64)?

    package init() {}

    package static func == (left: Self, right: Self) -> Bool {
        left.last?.order == right.last?.order && left.last?.line == right.last?.line
    }
}

extension AuditWriter {
    /// Orders every host that sends from this store to end the account's wait.
    /// - Parameter account: The account's name.
    package func orderResume(
        of account: String, by who: String, at now: WallMoment
    ) throws(StoreError) -> ResumeOrder {
        try connection.write("write the audit trail") { db in
            // `WorkChange.note` is called first here, whereas other code calls it last. As a result, orders
            // receive their numbers one after the other, in the order of their commits, and a reader that has
            // read one order has read all earlier ones.
            try WorkChange.note(db)
            let number = try Self.note(who: who, action: ResumeOrder.action, what: account, at: now, db)
            return ResumeOrder(number: number, account: Self.text(account))
        }
    }
}

extension AuditReader {
    /// The number of lines before the last line read that each call reads again. Lines that are not orders
    /// receive their numbers before they are committed. Therefore, an order may have a lower number than a
    /// line that was already read, but not a much lower one.
    private static let linesReadAgain: Int64 = 1_000

    /// Returns the orders since the previous call. Must be called when ``WorkReader/changeNumber()`` has
    /// changed.
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

    /// ?1: the number after which lines are read; ?2: the action.
    static let auditOfAction = "SELECT id, what FROM audit WHERE id > ?1 AND action = ?2 ORDER BY id"
}
