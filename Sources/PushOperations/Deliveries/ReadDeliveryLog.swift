package import PushModel
internal import PushStore

/// What became of each message of a delivery, in the order in which they were prepared. A running delivery's
/// log is a snapshot page by page.
package struct ReadDeliveryLog: Sendable {
    package var id: DeliveryID
    /// Only messages to this user; nil: all.
    package var userKey: String?

    package init(id: DeliveryID, userKey: String? = nil) {
        self.id = id
        self.userKey = userKey
    }

    /// Where messages of it cannot be read, the others are given and the error says how many are missing.
    /// - Parameter take: is given the rows, page by page.
    package func perform(
        in operations: Operations, take: ([MessageLogRow]) throws -> Void
    ) throws(OperationError) {
        do {
            let store = operations.store
            try requireMessages(operations)
            let isTracked = try store.deliveries.delivery(id)?.order.tracking ?? false
            let cipher = isTracked ? MessageIDCipher(key: try operations.key()) : nil
            if let userKey {
                let rows = try store.deliveries.log(of: id, toUser: userKey)
                try take(rows.map { MessageLogRow($0, of: id, cipher: cipher) })
                return try requireWhole(operations)
            }
            var last: MessageID?
            while true {
                let page = try store.deliveries.log(of: id, after: last)
                guard let end = page.last else { return try requireWhole(operations) }
                try take(page.map { MessageLogRow($0, of: id, cipher: cipher) })
                last = end.message
            }
        } catch {
            throw OperationError(error)
        }
    }

    private func requireMessages(_ operations: Operations) throws {
        guard let removed = try operations.requireDelivery(id).removed else { return }
        throw OperationError.failed(
            "\(StoreError(.messagesRemoved(id, on: removed.dayText), path: operations.store.path))")
    }

    private func requireWhole(_ operations: Operations) throws {
        try requireMessages(operations)
        let missing = try operations.store.deliveries.missing(of: id)
        guard missing != 0 else { return }
        let what =
            missing > 0 ? "\(missing) messages of it cannot be read" : "parts of it have the same messages"
        throw OperationError.failed(
            "the log of delivery \(id) is not whole: \(what); pushmta delivery recount \(id) says more")
    }
}
