package import PushModel

/// Reads services and apps. Never touches a credential.
package struct Catalogue: Sendable {
    let connection: Connection
    /// The services that exist for the caller.
    var bounds = ServiceBounds.unbound

    package func services() throws(StoreError) -> [Service] {
        try connection.read("list services") { db in
            try db.rows(sql: "\(Service.selection) WHERE removed_at IS NULL ORDER BY name")
                .map { try Service(row: $0) }.filter { bounds.admit($0.id) }
        }
    }

    package func service(named name: String) throws(StoreError) -> Service? {
        try connection.read("find a service") { try service(named: name, $0) }
    }

    /// Returns a service with its apps, sorted by name.
    package func serviceWithApps(named name: String) throws(StoreError) -> (service: Service, apps: [App])? {
        try connection.read("find a service") { db in
            guard let service = try service(named: name, db) else { return nil }
            let apps = try db.rows(
                sql: "\(App.selection) WHERE removed_at IS NULL AND service_id = ?1 ORDER BY name",
                arguments: [service.id.rawValue])
            return (service, try apps.map { try App(row: $0) })
        }
    }

    private func service(named name: String, _ db: any Session) throws -> Service? {
        try Service.find(named: name, db).flatMap { bounds.admit($0.id) ? $0 : nil }
    }

    package func service(_ id: ServiceID) throws(StoreError) -> Service? {
        guard bounds.admit(id) else { return nil }
        return try connection.read("find a service") { db in
            try db.row(sql: "\(Service.selection) WHERE id = ?1", arguments: [id.rawValue])
                .map { try Service(row: $0) }
        }
    }

    package func apps() throws(StoreError) -> [App] {
        try connection.read("list apps") { db in
            try db.rows(sql: "\(App.selection) WHERE removed_at IS NULL ORDER BY name").map {
                try App(row: $0)
            }.filter(isAdmitted)
        }
    }

    /// An app without its settings. Reading a name takes a tenth of the time that reading an app takes.
    package struct AppName: Sendable {
        package let id: AppID
        package let service: ServiceID
        package let name: String
        package let platform: Platform

        package init(_ app: App) {
            (id, service, name, platform) = (app.id, app.service, app.name, app.settings.platform)
        }

        fileprivate init(row: Row) throws {
            (id, service) = (AppID(rawValue: try row[0]), ServiceID(rawValue: try row[1]))
            (name, platform) = (try row[2], try App.known(row[3]))
        }
    }

    /// Returns the names of all apps, sorted.
    package func appNames() throws(StoreError) -> [AppName] {
        try connection.read("list apps") { db in
            let rows = try db.rows(
                sql: "SELECT id, service_id, name, platform FROM app WHERE removed_at IS NULL ORDER BY name")
            return try rows.map { try AppName(row: $0) }.filter { bounds.admit($0.service) }
        }
    }

    /// Returns all apps, including deleted ones, whose subscribers may remain for a while.
    package func appsOfAllTimes() throws(StoreError) -> [App] {
        try connection.read("list apps") { db in
            try db.rows(sql: "\(App.selection) ORDER BY app.id").map { try App(row: $0) }.filter(isAdmitted)
        }
    }

    package func app(named name: String) throws(StoreError) -> App? {
        try connection.read("find an app") { db in
            try db.row(sql: "\(App.selection) WHERE removed_at IS NULL AND name = ?1", arguments: [name])
                .map { try App(row: $0) }.flatMap { isAdmitted($0) ? $0 : nil }
        }
    }

    /// Returns the app that a device names when it registers, by either of the app's keys. Earlier versions
    /// allowed an app in each environment to have the same key. In that case, the production app is returned,
    /// because the device does not report which environment its token belongs to.
    package func app(integrationKey: String, platform: Platform) throws(StoreError) -> App? {
        try connection.read("find an app") { db in
            try db.row(
                sql: """
                    \(App.selection) WHERE app.id IN (
                            SELECT id FROM app WHERE removed_at IS NULL AND platform = ?1
                                AND environment IN (?3, ?4) AND integration_key = ?2
                            UNION ALL SELECT a.id FROM app_key k JOIN app a ON a.id = k.app_id
                            WHERE k.key = ?2 AND a.platform = ?1 AND a.removed_at IS NULL)
                    ORDER BY environment LIMIT 1
                    """,
                arguments: [
                    platform.rawValue, integrationKey, PushEnvironment.production.rawValue,
                    PushEnvironment.sandbox.rawValue,
                ]
            ).map { try App(row: $0) }
        }
    }

    /// Returns the icon; `nil` if the app has none.
    package func icon(of app: AppID) throws(StoreError) -> AppIcon? {
        try connection.read("read an icon") { db in
            let row = try db.row(
                sql: "SELECT image FROM app_icon WHERE app_id = ?1", arguments: [app.rawValue])
            guard let row else { return nil }
            guard let icon = try? AppIcon(png: row["image"] as [UInt8]) else { throw UnreadableValue() }
            return icon
        }
    }

    package func app(_ id: AppID) throws(StoreError) -> App? {
        try connection.read("find an app") { try App.find(id, $0).flatMap { isAdmitted($0) ? $0 : nil } }
    }

    private func isAdmitted(_ app: App) -> Bool { bounds.admit(app.service) }
}
