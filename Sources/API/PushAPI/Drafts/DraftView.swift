package import PushModel
internal import PushStore
package import PushWire

/// A draft in a list.
package struct DraftSummaryView: View, Equatable {
    static let notes = [
        "label": "empty if the document has no label yet",
        "version": "the number of the newest version",
        "createdBy": "the caller that created the draft",
        "changedBy": "the caller that saved the newest version",
    ]
    package static let about = notes

    package var id: Int64
    package var label: String
    package var service: String
    package var version: Int64
    package var createdBy: String
    package var createdAt: WallMoment
    package var changedBy: String
    package var updatedAt: WallMoment

    init(_ draft: StoredDraft, service: String) {
        (id, label, version) = (draft.id, draft.label, draft.version)
        self.service = service
        (createdBy, createdAt) = (draft.owner, draft.created)
        (changedBy, updatedAt) = (draft.changedBy, draft.updated)
    }
}

/// The newest version of a draft.
package struct DraftView: View, Equatable {
    package static let about = DraftSummaryView.notes.merging([
        "document": "a delivery document, which may be incomplete"
    ]) { $1 }

    package var id: Int64
    package var label: String
    package var service: String
    package var version: Int64
    package var createdBy: String
    package var createdAt: WallMoment
    package var changedBy: String
    package var updatedAt: WallMoment
    package var document: JSONValue

    init(_ draft: StoredDraft, service: String, document: JSONValue) {
        (id, label, version) = (draft.id, draft.label, draft.version)
        self.service = service
        (createdBy, createdAt) = (draft.owner, draft.created)
        (changedBy, updatedAt) = (draft.changedBy, draft.updated)
        self.document = document
    }
}
