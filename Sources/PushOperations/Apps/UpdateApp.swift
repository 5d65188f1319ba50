internal import PushConfig
internal import PushConnectors
package import PushModel
package import PushStore

/// Changes an application; what is nil stays as it is. A new credential is checked as ``CreateApp`` does.
package struct UpdateApp: ChangingOperation {
    package static let name = "app.update"
    package var lookAfterwards: String { "app list" }
    package var auditText: AuditText? { .of(name) }

    package var name: String
    /// Empty takes it away.
    package var label: String?
    package var integrationKey: String?
    package var bundleId: String?
    /// A connector's name, or a path that ends in Campaign's page. If the app's credential is not one that this
    /// connector can use, ``credential`` must be given.
    package var connector: String?
    /// Refused once the app has subscribers: their tokens belong to the environment that it has.
    package var environment: PushEnvironment?
    package var credential: CredentialFile?
    /// Added, or changed where there is one of that name.
    package var variables: [AppView.Variable]
    package var removedVariables: [String]
    /// Added, or changed where there is one of that name.
    package var sounds: [AppView.Sound]
    /// By their internal names.
    package var removedSounds: [String]
    /// Added, or changed where there is one of that name. What devices have registered with stays.
    package var parameters: [AppView.Parameter]
    package var removedParameters: [String]
    package var messageIdFormat: MessageIDFormat?
    package var icon: AppIconImage?
    package var removesIcon: Bool
    /// Whether deliveries that have not ended take what is sent from the app as it is after this, too;
    /// otherwise they keep what they were submitted with. A credential holds for them in any case.
    package var liveDeliveries: Bool

    package init(
        name: String, integrationKey: String? = nil, bundleId: String? = nil,
        environment: PushEnvironment? = nil, credential: CredentialFile? = nil,
        variables: [AppView.Variable] = [], removedVariables: [String] = [], sounds: [AppView.Sound] = [],
        removedSounds: [String] = [], parameters: [AppView.Parameter] = [], removedParameters: [String] = [],
        messageIdFormat: MessageIDFormat? = nil, liveDeliveries: Bool = false, label: String? = nil,
        icon: AppIconImage? = nil, removesIcon: Bool = false, connector: String? = nil
    ) {
        self.name = name
        self.connector = connector
        self.label = label
        self.icon = icon
        self.removesIcon = removesIcon
        self.integrationKey = integrationKey
        self.bundleId = bundleId
        self.environment = environment
        self.credential = credential
        self.variables = variables
        self.removedVariables = removedVariables
        self.sounds = sounds
        self.removedSounds = removedSounds
        self.parameters = parameters
        self.removedParameters = removedParameters
        self.messageIdFormat = messageIdFormat
        self.liveDeliveries = liveDeliveries
    }

    package func perform(in operations: Operations) throws -> AppChange {
        let app = try operations.requireApp(named: name)
        let change = try ConnectorSwitch(
            of: app, to: connector, credential: credential, bundleID: bundleId)
        try change.checkLiveDeliveries(in: operations.store)
        let credential = change.credential
        var settings = change.settings
        if let environment { settings.environment = environment }
        let certificate = try shownCertificate(change, in: operations)
        if self.credential != nil || settings.connector != app.settings.connector
            || settings.environment != app.settings.environment
        {
            try AppRules.check(certificate, of: self.credential, in: settings.environment)
        }
        let (bundleID, unlikely) = AppRules.bundleID(settings.bundleID, shownWith: certificate)
        settings.bundleID = bundleID
        if let label {
            try NameRule.check(label: label, "the app's label")
            settings.label = label
        }
        var iconChange: AppIcon??
        if let icon { iconChange = .some(try icon.icon()) } else if removesIcon { iconChange = .some(nil) }
        if let integrationKey {
            try NameRule.check(integrationKey, "the integration key")
            settings.integrationKey = integrationKey
        }
        if let messageIdFormat { settings.messageIDFormat = messageIdFormat }
        settings.variables = try Self.merged(
            settings.variables,
            with: try AppRules.checked(variables.map(AppVariable.init), platform: settings.platform),
            without: removedVariables, name: { $0.name }, kind: "variable")
        settings.sounds = try Self.merged(
            settings.sounds, with: try AppRules.checked(sounds.map(AppSound.init)), without: removedSounds,
            name: { $0.internalName }, kind: "sound")
        settings.parameters = try Self.merged(
            settings.parameters, with: try AppRules.checked(parameters.map(ParameterDeclaration.init)),
            without: removedParameters, name: { $0.name }, kind: "parameter")
        let writer = operations.store.catalogueWriter(key: try operations.key())
        let updated = try writer.updateApp(
            app.id, to: settings, credential: credential?.opaque, icon: iconChange)
        var warnings =
            unlikely + AppRules.warnings(of: settings, credential: certificate, operations.settings.nmac)
        if liveDeliveries {
            var throttle = BulkWriteThrottle(operations)
            try writer.bindLiveDeliveries(of: app.id, pause: { throttle.pause() })
        } else if ConnectorSwitch.isBoundOtherwise(app.settings, settings) {
            warnings += try Self.unchanged(boundTo: app, in: operations.store.catalogue)
        }
        return AppChange(
            try AppView(updated, in: operations.store.catalogue), warnings: warnings, credential: credential)
    }

    /// The certificate that the app shows after the change, if the change makes a difference to it: the new one, or
    /// the one that the app has. An app with the stub connector shows none.
    private func shownCertificate(
        _ change: ConnectorSwitch, in operations: Operations
    ) throws -> IntakenCredential? {
        if let given = change.credential { return given }
        let kinds = ConnectorCatalogue.credentialKinds(for: change.settings.connector)
        guard connector != nil || environment != nil || bundleId != nil, kinds.contains(.apnsCertificate),
            ConnectorCatalogue.CredentialKind(identity: change.settings.credentialIdentity)
                == .apnsCertificate
        else { return nil }
        // One that cannot be opened cannot be used either: the engine reports that where it sends.
        let stored = try? operations.store.credentials(key: try operations.key()).credential(
            of: change.app.id)
        return stored.flatMap { CredentialIntake.certificate(in: $0) }
    }

    /// Who corrects a topic for which messages wait must know that they wait on.
    private static func unchanged(boundTo app: App, in catalogue: Catalogue) throws(StoreError) -> [String] {
        guard let delivery = try catalogue.liveDelivery(boundTo: app.revision) else { return [] }
        return [
            "what was submitted before goes out as it was submitted, as delivery \(delivery), which has not ended: "
                + "'app update \(app.name) --live-deliveries' changes that too"
        ]
    }

    /// What is there, changed: an item of the same name is replaced in its place, a new one stands at the
    /// end.
    private static func merged<Item>(
        _ present: [Item], with changes: [Item], without removed: [String], name: (Item) -> String,
        kind: String
    ) throws(OperationError) -> [Item] {
        var items = present
        for removedName in removed {
            guard let index = items.firstIndex(where: { name($0) == removedName }) else {
                throw .refused("there is no \(kind) \(removedName) to remove")
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
