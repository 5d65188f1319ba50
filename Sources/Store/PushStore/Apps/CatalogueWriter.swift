internal import Glibc
package import PushModel

/// Creates, changes and deletes services and apps. A refusal changes nothing.
package struct CatalogueWriter: Sendable {
    let connection: Connection
    let key: InstanceKey
    /// The services whose apps an error may name.
    var bounds = ServiceBounds.unbound

    /// Creates a service. Refuses a second service with the same name.
    /// - Parameter complete: Sets the other properties of the service.
    package func createService(
        name: String, label: String, _ complete: (inout Service) -> Void = { _ in }
    ) throws(StoreError) -> Service {
        var draft = Service(id: ServiceID(rawValue: 0), name: name, label: label)
        complete(&draft)
        return try connection.write("create a service") { db in
            guard try Service.find(named: name, db) == nil else {
                throw error(.duplicate(.service, name: name))
            }
            var service = draft
            let id = try db.insert(Service.insertion, [name] + draft.values)
            service.id = ServiceID(rawValue: id)
            return service
        }
    }

    /// Changes the properties of a service, except its name. Refuses a name that no service has.
    package func updateService(
        named name: String, _ change: (inout Service) -> Void
    ) throws(StoreError) -> Service {
        try connection.write("update a service") { db in
            guard var service = try Service.find(named: name, db) else {
                throw error(.unknown(.service, name: name))
            }
            change(&service)
            try db.execute(sql: Service.change, arguments: [service.id.rawValue] + service.values)
            return service
        }
    }

    /// Deletes a service with its templates and drafts; the logs of messages sent to its apps remain. Refused
    /// while the service has an app or a webhook. Templates and drafts that remain after an interruption are
    /// deleted with the next deletion of any service.
    package func deleteService(named name: String) throws(StoreError) {
        try removeService(named: name)
        while try removeTemplatesOfRemovedServices() {}
        while try removeDraftsOfRemovedServices() {}
    }

    private func removeService(named name: String) throws(StoreError) {
        try connection.write("delete a service") { db in
            guard let present = try Service.find(named: name, db) else {
                throw error(.unknown(.service, name: name))
            }
            let app = try db.value(
                String.self,
                sql: "SELECT name FROM app WHERE service_id = ?1 AND removed_at IS NULL ORDER BY name",
                arguments: [present.id.rawValue])
            if let app { throw error(.hasApps(service: name, app: app)) }
            let webhook = try db.value(
                String.self, sql: "SELECT name FROM webhook WHERE service_id = ?1 ORDER BY name",
                arguments: [present.id.rawValue])
            if let webhook { throw error(.hasWebhook(service: name, webhook: webhook)) }
            // Deleted apps keep their rows, so their service keeps its row as well. The new name contains a
            // line break, which no name given by a user contains, so another service can have the original
            // name.
            try db.execute(
                sql: "UPDATE service SET removed_at = ?2, name = ?3 WHERE id = ?1",
                arguments: [present.id.rawValue, Self.nowSeconds, "\(name)\n\(present.id.rawValue)"])
        }
    }

    /// Creates an app. Refuses a second app with the same name, an unknown service, an integration key that
    /// another app has, and a certificate that an app in the other environment uses.
    package func createApp(
        _ settings: AppSettings, service: String, credential: OpaqueCredential?, icon: AppIcon? = nil
    ) throws(StoreError) -> App {
        try connection.write("create an app") { db in
            try create(settings, service: service, credential, icon, db)
        }
    }

    /// Creates both apps, each with its own credential and with the same icon, or neither. Refuses everything
    /// that ``createApp(_:service:credential:icon:)`` refuses.
    package func createPair(
        _ first: (settings: AppSettings, credential: OpaqueCredential?),
        _ second: (settings: AppSettings, credential: OpaqueCredential?), service: String,
        icon: AppIcon? = nil
    ) throws(StoreError) -> (App, App) {
        try connection.write("create a pair of apps") { db in
            (
                try create(first.settings, service: service, first.credential, icon, db),
                try create(second.settings, service: service, second.credential, icon, db)
            )
        }
    }

    private func create(
        _ settings: AppSettings, service: String, _ credential: OpaqueCredential?, _ icon: AppIcon?,
        _ db: any Session
    ) throws -> App {
        guard let service = try Service.find(named: service, db) else {
            throw error(.unknown(.service, name: service))
        }
        try refuseConflicts(of: settings, replacing: nil, db)
        var columns = try settings.columns()
        columns.append("service_id", service.id.rawValue)
        let id = AppID(rawValue: try db.insert("INSERT INTO app \(columns.insertion)", columns.arguments))
        let revision = try AppRevision(settings).insert(of: id, db)
        try IntegrationKeys(db: db).set(settings, of: id, at: Self.nowSeconds)
        if let credential { try seal(credential, of: id, db) }
        if let icon { try set(icon, of: id, db) }
        return App(id: id, service: service.id, revision: revision, settings: settings, icon: icon?.facts)
    }

    /// Changes an app. Refuses everything that ``createApp(_:service:credential:)`` refuses, and a different
    /// environment for an app that has subscribers, because the subscribers' tokens belong to the current
    /// environment. Deliveries that were submitted earlier keep their binding (``AppRevision``); see
    /// ``bindLiveDeliveries(of:pause:)``.
    /// - Parameters:
    ///   - credential: `nil` keeps the current one.
    ///   - icon: `nil` keeps the current one; `.some(nil)` removes it.
    ///   - checked: The app from which the settings were derived. If the app has changed since, the call
    ///     fails with ``StoreError/Cause/changedMeanwhile(app:)``, so that no change is lost.
    package func updateApp(
        _ app: AppID, to settings: AppSettings, credential: OpaqueCredential?, icon: AppIcon?? = nil,
        checkedAgainst checked: App? = nil
    ) throws(StoreError) -> App {
        try connection.write("update an app") { db in
            try update(app, to: settings, credential: credential, icon: icon, checkedAgainst: checked, db)
        }
    }

    /// Changes both apps of a pair, or neither, and keeps their credentials. Refuses everything that
    /// ``updateApp(_:to:credential:icon:checkedAgainst:)`` refuses.
    /// - Parameters:
    ///   - changes: The apps from which the settings were derived, and the settings.
    ///   - icon: `nil` keeps the current icons; `.some(nil)` removes them.
    package func updateApps(
        _ changes: [(checked: App, settings: AppSettings)], icon: AppIcon?? = nil
    ) throws(StoreError) -> [App] {
        try connection.write("update a pair of apps") { db in
            try changes.map { change in
                try update(
                    change.checked.id, to: change.settings, credential: nil, icon: icon,
                    checkedAgainst: change.checked, db)
            }
        }
    }

    private func update(
        _ app: AppID, to settings: AppSettings, credential: OpaqueCredential?, icon: AppIcon??,
        checkedAgainst checked: App?, _ db: any Session
    ) throws -> App {
        guard let present = try App.find(app, db) else {
            throw error(.unknown(.app, name: settings.name))
        }
        if let checked, checked != present { throw error(.changedMeanwhile(app: settings.name)) }
        try refuseConflicts(of: settings, replacing: present, db)
        if present.settings.environment != settings.environment { try refuseSubscribed(present, db) }
        try keepFormerConnection(of: present, replacedBy: settings, credential, db)
        let columns = try settings.columns()
        try db.execute(
            sql:
                """
                UPDATE app SET \(columns.assignments), revision = revision + 1 WHERE id = \
                ?\(columns.count + 1)
                """,
            arguments: columns.arguments + [app.rawValue])
        if present.settings.integrationKeys.map(ExactText.init)
            != settings.integrationKeys.map(ExactText.init)
        {
            try IntegrationKeys(db: db).set(settings, of: app, at: Self.nowSeconds)
        }
        if let credential { try seal(credential, of: app, db) }
        if let icon { try set(icon, of: app, db) }
        if present.settings.parameters != settings.parameters {
            try UndeclaredParameters(db: db).forget(app)
        }
        let revision = try revise(present, to: settings, db)
        return App(
            id: app, service: present.service, revision: revision, settings: settings,
            icon: icon.map { $0?.facts } ?? present.icon)
    }

    private func set(_ icon: AppIcon?, of app: AppID, _ db: any Session) throws {
        guard let icon else {
            return try db.run(sql: "DELETE FROM app_icon WHERE app_id = ?1", arguments: [app.rawValue])
        }
        try db.execute(
            sql: """
                INSERT INTO app_icon (app_id, width, height, image) VALUES (?1, ?2, ?3, ?4)
                ON CONFLICT (app_id) DO UPDATE
                    SET width = excluded.width, height = excluded.height, image = excluded.image
                """,
            arguments: [app.rawValue, icon.width, icon.height, icon.png])
    }

    private func refuseSubscribed(_ app: App, _ db: any Session) throws {
        let range = SubscriptionRange(app.id)
        let isSubscribed = try db.value(
            Bool.self, sql: "SELECT EXISTS (SELECT 1 FROM subscription WHERE id BETWEEN ?1 AND ?2)",
            arguments: [range.first, range.last])
        if isSubscribed == true { throw error(.hasSubscribers(app: app.name)) }
    }

    private func seal(_ credential: OpaqueCredential, of app: AppID, _ db: any Session) throws {
        try db.execute(
            sql: """
                INSERT INTO credential (app_id, sealed, changed_at) VALUES (?1, ?2, ?3)
                ON CONFLICT (app_id) DO UPDATE SET sealed = excluded.sealed, changed_at = excluded.changed_at
                """,
            arguments: [
                app.rawValue, SealedCredential.seal(credential, of: app, under: key),
                Self.nowSeconds,
            ])
    }

    private func refuseConflicts(
        of settings: AppSettings, replacing present: App?, _ db: any Session
    ) throws {
        /// Returns the name of another app for which the condition holds: `.some(nil)` if the caller must not
        /// learn the name.
        func other(_ condition: String, _ arguments: [any SQLConvertible]) throws -> String?? {
            let row = try db.row(
                sql: """
                    SELECT name, service_id FROM app WHERE removed_at IS NULL AND id <> ?1 AND \(condition)
                    """,
                arguments: [present?.id.rawValue ?? 0] + arguments)
            return try row.map { row in
                bounds.admit(ServiceID(rawValue: try row["service_id"])) ? try row["name"] : nil
            }
        }
        if try other("name = ?2", [settings.name]) != nil {
            throw error(.duplicate(.app, name: settings.name))
        }
        for key in settings.integrationKeys {
            // Earlier versions allowed apps on different platforms or in different environments to share a
            // key. All other settings of such an app can still be changed.
            let isOwnKey = present?.settings.integrationKeys.contains { ExactText($0) == ExactText(key) }
            if let app = try isOwnKey == true
                ? other(
                    "platform = ?2 AND environment = ?3 AND integration_key = ?4",
                    [settings.platform.rawValue, settings.environment.rawValue, key])
                : other(
                    "(integration_key = ?2 OR id IN (SELECT app_id FROM app_key WHERE key = ?2))", [key])
            {
                throw error(.duplicateIntegrationKey(app: app))
            }
        }
        // If a certificate served both environments, one wrong click could send a test to all users.
        if settings.credentialIdentity.hasPrefix("certificate:"),
            let app = try other(
                "credential_identity = ?2 AND environment <> ?3",
                [settings.credentialIdentity, settings.environment.rawValue])
        {
            throw error(.certificateSharedWith(app: app))
        }
    }

    static var nowSeconds: Int64 { Int64(time(nil)) }

    func error(_ cause: StoreError.Cause) -> StoreError { StoreError(cause, path: connection.path) }
}
