package import PushModel
internal import PushStore
internal import PushWire

/// Accepts a delivery: it is on disk when the answer is there. A document that cannot be sent as it is (unknown keys,
/// an unknown app, a payload over the gateway's limit) is refused.
package struct SubmitDelivery: ShortOperation {
    package static let name = "delivery.submit"

    /// A delivery document, JSON.
    package var document: [UInt8]
    /// What errors call the document.
    package var documentName: String
    /// Whom to send to instead of the document's target; nil: the document says it.
    package var userKeys: [String]?

    package init(document: [UInt8], documentName: String, userKeys: [String]? = nil) {
        self.document = document
        self.documentName = documentName
        self.userKeys = userKeys
    }

    package func perform(in operations: Operations) throws -> SubmittedDelivery {
        let order = try DeliveryIntake(catalogue: operations.store.catalogue, documentName: documentName)
            .order(try parsed(), target: userKeys.map(Target.userKeys))
        // The key is made by the first use case that needs it; a delivery must not be accepted that could not be sent.
        _ = try operations.key()
        let id = try operations.store.deliverySubmitter.submit(order, at: operations.clock.moment())
        operations.engine.nudge()
        return SubmittedDelivery(id: id, warnings: [])
    }

    private func parsed() throws(OperationError) -> DeliveryDocument {
        do throws(WireError) {
            return try DeliveryDocument.parse(document, target: userKeys == nil ? .document : .elsewhere)
        } catch {
            throw OperationError(.refused, lines: error.lines.map { "\(documentName): \($0)" })
        }
    }
}

package struct SubmittedDelivery: Codable, Equatable, Sendable {
    package var id: DeliveryID
    /// What is probably not meant, a line each.
    package var warnings: [String]
}
