internal import PushAPI
internal import PushModel
internal import PushWire

/// The search for a delivery that was submitted twice by mistake: an earlier delivery with the same document.
///
/// Only the latest deliveries are read, and their documents only if the labels are the same, so that the
/// search is cheap however many deliveries there are.
struct DoubleSubmission {
    /// The number of deliveries to read, including the new one. Other callers may submit in the meantime.
    private static let maxDeliveries = 10
    private static let maxSecondsBetween = 300.0
    /// The states after which a delivery is submitted again on purpose.
    private static let abandoned: [DeliveryState] = [.stopping, .stopped, .failed]

    private let id: DeliveryID
    private let earlier: DeliveryID

    /// Returns `nil` if there is no such delivery, or if a document does not contain the recipients.
    init?(of id: DeliveryID, in operations: Operations) throws {
        let list = ListDeliveries(limit: Self.maxDeliveries, before: DeliveryID(rawValue: id.rawValue + 1))
        let latest = try operations.carryOut(list).items
        guard let new = latest.first(where: { $0.id == id }) else { return nil }
        let candidate = latest.first { $0.id < id && $0.label == new.label }
        guard let candidate, !Self.abandoned.contains(candidate.state),
            new.createdAt.seconds(since: candidate.createdAt) <= Self.maxSecondsBetween
        else { return nil }
        let document = try operations.carryOut(ShowDeliveryDocument(id: id))
        let former = try operations.carryOut(ShowDeliveryDocument(id: candidate.id))
        guard document.recipients == nil, former.recipients == nil, document.document == former.document
        else { return nil }
        (self.id, earlier) = (id, candidate.id)
    }

    var warning: String {
        "delivery \(earlier), submitted a few minutes ago, has the same document: if this was a mistake, run "
            + "'pushmta delivery stop \(id)'; with --idempotency-key, a repeated command submits nothing"
    }
}
