internal import GatewayAPNs
internal import GatewayKit
internal import PushConfig
internal import PushConnectors
internal import PushModel
package import PushStore

/// Changes an application. A new credential must pass the checks of ``CreateApp``.
package struct UpdateApp: Change, UseCase {
    package static let name = "app.update"
    package static let operation = Operation(
        .patch, "/apps/{name}", .admin, "Updates an app.", maxBodyBytes: AppFields.maxBodyBytes)
    package static let example =
        #"{"label": "Neotrips for iOS", "parameters": [{"name": "city", "kind": "text"}]}"#
    package static let members: [Member<Self>] =
        [.path(\.name, "name", AppFields.nameHelp)] + Member.all(of: \.changes) + [
            .field(
                \.addedIntegrationKey, "addedIntegrationKey",
                """
                A second integration key, for a new build of the app. Devices can register with both keys \
                until one of them is retired.
                """,
                absent: "none"),
            .field(
                \.retiredIntegrationKey, "retiredIntegrationKey",
                """
                The key to remove from an app that has two. Builds of the app that have this key can no \
                longer register.
                """,
                absent: "none"),
            .field(
                \.removedVariables, "removedVariables", "The names of the variables to remove.", default: []),
            .field(
                \.removedSounds, "removedSounds", "The internal names of the sounds to remove.", default: []),
            .field(
                \.removedCategories, "removedCategories",
                "The internal names of the categories to remove.", default: []),
            .field(
                \.removedParameters, "removedParameters", "The names of the parameters to remove.",
                default: []),
            .field(\.removesIcon, "removesIcon", "Whether to remove the icon.", default: false),
            .field(
                \.pair, "pair",
                """
                Whether to change both apps of the pair: this app, and the app of the other environment. \
                Only for what a pair shares: label, icon, variables, sounds, categories and parameters.
                """,
                default: false),
            .field(
                \.liveDeliveries, "liveDeliveries",
                """
                Whether the changes also apply to deliveries that have not ended. A new credential \
                always applies to them.
                """,
                default: false),
        ]
    package var followUpCommand: String { "app list" }
    package var auditText: AuditText? { .of(name) }

    package var name = ""
    package var changes = Changes<AppFields>()
    package var addedIntegrationKey: String?
    package var retiredIntegrationKey: String?
    package var removedVariables: [String] = []
    package var removedSounds: [String] = []
    package var removedCategories: [String] = []
    package var removedParameters: [String] = []
    package var removesIcon = false
    package var pair = false
    package var liveDeliveries = false

    package init() {}

    package func perform(in operations: Operations) throws -> AppChange {
        let change = try commit(in: operations)
        if liveDeliveries { try change.bindLiveDeliveries(in: operations) }
        return change
    }

    package func begin(
        in operations: Operations, then: @escaping @Sendable (Result<AppChange, OperationError>) -> Void
    ) {
        guard liveDeliveries else { return commit(in: operations, then: then) }
        // After the app has been changed, further transactions bind its deliveries to the new settings. The
        // calling thread waits for these transactions.
        then(Result { () throws(OperationError) in try operations.carryOut(self) })
    }

    package func prepare(in operations: Operations) throws -> Step<AppChange> {
        let app = try operations.requireApp(named: name)
        if pair { return try prepare(AppPair(of: app, in: operations.store.catalogue), in: operations) }
        // An app must have these values, so null leaves them unchanged.
        let (file, bundleId) = (changes[\.credential] ?? nil, changes[\.bundleId] ?? nil)
        let change = try ConnectorSwitch(
            of: app, to: changes[\.connector], credential: file, bundleID: bundleId)
        try change.checkLiveDeliveries(in: operations.store, operations.settings.nmac)
        let credential = change.credential
        var settings = change.settings
        if let environment = changes[\.environment] { settings.environment = environment }
        let certificate = try shownCertificate(change, in: operations)
        if file != nil || settings.connector != app.settings.connector
            || settings.environment != app.settings.environment
        {
            try AppRules.check(certificate, of: file, in: settings.environment)
        }
        let (bundleID, unlikely) = AppRules.bundleID(settings.bundleID, shownWith: certificate)
        settings.bundleID = bundleID
        let icon = try icon()
        if let integrationKey = changes[\.integrationKey] {
            try NameRule.check(integrationKey, "the integration key")
            settings.integrationKey = integrationKey
        }
        let retirement = try changeKeys(of: app, &settings, in: operations)
        if let format = changes[\.messageIdFormat] {
            settings.messageIDFormat = format ?? operations.settings.tracking.messageIDFormat
        }
        try changeShared(&settings)
        var warnings =
            retirement + unlikely
            + AppRules.warnings(of: settings, credential: certificate, operations.settings.nmac)
        if !liveDeliveries, ConnectorSwitch.isBoundOtherwise(app.settings, settings) {
            warnings += try Self.unchanged(boundTo: app, in: operations.store.catalogue)
        }
        let key = try operations.key()
        let forgetApps = operations.forgetApps
        return Step(effects: { _ in forgetApps() }) { [settings, warnings] store in
            let updated = try store.catalogueWriter(key: key).updateApp(
                app.id, to: settings, credential: credential?.opaque, icon: icon, checkedAgainst: app)
            return AppChange(
                try AppView(updated, in: store.catalogue), warnings: warnings, credential: credential)
        }
    }

    // MARK: What the apps of a pair share

    private static let shared = ["label", "icon", "variables", "sounds", "categories", "parameters"]

    private func prepare(_ pair: AppPair, in operations: Operations) throws -> Step<AppChange> {
        let keys = [
            addedIntegrationKey.map { _ in "addedIntegrationKey" },
            retiredIntegrationKey.map { _ in "retiredIntegrationKey" },
        ]
        let own = changes.names.filter { !Self.shared.contains($0) } + keys.compactMap(\.self)
        guard own.isEmpty else {
            throw OperationError.refused(
                "\(own.joined(separator: ", ")): the apps of a pair share only "
                    + "\(Self.shared.joined(separator: ", ")); change other settings separately for each app")
        }
        let icon = try icon()
        let (production, sandbox) = (pair.production, pair.sandbox)
        let before = (production.settings, sandbox.settings)
        var after = before
        try changeShared(&after.0, alsoIn: before.1)
        try changeShared(&after.1, alsoIn: before.0)
        var warnings: [String] = []
        for (app, settings) in [(production, after.0), (sandbox, after.1)]
        where !liveDeliveries && ConnectorSwitch.isBoundOtherwise(app.settings, settings) {
            warnings += try Self.unchanged(boundTo: app, in: operations.store.catalogue)
        }
        let key = try operations.key()
        let forgetApps = operations.forgetApps
        return Step(effects: { _ in forgetApps() }) { [after, warnings] store in
            let updated = try store.catalogueWriter(key: key).updateApps(
                [(production, after.0), (sandbox, after.1)], icon: icon)
            let views = try updated.map { try AppView($0, in: store.catalogue) }
            var change = AppChange(views[0], warnings: warnings, credential: nil)
            change.sandbox = views[1]
            return change
        }
    }

    /// Returns the new icon: `nil` keeps the present one, and `.some(nil)` removes it.
    private func icon() throws(OperationError) -> AppIcon?? {
        guard let given = changes[\.icon] else { return removesIcon ? .some(nil) : nil }
        guard let image = given else { return .some(nil) }
        return .some(try image.icon())
    }

    /// Applies the changes to the settings that the apps of a pair share.
    /// - Parameter other: The settings of the pair's other app, if both apps are changed. If only the other
    ///   app has an item that is to be removed, there is nothing to remove here.
    private func changeShared(
        _ settings: inout AppSettings, alsoIn other: AppSettings? = nil
    ) throws(OperationError) {
        if let label = changes[\.label] {
            try NameRule.check(label: label ?? "", "the app's label")
            settings.label = label ?? ""
        }
        let (variables, sounds) = (changes[\.variables] ?? [], changes[\.sounds] ?? [])
        let (categories, parameters) = (changes[\.categories] ?? [], changes[\.parameters] ?? [])
        settings.variables = try Self.merged(
            settings.variables,
            with: try AppRules.checked(variables, platform: settings.platform), without: removedVariables,
            alsoIn: other?.variables, name: { $0.name }, kind: "variable")
        settings.sounds = try Self.merged(
            settings.sounds, with: try AppRules.checked(sounds), without: removedSounds,
            alsoIn: other?.sounds, name: { $0.internalName }, kind: "sound")
        settings.categories = try Self.merged(
            settings.categories, with: try AppRules.checked(categories), without: removedCategories,
            alsoIn: other?.categories, name: { $0.internalName }, kind: "category")
        settings.parameters = try Self.merged(
            settings.parameters, with: try AppRules.checked(parameters, besides: settings.parameters),
            without: removedParameters,
            alsoIn: other?.parameters, name: { $0.name }, kind: "parameter")
    }

    /// If the change affects the certificate that the app presents, returns the certificate that it presents
    /// after the change: the new certificate, or the one that the app has. An app with the stub connector
    /// presents none.
    private func shownCertificate(
        _ change: ConnectorSwitch, in operations: Operations
    ) throws -> VerifiedCredential? {
        if let given = change.credential { return given }
        let kinds = ConnectorCatalogue.credentialKinds(for: change.settings.connector)
        let concernsIt =
            changes[\.connector] != nil || changes[\.environment] != nil || changes[\.bundleId] != nil
        guard concernsIt, kinds.contains(.apnsCertificate),
            CredentialKind(identity: change.settings.credentialIdentity)
                == .apnsCertificate
        else { return nil }
        // A stored credential that cannot be opened cannot be used for sending either. The engine reports
        // that when it sends.
        let stored = try? operations.store.credentials(key: try operations.key()).credential(
            of: change.app.id)
        return stored.flatMap { CredentialIntake.certificate(in: $0) }
    }

    /// Returns a warning if a delivery that has not ended keeps the previous settings. An operator who
    /// corrects a wrong topic must know that messages that wait because of the wrong topic will continue to
    /// wait.
    static func unchanged(boundTo app: App, in catalogue: Catalogue) throws(StoreError) -> [String] {
        guard let delivery = try catalogue.liveDelivery(boundTo: app.revision) else { return [] }
        return [
            "messages that were already submitted, such as those of delivery \(delivery), which has not "
                + "ended, keep the previous settings; use liveDeliveries (app update \(app.settings.name) "
                + "--live-deliveries) to apply the change to them, too"
        ]
    }

    /// Returns the present items without the removed items and with the changes applied: a change replaces
    /// the item of the same name at its position, or is appended if no item has the name.
    private static func merged<Item>(
        _ present: [Item], with changes: [Item], without removed: [String], alsoIn other: [Item]?,
        name: (Item) -> String, kind: String
    ) throws(OperationError) -> [Item] {
        var items = present
        for removedName in removed {
            guard let index = items.firstIndex(where: { name($0) == removedName }) else {
                if other?.contains(where: { name($0) == removedName }) == true { continue }
                throw .refused(
                    "there is no \(kind) \(removedName) to remove; \(see: ShowApp.self) shows all")
            }
            items.remove(at: index)
        }
        for change in changes {
            if let index = items.firstIndex(where: { name($0) == name(change) }) {
                items[index] = change
            } else {
                items.append(change)
            }
        }
        return items
    }
}
