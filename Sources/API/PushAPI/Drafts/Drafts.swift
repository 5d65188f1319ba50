internal import PushModel
package import PushStore
package import PushWire

extension Operations {
    /// Returns a draft with its service. A draft of a service that the caller cannot see does not exist for
    /// the caller.
    func requireDraft(_ id: Int64) throws -> (draft: StoredDraft, service: Service) {
        guard let draft = try store.drafts.find(id), let service = try store.catalogue.service(draft.service)
        else { throw Self.draftAbsence(id) }
        return (draft, service)
    }

    static func draftAbsence(_ id: Int64) -> OperationError {
        .absent(
            "there is no draft \(id): it was removed or submitted; \(see: ListDrafts.self) shows all drafts")
    }

    func view(of draft: StoredDraft, service: String) throws -> DraftView {
        do throws(JSONFault) {
            return DraftView(draft, service: service, document: try JSONParser.parse(draft.document))
        } catch {
            throw StoreError(.unsound(what: "draft \(draft.id) is not JSON"), path: store.path)
        }
    }
}

extension Member {
    fileprivate static func draft(_ path: any WritableKeyPath<Root, Int64> & Sendable) -> Self {
        .path(path, "id", "The draft's id.", in: 1...Int.max)
    }
}

/// Lists drafts, those that were created last first.
package struct ListDrafts: ShortOperation, UseCase {
    package static let name = "draft.list"
    package static let path = "/drafts"
    package static let operation = Operation(
        .get, path, .read, "Lists drafts of deliveries, those that were created last first.", reach: .services
    )
    package static let members: [Member<Self>] = [
        .query(\.service, "service", "Return only drafts of this service."),
        .query(\.limit, "limit", "The maximum number of drafts.", in: 1...DraftReader.maxPage, default: 50),
        .cursor(\.before),
    ]

    package var service: String?
    package var before: Int64?
    package var limit = 50

    package init() {}

    package func perform(in operations: Operations) throws -> Page<DraftSummaryView> {
        let catalogue = operations.store.catalogue
        let wanted = try service.map { try operations.requireService(named: $0).id }
        let names = Dictionary(try catalogue.services().map { ($0.id, $0.name) }) { first, _ in first }
        let drafts = try operations.store.drafts.page(of: wanted, before: before, limit: limit)
        let items = drafts.compactMap { draft in
            names[draft.service].map { DraftSummaryView(draft, service: $0) }
        }
        return Page(items, next: drafts.count == limit ? drafts.last?.id : nil, of: self)
    }
}

package struct ShowDraft: ShortOperation, UseCase {
    package static let name = "draft.show"
    static let path = "\(ListDrafts.path)/{id}"
    package static let operation = Operation(
        .get, path, .read, "Returns the newest version of a draft with its document.", reach: .services)
    package static let members: [Member<Self>] = [.draft(\.id)]

    package private(set) var id: Int64 = 0

    package init() {}
    package init(_ id: Int64) { self.id = id }

    package func perform(in operations: Operations) throws -> DraftView {
        let (draft, service) = try operations.requireDraft(id)
        return try operations.view(of: draft, service: service.name)
    }
}

/// Creates a draft, or saves the next version of a draft. The document must name its service and may
/// otherwise be incomplete; it is checked when it is submitted. If another caller has saved the draft since
/// the caller read it, nothing is changed, so that no input is lost. An idempotency key makes it safe to
/// repeat the creation; saving the same document again changes nothing in any case.
package struct SaveDraft: Change, KeyedUseCase {
    package static let name = "draft.save"
    /// The maximum size of a document, in bytes. A list of 10 000 user keys fits into it.
    package static let maxDocumentBytes = 512 << 10
    package static let operation = Operation(
        .put, ShowDraft.path, .send,
        "Saves the next version of a draft, unless another caller has saved one in the meantime.",
        maxBodyBytes: maxDocumentBytes + 4 << 10, reach: .services)
    package static let operations = [
        operation,
        Operation(
            .post, ListDrafts.path, .send, "Creates a draft of a delivery.", status: 201,
            maxBodyBytes: maxDocumentBytes + 4 << 10, verb: "create", reach: .services),
    ]
    package static let example =
        #"""
        {"document": {"label": "Spring sale", "service": "neotrips", "content": {"title": "20% off"}},
        "version": 1}
        """#
    package static let members: [Member<Self>] = [
        .path(\.id, "id", "The draft's id.", in: 1...Int.max),
        .field(
            \.document, "document", "A delivery document with a service. Everything else may be missing.",
            schema: .map(.any)),
        .field(
            \.version, "version",
            "The version that the caller has read. The draft is saved only if this is its newest version.",
            in: 1...Int.max, absent: "the draft is new"),
        .inner(\.caller, "caller", default: ""),
    ]
    package var followUpCommand: String { "draft list" }
    package var auditText: AuditText? { id.map { .of("\($0)") } ?? .making() }

    /// `nil` for a new draft.
    package private(set) var id: Int64?
    private var document = JSONDocument()
    package private(set) var version: Int64?
    package var caller = ""
    package var idempotencyKey: String?

    package init() {}

    /// - Parameter base: The version that the caller has read; `nil` for a new draft.
    package init(_ document: JSONValue, basedOn base: DraftVersion?) {
        document.append(to: &self.document.bytes)
        (id, version) = (base?.id, base?.version)
    }

    package func location(of answer: DraftView) -> String? {
        id == nil ? "\(ListDrafts.path)/\(answer.id)" : nil
    }

    package func prepare(in operations: Operations) throws -> Step<DraftView> {
        let content = try content(in: operations)
        let (caller, now) = (operations.caller, operations.clock.moment())
        guard let id else {
            guard version == nil else {
                throw OperationError.refused("version: a new draft has no version; omit the member")
            }
            guard let key = try key() else {
                return Step { store in
                    let saved = try store.draftWriter.create(content, by: caller, at: now)
                    return try operations.view(of: saved, service: content.service)
                }
            }
            return Step { store in
                let end = try store.draftWriter.create(content, once: key, by: caller, at: now)
                return try Self.answer(to: end, service: content.service, in: operations)
            }
        }
        guard let version else {
            throw OperationError.refused("version: missing; give the version that you have read")
        }
        _ = try operations.requireDraft(id)
        return Step { store in
            let base = DraftVersion(id: id, version: version)
            let saved = try store.draftWriter.save(content, basedOn: base, by: caller, at: now)
            return try operations.view(of: saved, service: content.service)
        }
    }

    private func key() throws -> IdempotencyKey? {
        guard let idempotencyKey else { return nil }
        try checkKey()
        var body: [UInt8] = []
        (document.json ?? .null).canonical.append(to: &body)
        return IdempotencyKey(scope: "draft \(caller)", key: idempotencyKey, body: body)
    }

    private static func answer(
        to end: KeyedDraft, service: String, in operations: Operations
    ) throws -> DraftView {
        switch end {
        case .created(let draft), .repeated(let draft):
            return try operations.view(of: draft, service: service)
        case .gone(let id): throw Operations.draftAbsence(id)
        case .keyReused:
            throw OperationError.conflict(
                "Idempotency-Key: the key was used for another draft within a day; use another key")
        }
    }

    private func content(in operations: Operations) throws -> DraftWriter.Content {
        guard document.bytes.count <= Self.maxDocumentBytes else {
            throw OperationError.refused(
                "document: has \(document.bytes.count) bytes; the maximum is \(Self.maxDocumentBytes)")
        }
        let value = document.json
        guard case .string(let service)? = value?["service"] else {
            throw OperationError.refused("document.service: missing; a draft belongs to a service")
        }
        _ = try operations.requireService(named: service)
        var label = ""
        if case .string(let given)? = value?["label"] { label = NameRule.cut(given) }
        return DraftWriter.Content(service: service, label: label, document: document.bytes)
    }
}

/// Removes a draft.
package struct RemoveDraft: Change, UseCase {
    package static let name = "draft.remove"
    package static let operation = Operation(
        .delete, ShowDraft.path, .send, "Removes a draft.", reach: .services)
    package static let members: [Member<Self>] = [.draft(\.id)]
    package var followUpCommand: String { "draft list" }
    package var auditText: AuditText? { .of("\(id)") }

    package private(set) var id: Int64 = 0

    package init() {}
    package init(_ id: Int64) { self.id = id }

    package func prepare(in operations: Operations) throws -> Step<DraftSummaryView> {
        let (_, service) = try operations.requireDraft(id)
        return Step { store in
            DraftSummaryView(try store.draftWriter.remove(id, version: nil), service: service.name)
        }
    }
}

/// Submits the document of a draft as a delivery, and removes the draft in the same transaction. However many
/// callers submit a draft, and however often, it becomes one delivery.
package struct SubmitDraft: Change, KeyedUseCase {
    package static let name = "draft.submit"
    package static let operation = Operation(
        .post, "\(ShowDraft.path)/submit", .send,
        "Submits a draft as a delivery. The draft is removed.", status: 201, reach: .services)
    package static let example = #"{"version": 2}"#
    package static let members: [Member<Self>] = [
        .draft(\.id),
        .field(
            \.version, "version",
            "The version that the caller has read, which must be the newest one.", in: 1...Int.max),
        .inner(\.caller, "caller", default: ""),
    ]
    package var followUpCommand: String { "delivery list" }
    package var auditText: AuditText? { .making("\(Self.auditPrefix(id).dropLast())") }
    /// The beginning of the line in the audit trail. The delivery's number follows.
    static func auditPrefix(_ id: Int64) -> String { "draft \(id) submitted as " }

    package private(set) var id: Int64 = 0
    package private(set) var version: Int64 = 0
    package var caller = ""
    package var idempotencyKey: String?

    package init() {}
    package init(_ draft: DraftVersion) { (id, version) = (draft.id, draft.version) }

    package func location(of answer: SubmittedDelivery) -> String? { "\(SubmitDelivery.path)/\(answer.id)" }

    package func prepare(in operations: Operations) throws -> Step<SubmittedDelivery> {
        var submission = SubmitDelivery(
            document: [], documentName: "draft \(id)", caller: caller, idempotencyKey: idempotencyKey)
        // The key does not depend on the document, because the draft is gone when the request is repeated.
        let key = try submission.key(
            of: .null, and: .array([.string("draft"), .integer(id), .integer(version)]))
        if let earlier = try submission.answer(to: key, in: operations) { return Step { _ in earlier } }
        let (draft, _) = try operations.requireDraft(id)
        guard draft.version == version else {
            throw StoreError(.changedDraft(id), path: operations.store.path)
        }
        submission.document = draft.document
        let document = try submission.parsed(in: operations)
        return try submission.step(
            document, once: key, from: DraftVersion(id: id, version: version), in: operations)
    }
}
