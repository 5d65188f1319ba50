package import PushModel

/// Saves and deletes templates. A refusal changes nothing.
package struct TemplateWriter: Sendable {
    /// The maximum number of versions of one template. If there are more, the oldest are deleted.
    package static let maxVersions: Int64 = 100
    /// The maximum number of templates of one service.
    package static let maxTemplates = 1_000

    let connection: Connection

    package struct Saved: Equatable, Sendable {
        package var version: Int64
        /// Whether a new version was created; `false` if nothing was written because the newest version has
        /// the same content.
        package var isNew: Bool
        /// Whether nothing was written because the caller did not know the newest version.
        package var isOutdated = false
    }

    /// Saves a new version of a template, or the first one if no template has that name. If two callers save
    /// at the same time, the second one creates the version after the first. Refuses an unknown service, and
    /// more than ``maxTemplates``.
    /// - Parameters:
    ///   - service: `nil` if the template belongs to no service.
    ///   - body: JSON in a canonical form, in which equal contents have equal bytes.
    ///   - replaced: The newest version that the caller knows, 0 if it knows none; `nil` replaces any
    ///     version.
    package func save(
        _ name: String, of service: String?, body: [UInt8], replacing replaced: Int64? = nil,
        at now: WallMoment
    ) throws(StoreError) -> Saved {
        try connection.write("save a template") { db in
            let owner = try owner(service, db)
            let newest = try StoredTemplate.find(named: name, of: owner, db)
            if let newest, newest.body == body { return Saved(version: newest.version, isNew: false) }
            if let replaced, replaced != newest?.version ?? 0 {
                return Saved(version: newest?.version ?? 0, isNew: false, isOutdated: true)
            }
            if newest == nil { try refuseTooMany(of: owner, named: service, db) }
            let version = (newest?.version ?? 0).clampedSum(1)
            let columns = ColumnValues([
                "service_id": owner.rawValue, "name": name, "version": version, "body": body,
                "created_ms": now.millisecondsSince1970,
            ])
            try db.execute(sql: "INSERT INTO template \(columns.insertion)", arguments: columns.arguments)
            try db.execute(
                sql: "DELETE FROM template WHERE service_id = ?1 AND name = ?2 AND version <= ?3",
                arguments: [owner.rawValue, name, version.clampedDifference(Self.maxVersions)])
            return Saved(version: version, isNew: true)
        }
    }

    /// Deletes a template with all its versions. Refuses unknown names.
    /// - Parameter service: `nil` if the template belongs to no service.
    /// - Returns: The number of deleted versions.
    package func delete(_ name: String, of service: String?) throws(StoreError) -> Int {
        try connection.write("delete a template") { db in
            let owner = try owner(service, db)
            let count = try db.execute(
                sql: "DELETE FROM template WHERE service_id = ?1 AND name = ?2",
                arguments: [owner.rawValue, name])
            guard count > 0 else { throw error(.unknown(.template, name: name)) }
            return count
        }
    }

    private func refuseTooMany(of owner: ServiceID, named service: String?, _ db: any Session) throws {
        let count = try db.value(
            Int.self, sql: "SELECT count(DISTINCT name) FROM template WHERE service_id = ?1",
            arguments: [owner.rawValue])
        guard count ?? 0 < Self.maxTemplates else {
            let what =
                service.map { "service \($0) already has \(Self.maxTemplates) templates" }
                ?? "there are already \(Self.maxTemplates) templates without a service"
            throw error(.limitReached(what: "\(what); delete one"))
        }
    }

    private func owner(_ service: String?, _ db: any Session) throws -> ServiceID {
        guard let service else { return StoredTemplate.noService }
        guard let present = try Service.find(named: service, db) else {
            throw error(.unknown(.service, name: service))
        }
        return present.id
    }

    private func error(_ cause: StoreError.Cause) -> StoreError { StoreError(cause, path: connection.path) }
}

extension CatalogueWriter {
    /// Deletes a page of templates of deleted services.
    /// - Returns: `false` if there were none.
    func removeTemplatesOfRemovedServices() throws(StoreError) -> Bool {
        try connection.write("delete a service's templates") { db in
            let rows = try db.execute(
                sql: """
                    DELETE FROM template WHERE (service_id, name, version) IN (
                        SELECT t.service_id, t.name, t.version
                        FROM service s JOIN template t ON t.service_id = s.id
                        WHERE s.removed_at IS NOT NULL LIMIT ?1)
                    """,
                arguments: [Connection.chunkRows])
            return rows > 0
        }
    }
}
