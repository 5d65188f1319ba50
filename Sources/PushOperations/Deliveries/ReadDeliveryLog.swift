package import PushModel
internal import PushStore

/// What became of each message of a delivery, in the order in which they were prepared. A running delivery's log is a
/// snapshot page by page.
package struct ReadDeliveryLog: Sendable {
    package var id: DeliveryID
    /// Only messages to this user; nil: all.
    package var userKey: String?

    package init(id: DeliveryID, userKey: String? = nil) {
        self.id = id
        self.userKey = userKey
    }

    /// - Parameter take: is given the rows, page by page.
    package func perform(
        in operations: Operations, take: ([MessageLogRow]) throws -> Void
    ) throws(OperationError) {
        do {
            let store = operations.store
            _ = try operations.requireDelivery(id)
            let isTracked = try store.deliveries.delivery(id)?.order.tracking ?? false
            let cipher = isTracked ? MessageIDCipher(key: try operations.key()) : nil
            if let userKey {
                let rows = try store.deliveries.log(of: id, toUser: userKey)
                return try take(rows.map { MessageLogRow($0, of: id, cipher: cipher) })
            }
            var last: MessageID?
            while true {
                let page = try store.deliveries.log(of: id, after: last)
                guard let end = page.last else { return }
                try take(page.map { MessageLogRow($0, of: id, cipher: cipher) })
                last = end.message
            }
        } catch {
            throw OperationError(error)
        }
    }
}
