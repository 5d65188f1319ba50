package import PushModel
internal import PushStore
package import PushWire

/// Returns the document with which a delivery was submitted, in its normal form. Submitting this document
/// again has the same effect.
package struct ShowDeliveryDocument: ShortOperation, UseCase {
    package static let name = "delivery.document"
    package static let operation = Operation(
        .get, "/deliveries/{id}/document", .read,
        "Returns the document of a delivery in a form that can be submitted again.")
    package static let members: [Member<Self>] = [.delivery(\.id)]

    private var id = DeliveryID(rawValue: 0)

    package init() {}
    package init(id: DeliveryID) { self.id = id }

    package func perform(in operations: Operations) throws -> SubmittedDocument {
        let summary = try operations.requireDelivery(id)
        guard summary.openUntil == nil else {
            throw OperationError.absent(
                """
                delivery \(id) consists of single messages, which have no document; \
                \(see: ListMessages.self) shows the messages
                """
            )
        }
        if let removed = summary.removed {
            throw OperationError.noMatch(
                "the document of delivery \(id) is incomplete because its messages and recipients were "
                    + "removed on \(removed.dayText), according to nmac/@retentionDays or the delivery's "
                    + "retentionDays")
        }
        let order = try operations.store.deliveries.whole(id).order
        let names = try operations.appNames()
        let document = try DeliveryDocument.json(
            of: order, service: try operations.store.catalogue.service(order.service)?.name ?? "",
            // An app that was deleted has no name, so its id is used.
            apps: order.apps.map { names[$0] ?? "\($0)" },
            listed: try operations.store.deliveries.listed(by: id))
        var view = SubmittedDocument(id: id, document: document)
        if case .list(let list) = order.target.base {
            let match = list.upload?.match
            view.recipients = .init(kind: list.kind, count: match?.values ?? list.count, key: match?.key)
        }
        return view
    }
}

package struct SubmittedDocument: View, Equatable {
    /// A list of recipients that was submitted in addition to the document.
    package struct Recipients: View, Equatable {
        package static let about = [
            "kind": "`tokens` if a parameter identified the recipients",
            "key": "the parameter that identified the recipients; null if it was the user key or the token",
        ]

        package var kind: RecipientList.Kind
        package var count: Int
        package var key: String?
    }

    package static let about = [
        "document":
            """
        in the form that `POST /deliveries` accepts; if there are `recipients`, the target does not select \
        any subscribers
        """,
        "recipients": "the list that was submitted alongside the document; null if the document is complete",
    ]

    package var id: DeliveryID
    package var document: JSONValue
    package var recipients: Recipients?
}

extension RecipientList.Kind: Codable, Word {}
