internal import PushConfig
package import PushModel
internal import PushSchedule
internal import PushStore
internal import PushWire

/// Accepts a delivery: it is on disk when the answer is there. A document that cannot be sent as it is
/// (unknown keys, an unknown app, a payload over the gateway's limit) is refused, and so is a target that
/// matches nobody, unless the document says `"allowEmpty": true`.
package struct SubmitDelivery: ChangingOperation {
    package static let name = "delivery.submit"
    package var lookAfterwards: String { "delivery list" }

    /// A delivery document, JSON.
    @Base64Bytes package var document: [UInt8]
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
        let document = try parsed()
        for _ in 1..<Self.attempts {
            do {
                return try submit(document, in: operations)
            } catch let error as StoreError {
                // An app was changed while the order was checked: it is checked again, against what the app
                // is now.
                guard case .changedMeanwhile = error.cause else { throw error }
            }
        }
        return try submit(document, in: operations)
    }

    private static let attempts = 5

    private func submit(_ document: DeliveryDocument, in operations: Operations) throws -> SubmittedDelivery {
        let checked = try DeliveryIntake(catalogue: operations.store.catalogue, documentName: documentName)
            .order(document, target: userKeys.map(Target.userKeys))
        let order = checked.order
        let nobody = try emptiness(of: order, in: operations)
        if let nobody, !document.allowsEmptyTarget {
            throw OperationError.refused(
                "\(documentName): target: \(nobody); \"allowEmpty\": true takes it all the same")
        }
        // The key is made by the first use case that needs it; a delivery must not be accepted that could not
        // be sent.
        _ = try operations.key()
        let id = try operations.store.deliverySubmitter.submit(
            order, checkedAgainst: checked.revisions, at: operations.clock.moment())
        operations.engine.nudge()
        return SubmittedDelivery(
            id: id, warnings: [nobody, Self.hasNoRetry(order, operations.settings)].compactMap { $0 })
    }

    /// What to say of a target that matches nobody; nil where it matches.
    private func emptiness(of order: DeliveryOrder, in operations: Operations) throws -> String? {
        let targets = operations.store.targets
        guard try !targets.matchesAnybody(order.target, of: order.apps) else { return nil }
        guard case .parameters(let wanted) = order.target else { return "nobody is in it" }
        let strange = try targets.unknownParameters(wanted.keys.sorted(), of: order.apps)
        let names = strange.map { "\"\($0.prefix(64))\"" }.joined(separator: ", ")
        return "nobody is in it" + (strange.isEmpty ? "" : ": no subscriber has a parameter \(names)")
    }

    /// A gateway's "later" finds a delivery that is over by then.
    private static func hasNoRetry(_ order: DeliveryOrder, _ settings: ServerConfiguration) -> String? {
        let retry = settings.nmac.retry
        let first = RetryCalendar(
            retriesOnFirstDay: retry.count, periodSeconds: Int64(retry.periodSec),
            keepsMinimumDelays: retry.minimumDelays
        ).overridden(by: order.retry).delaySeconds(afterAttempt: 1, gatewayMinimum: 0)
        let validity = order.schedule.validitySeconds
        guard validity < first else { return nil }
        return
            "the validity of \(DurationText.text(seconds: validity)) ends before the first retry on the calendar, "
            + "\(DurationText.text(seconds: first)) after the first attempt: give a shorter retry.period or a longer "
            + "validity"
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
