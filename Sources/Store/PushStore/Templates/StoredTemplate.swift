package import PushModel

/// One version of a template, as saved.
package struct StoredTemplate: Equatable, Sendable {
    package var service: ServiceID
    package var name: String
    package var version: Int64
    /// The JSON as it was submitted.
    package var body: [UInt8]
    package var created: WallMoment
    /// The versions that are kept, without gaps.
    package var versions: ClosedRange<Int64>

    /// The owner of the templates that deliveries of all services can use.
    package static let noService = ServiceID(rawValue: 0)
}

/// The entry of a template in a list, based on its newest version.
package struct TemplateSummary: Equatable, Sendable {
    /// The name of the service; `nil` if the template belongs to no service.
    package var service: String?
    package var name: String
    package var created: WallMoment
    package var versions: ClosedRange<Int64>
}

/// Reads templates.
package struct TemplateReader: Sendable {
    let connection: Connection
    /// The services whose templates exist for the caller. Every caller finds the templates that belong to no
    /// service.
    var bounds = ServiceBounds.unbound

    /// Returns templates, sorted by service and name; those that belong to no service come first.
    /// - Parameter service: `nil` for all templates.
    package func list(of service: ServiceID? = nil) throws(StoreError) -> [TemplateSummary] {
        let conditions = [
            service == nil ? nil : "t.service_id = ?1",
            bounds.condition("t.service_id", or: [StoredTemplate.noService]),
        ].compactMap(\.self)
        let condition = conditions.isEmpty ? "" : "WHERE \(conditions.joined(separator: " AND "))"
        let arguments = service.map { [$0.rawValue] } ?? []
        return try connection.read("list templates") { db in
            try db.rows(
                sql: """
                    SELECT s.name AS service, x.name, x.oldest, x.newest, n.created_ms
                    FROM (
                        SELECT t.service_id, t.name, min(t.version) AS oldest, max(t.version) AS newest
                        FROM template t \(condition) GROUP BY t.service_id, t.name) x
                        JOIN template n
                            ON n.service_id = x.service_id AND n.name = x.name AND n.version = x.newest
                        LEFT JOIN service s ON s.id = x.service_id
                    WHERE s.removed_at IS NULL
                        AND (s.id IS NOT NULL OR x.service_id = \(StoredTemplate.noService.rawValue))
                    ORDER BY coalesce(s.name, ''), x.name
                    """,
                arguments: arguments
            ).map { row in
                TemplateSummary(
                    service: try row["service"], name: try row["name"],
                    created: WallMoment(millisecondsSince1970: try row["created_ms"]),
                    versions: try StoredTemplate.range(row["oldest"], row["newest"]))
            }
        }
    }

    /// - Parameter version: `nil` for the newest one.
    package func template(
        named name: String, of service: ServiceID, version: Int64? = nil
    ) throws(StoreError) -> StoredTemplate? {
        guard isAdmitted(service) else { return nil }
        return try connection.read("find a template") { db in
            try StoredTemplate.find(named: name, of: service, version: version, db)
        }
    }

    /// Returns the names of services that have a template of this name, in order.
    package func services(withTemplate name: String, limit: Int) throws(StoreError) -> [String] {
        let condition = bounds.condition("s.id").map { " AND \($0)" } ?? ""
        return try connection.read("find a template") { db in
            try db.values(
                String.self,
                sql: """
                    SELECT s.name FROM service s
                    WHERE s.removed_at IS NULL\(condition) AND EXISTS (
                        SELECT 1 FROM template t WHERE t.service_id = s.id AND t.name = ?1)
                    ORDER BY s.name LIMIT ?2
                    """,
                arguments: [name, limit])
        }
    }

    /// Returns the names of a service's templates, in order.
    package func names(of service: ServiceID) throws(StoreError) -> [String] {
        guard isAdmitted(service) else { return [] }
        return try connection.read("list templates") { db in
            try db.values(
                String.self, sql: "SELECT DISTINCT name FROM template WHERE service_id = ?1 ORDER BY name",
                arguments: [service.rawValue])
        }
    }

    private func isAdmitted(_ service: ServiceID) -> Bool {
        service == StoredTemplate.noService || bounds.admit(service)
    }
}

extension StoredTemplate {
    static func find(
        named name: String, of service: ServiceID, version: Int64? = nil, _ db: any Session
    ) throws -> StoredTemplate? {
        let bounds = try db.row(
            sql: """
                SELECT min(version) AS oldest, max(version) AS newest FROM template
                WHERE service_id = ?1 AND name = ?2
                """,
            arguments: [service.rawValue, name])
        guard let bounds, let oldest: Int64 = try bounds["oldest"], let newest: Int64 = try bounds["newest"]
        else { return nil }
        let row = try db.row(
            sql: """
                SELECT version, body, created_ms FROM template
                WHERE service_id = ?1 AND name = ?2 AND version = ?3
                """,
            arguments: [service.rawValue, name, version ?? newest])
        guard let row else { return nil }
        return StoredTemplate(
            service: service, name: name, version: try row["version"], body: try row["body"],
            created: WallMoment(millisecondsSince1970: try row["created_ms"]),
            versions: try range(oldest, newest))
    }

    /// Returns the range of versions according to a row. Checks the range, because a store may be damaged.
    static func range(_ oldest: Int64, _ newest: Int64) throws -> ClosedRange<Int64> {
        guard oldest <= newest else { throw UnreadableValue() }
        return oldest...newest
    }
}
