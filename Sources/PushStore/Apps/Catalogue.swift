internal import GRDB
package import PushModel

/// Reads services and apps. Never touches a credential.
package struct Catalogue: Sendable {
    let connection: Connection

    package func services() throws(StoreError) -> [Service] {
        try connection.read("list services") { db in
            try Row.fetchAll(
                db, sql: "SELECT id, name, label FROM service WHERE removed_at IS NULL ORDER BY name"
            ).map(Service.init(row:))
        }
    }

    package func service(named name: String) throws(StoreError) -> Service? {
        try connection.read("find a service") { try Service.find(named: name, $0) }
    }

    package func service(_ id: ServiceID) throws(StoreError) -> Service? {
        try connection.read("find a service") { db in
            try Row.fetchOne(db, sql: "SELECT id, name, label FROM service WHERE id = ?", arguments: [id.rawValue])
                .map(Service.init(row:))
        }
    }

    package func apps() throws(StoreError) -> [App] {
        try connection.read("list apps") { db in
            try Row.fetchAll(db, sql: "\(App.selection) WHERE removed_at IS NULL ORDER BY name").map(App.init(row:))
        }
    }

    package func app(named name: String) throws(StoreError) -> App? {
        try connection.read("find an app") { db in
            try Row.fetchOne(db, sql: "\(App.selection) WHERE removed_at IS NULL AND name = ?", arguments: [name])
                .map(App.init(row:))
        }
    }

    package func app(_ id: AppID) throws(StoreError) -> App? {
        try connection.read("find an app") { try App.find(id, $0) }
    }
}

extension Service {
    init(row: Row) {
        self.init(id: ServiceID(rawValue: row["id"]), name: row["name"], label: row["label"])
    }

    static func find(named name: String, _ db: Database) throws -> Service? {
        try Row.fetchOne(
            db, sql: "SELECT id, name, label FROM service WHERE name = ? AND removed_at IS NULL", arguments: [name]
        ).map(Service.init(row:))
    }
}
