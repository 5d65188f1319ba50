internal import PushConnectors
package import PushModel
package import PushStore
internal import PushWire

/// Submits a new delivery with the document of an earlier one and changes to it. The changes are merged with
/// the document as a document is merged with its template. Everything that ``SubmitDelivery`` would refuse is
/// refused: the content and the target are checked against the present state of the apps.
package struct CopyDelivery: Change, KeyedUseCase {
    package static let name = "delivery.copy"
    package static let operation = Operation(
        .post, "\(SubmitDelivery.path)/{id}/copy", .send,
        "Submits a copy of a delivery, with the changes in the body.", status: 201,
        maxBodyBytes: DeliveryDocument.maximumBytes)
    package static let example =
        #"{"label": "Spring sale, second week", "content": {"body": "Until Sunday"}}"#
    package static let members: [Member<Self>] = [
        .delivery(\.id),
        .document(\.changes, schema: DeliveryDocument.schemaOfChanges(ConnectorCatalogue.contents)),
        .inner(\.documentName, "documentName", default: ""), .inner(\.caller, "caller", default: ""),
    ]
    package var followUpCommand: String { "delivery list" }
    package var auditText: AuditText? { .making("\(id) copied as") }

    package private(set) var id = DeliveryID(rawValue: 0)
    /// A JSON object with the members of the document that are to differ.
    package private(set) var changes: [UInt8] = []
    /// The name of the changes in error texts.
    package private(set) var documentName = ""
    package var caller = ""
    package var idempotencyKey: String?

    package init() {}

    package init(
        id: DeliveryID, changes: [UInt8], documentName: String, caller: String = "",
        idempotencyKey: String? = nil
    ) {
        self.id = id
        self.changes = changes
        self.documentName = documentName
        self.caller = caller
        self.idempotencyKey = idempotencyKey
    }

    package func location(of answer: SubmittedDelivery) -> String? {
        "\(SubmitDelivery.path)/\(answer.id)"
    }

    package func prepare(in operations: Operations) throws -> Step<SubmittedDelivery> {
        let draft = try DeliveryDraft(of: id, changedBy: changes, named: documentName)
        var submission = SubmitDelivery(
            document: [], documentName: draft.name, caller: caller, idempotencyKey: idempotencyKey)
        // The key does not depend on the merged document, because the earlier delivery may have been removed
        // when the request is repeated.
        let key = try submission.key(
            of: draft.changes, and: .array([.string("copy"), .integer(id.rawValue)]))
        if let earlier = try submission.answer(to: key, in: operations) { return Step { _ in earlier } }
        let view = try draft.document(in: operations)
        if let list = view.recipients, !DeliveryDocument.choosesRecipients(view.document) {
            throw OperationError.refused(
                draft.name.naming(
                    """
                    target: missing: the list of delivery \(id) (\(list.described)) was submitted separately \
                    from its document; choose recipients in the changes, for example \
                    {"target": {"recipientsOf": \(id)}}
                    """))
        }
        view.document.append(to: &submission.document)
        let document = try submission.parsed(in: operations)
        return try submission.step(document, once: key, in: operations)
    }
}

/// Returns the document that ``CopyDelivery`` would submit. Nothing is stored, and the content and the target
/// are not checked.
package struct DraftDelivery: ShortOperation, UseCase {
    package static let name = "delivery.draft"
    package static let commandPath = "delivery copy"
    package static let operation = Operation(
        .post, "\(SubmitDelivery.path)/{id}/draft", .read,
        "Returns the document of a delivery with the changes in the body. Nothing is stored.", .read,
        maxBodyBytes: DeliveryDocument.maximumBytes)
    package static let example = CopyDelivery.example
    package static let members: [Member<Self>] = [
        .delivery(\.id),
        .document(\.changes, schema: DeliveryDocument.schemaOfChanges(ConnectorCatalogue.contents)),
        .inner(\.documentName, "documentName", default: ""),
    ]

    package private(set) var id = DeliveryID(rawValue: 0)
    /// See ``CopyDelivery``.
    package private(set) var changes: [UInt8] = []
    package private(set) var documentName = ""

    package init() {}

    package init(id: DeliveryID, changes: [UInt8], documentName: String) {
        (self.id, self.changes, self.documentName) = (id, changes, documentName)
    }

    package func perform(in operations: Operations) throws -> SubmittedDocument {
        try DeliveryDraft(of: id, changedBy: changes, named: documentName).document(in: operations)
    }
}

/// The document of a delivery, changed for a new delivery.
private struct DeliveryDraft {
    let id: DeliveryID
    let changes: JSONValue

    private static let labelPrefix = "copy of "

    /// The name of the merged document in error texts.
    var name: String { "copy of delivery \(id)" }

    /// - Throws: If the changes are not a JSON object.
    init(of id: DeliveryID, changedBy changes: [UInt8], named documentName: String) throws(OperationError) {
        self.id = id
        self.changes = try SubmitDelivery(document: changes, documentName: documentName).value()
        guard case .object = self.changes else {
            throw .refused(
                documentName.naming(
                    "the changes must be an object with members of a delivery document, not "
                        + self.changes.kind))
        }
    }

    func document(in operations: Operations) throws -> SubmittedDocument {
        var view = try ShowDeliveryDocument(id: id).perform(in: operations)
        try checkApps(in: operations)
        guard case .object(var members) = view.document else { return view }
        for place in members.indices {
            switch (members[place].key, members[place].value) {
            case ("label", .string(let label)):
                members[place].value = .string(NameRule.cut("\(Self.labelPrefix)\(id): \(label)"))
            case ("schedule", .object(let schedule)):
                members[place].value = .object(schedule.filter { !isPast($0, in: operations) })
            default: break
            }
        }
        // A list that was submitted separately can be refined by the document's target only if the same list
        // is submitted again. Other recipients replace it.
        view.document = TemplateMerge.copy(.object(members), changedBy: changes)
        if DeliveryDocument.choosesRecipients(view.document) { view.recipients = nil }
        return view
    }

    /// Reports whether a member of the schedule is a start in the past, which would mean nothing for a copy.
    private func isPast(_ member: JSONMember, in operations: Operations) -> Bool {
        guard member.key == "startAt", case .string(let text) = member.value,
            let start = WallTime(rfc3339: text)
        else { return false }
        return start < operations.clock.moment().time
    }

    /// Refuses a copy for an app that was deleted.
    private func checkApps(in operations: Operations) throws {
        guard !TemplateMerge.choosesApps(changes), changes["service"] == nil,
            let order = try operations.store.deliveries.delivery(id)?.order
        else { return }
        let gone = try order.apps.filter { try operations.store.catalogue.app($0) == nil }
        guard !gone.isEmpty, let service = try operations.store.catalogue.service(order.service) else {
            return
        }
        let present = try operations.store.catalogue.serviceWithApps(named: service.name)?.apps ?? []
        let names = ExistingNames.list(present.map(\.name), like: "")
        let verb = gone.count == 1 ? "was" : "were"
        throw OperationError.refused(
            name.naming(
                """
                apps: \(Numerals.count(gone.count, "app")) of delivery \(id) \(verb) deleted; list the apps \
                of the copy in the changes; service \(service.name) has: \(names.isEmpty ? "none" : names)
                """))
    }
}

extension SubmittedDocument.Recipients {
    /// The number of entries of the list, such as `1 200 user keys` or `1 200 values of customerId`.
    package var described: String {
        guard let key else { return Numerals.count(count, kind == .userKeys ? "user key" : "token") }
        return "\(Numerals.count(count, "value")) of \(key.printable(atMost: 64))"
    }
}
