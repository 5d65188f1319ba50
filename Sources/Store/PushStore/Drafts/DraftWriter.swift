package import PushModel

/// Saves and removes drafts. A refusal changes nothing.
package struct DraftWriter: Sendable {
    /// The maximum number of drafts of one service.
    package static let maxDrafts = 1_000

    let connection: Connection

    /// What a caller saves.
    package struct Content: Equatable, Sendable {
        package var service: String
        package var label: String
        /// The document in JSON.
        package var document: [UInt8]

        package init(service: String, label: String, document: [UInt8]) {
            (self.service, self.label, self.document) = (service, label, document)
        }
    }

    /// Creates a draft. Refuses an unknown service, and more than ``maxDrafts``.
    package func create(
        _ content: Content, by caller: String, at now: WallMoment
    ) throws(StoreError) -> StoredDraft {
        try connection.write("create a draft") { db in try insert(content, by: caller, at: now, db) }
    }

    /// Creates a draft for a request that may be repeated. There is only one draft, however often the request
    /// is repeated within a day. The draft and the key are committed together.
    package func create(
        _ content: Content, once key: IdempotencyKey, by caller: String, at now: WallMoment
    ) throws(StoreError) -> KeyedDraft {
        try connection.write("create a draft") { db in
            let keys = DraftIdempotency(db: db, now: now.time)
            if let earlier = try keys.creation(by: key) { return earlier }
            let draft = try insert(content, by: caller, at: now, db)
            try keys.note(key, draft.id)
            return .created(draft)
        }
    }

    private func insert(
        _ content: Content, by caller: String, at now: WallMoment, _ db: any Session
    ) throws -> StoredDraft {
        let service = try service(content.service, db)
        let count = try db.value(
            Int.self, sql: "SELECT count(*) FROM draft WHERE service_id = ?1",
            arguments: [service.rawValue])
        guard count ?? 0 < Self.maxDrafts else {
            throw error(
                .limitReached(
                    what: "service \(content.service) already has \(Self.maxDrafts) drafts; remove one"))
        }
        let columns = ColumnValues([
            "service_id": service.rawValue, "owner": caller, "changed_by": caller,
            "label": content.label, "document": content.document, "version": Int64(1),
            "created_ms": now.millisecondsSince1970, "updated_ms": now.millisecondsSince1970,
        ])
        let id = try db.insert("INSERT INTO draft \(columns.insertion)", columns.arguments)
        return try require(id, db)
    }

    /// Saves the next version of a draft. If the newest version has the same document, nothing is written.
    /// Refuses an unknown draft, and a version that is not the newest one: another caller has saved the draft
    /// in the meantime.
    /// - Parameter base: The version that the caller has read.
    package func save(
        _ content: Content, basedOn base: DraftVersion, by caller: String, at now: WallMoment
    ) throws(StoreError) -> StoredDraft {
        try connection.write("save a draft") { db in
            let present = try require(base.id, db)
            let service = try service(content.service, db)
            if present.document == content.document, present.service == service { return present }
            guard present.version == base.version else { throw error(.changedDraft(base.id)) }
            try db.execute(
                sql: """
                    UPDATE draft SET service_id = ?2, changed_by = ?3, label = ?4, document = ?5,
                        version = version + 1, updated_ms = ?6
                    WHERE id = ?1
                    """,
                arguments: [
                    base.id, service.rawValue, caller, content.label, content.document,
                    now.millisecondsSince1970,
                ])
            return try require(base.id, db)
        }
    }

    /// Removes a draft. Refuses an unknown draft.
    /// - Parameter version: The version that the caller has read; `nil` removes the draft whatever its
    ///   version is.
    package func remove(_ id: Int64, version: Int64?) throws(StoreError) -> StoredDraft {
        try connection.write("remove a draft") { db in
            let present = try require(id, db)
            if let version, version != present.version { throw error(.changedDraft(id)) }
            try db.execute(sql: "DELETE FROM draft WHERE id = ?1", arguments: [id])
            return present
        }
    }

    private func require(_ id: Int64, _ db: any Session) throws -> StoredDraft {
        guard let draft = try StoredDraft.find(id, db) else { throw error(.unknown(.draft, name: "\(id)")) }
        return draft
    }

    private func service(_ name: String, _ db: any Session) throws -> ServiceID {
        guard let service = try Service.find(named: name, db) else {
            throw error(.unknown(.service, name: name))
        }
        return service.id
    }

    private func error(_ cause: StoreError.Cause) -> StoreError { StoreError(cause, path: connection.path) }
}

extension StoredDraft: AuditNamed {
    var auditName: String? { "\(id)" }
}

extension CatalogueWriter {
    /// Deletes a page of drafts of deleted services.
    /// - Returns: `false` if there were none.
    func removeDraftsOfRemovedServices() throws(StoreError) -> Bool {
        try connection.write("delete a service's drafts") { db in
            let rows = try db.execute(
                sql: """
                    DELETE FROM draft WHERE id IN (
                        SELECT d.id FROM service s JOIN draft d ON d.service_id = s.id
                        WHERE s.removed_at IS NOT NULL LIMIT ?1)
                    """,
                arguments: [Connection.chunkRows])
            return rows > 0
        }
    }
}
