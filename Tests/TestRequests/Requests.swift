package import PushAPI
package import PushModel

// Requests as tests write them. The product makes each of them from a command line or an HTTP request.

extension CreateAccessToken {
    package init(name: String, scopes: [AccessScope], services: [String]? = nil) {
        self.init()
        (self.name, self.scopes, self.services) = (name, scopes, services)
    }
}

extension CreatePerson {
    package init(name: String, _ fields: RoleFields) {
        self.init()
        (self.name, self.fields) = (name, fields)
    }
}

extension SetPersonRole {
    package init(name: String, _ fields: RoleFields, isForced: Bool = false) {
        self.init()
        (self.name, self.fields, self.isForced) = (name, fields, isForced)
    }
}

extension ResetPerson {
    package init(name: String) {
        self.init()
        self.name = name
    }
}

extension RemovePerson {
    package init(name: String, isForced: Bool = false) {
        self.init()
        (self.name, self.isForced) = (name, isForced)
    }
}

extension ShowPerson {
    package init(name: String) {
        self.init()
        self.name = name
    }
}

extension ListSessions {
    package init(name: String) {
        self.init()
        self.name = name
    }
}

extension EndSessions {
    package init(name: String, session: Int64? = nil) {
        self.init()
        (self.name, self.session) = (name, session)
    }
}

extension CreateApp {
    package init(
        name: String, service: String, platform: Platform, integrationKey: String, connector: String,
        environment: PushEnvironment = .production, bundleId: String? = nil,
        credential: CredentialFile? = nil,
        variables: [AppVariable] = [], sounds: [AppSound] = [], categories: [AppCategory] = [],
        parameters: [ParameterDeclaration] = [],
        messageIdFormat: MessageIDFormat? = nil, label: String? = nil, icon: AppIconImage? = nil,
        pair: Bool = false, sandboxCredential: CredentialFile? = nil
    ) {
        self.init()
        self.sandboxCredential = sandboxCredential
        (self.name, self.service, self.platform, self.pair) = (name, service, platform, pair)
        (fields.label, fields.integrationKey, fields.connector) = (label, integrationKey, connector)
        (fields.environment, fields.bundleId, fields.credential) = (environment, bundleId, credential)
        (fields.variables, fields.sounds, fields.parameters) = (variables, sounds, parameters)
        (fields.messageIdFormat, fields.icon) = (messageIdFormat, icon)
        fields.categories = categories
    }
}

extension ConnectionFields {
    package init(
        connector: String? = nil, environment: PushEnvironment? = nil, bundleId: String? = nil,
        credential: CredentialFile? = nil
    ) {
        self.init()
        (self.connector, self.environment) = (connector, environment)
        (self.bundleId, self.credential) = (bundleId, credential)
    }
}

extension CreateService {
    package init(name: String, label: String? = nil, _ complete: (inout ServiceFields) -> Void = { _ in }) {
        self.init()
        self.name = name
        fields.label = label
        complete(&fields)
    }
}

extension CreateWebhook {
    package init(
        name: String, url: String, events: [WebhookEventKind], service: String?, authorities: String?
    ) {
        self.init()
        self.name = name
        (fields.url, fields.events, fields.service) = (url, events, service)
        fields.authorities = authorities
    }
}

extension DeleteApp {
    package init(name: String) {
        self.init()
        self.name = name
    }
}

extension DeleteService {
    package init(name: String) {
        self.init()
        self.name = name
    }
}

extension DeleteTemplate {
    package init(name: String, service: String?) {
        self.init()
        (self.name, self.service) = (name, service)
    }
}

extension DeleteWebhook {
    package init(name: String) {
        self.init()
        self.name = name
    }
}

extension ExplainApp {
    package init(app: String) {
        self.init()
        self.app = app
    }
}

extension ListApps {
    package init(service: String?) {
        self.init()
        self.service = service
    }
}

extension ListTemplates {
    package init(service: String?) {
        self.init()
        self.service = service
    }
}

extension ReadAudit {
    package init(before: Int64? = nil, limit: Int = 100) {
        self.init()
        (self.before, self.limit) = (before, limit)
    }
}

extension ReadDeliveryLogPage {
    package init(
        id: DeliveryID, userKey: String? = nil, token: String? = nil, after: Int64? = nil, limit: Int = 1_000
    ) {
        self.init()
        (self.id, self.userKey, self.token) = (id, userKey, token)
        (self.after, self.limit) = (after, limit)
    }
}

extension RevokeAccessToken {
    package init(name: String) {
        self.init()
        self.name = name
    }
}

extension RotateWebhookSecret {
    package init(name: String) {
        self.init()
        self.name = name
    }
}

extension ShowAppIcon {
    package init(name: String) {
        self.init()
        self.name = name
    }
}

extension ShowDeliveryStatistics {
    package init(id: DeliveryID, looksAtDevices: Bool = false) {
        self.init()
        self.id = id
        self.looksAtDevices = looksAtDevices
    }
}

extension ShowService {
    package init(name: String) {
        self.init()
        self.name = name
    }
}

extension ShowServiceStatistics {
    package init(name: String) {
        self.init()
        self.name = name
    }
}

extension ShowWebhook {
    package init(name: String) {
        self.init()
        self.name = name
    }
}

extension TestWebhook {
    package init(name: String) {
        self.init()
        self.name = name
    }
}

extension UpdateApp {
    /// - Parameters:
    ///   - connector: If this connector cannot use the app's credential, `credential` must be given.
    ///   - variables: Variables that are added, or that replace those of the same name. Sounds and parameters
    ///     work in the same way.
    ///   - label: An empty label is removed.
    package init(
        name: String, integrationKey: String? = nil, bundleId: String? = nil,
        environment: PushEnvironment? = nil, credential: CredentialFile? = nil,
        variables: [AppVariable] = [], removedVariables: [String] = [], sounds: [AppSound] = [],
        removedSounds: [String] = [], categories: [AppCategory] = [], removedCategories: [String] = [],
        parameters: [ParameterDeclaration] = [],
        removedParameters: [String] = [],
        messageIdFormat: MessageIDFormat? = nil, liveDeliveries: Bool = false, label: String? = nil,
        icon: AppIconImage? = nil, removesIcon: Bool = false, connector: String? = nil, pair: Bool = false
    ) {
        self.init()
        self.pair = pair
        (self.name, self.removesIcon, self.liveDeliveries) = (name, removesIcon, liveDeliveries)
        (self.removedVariables, self.removedSounds) = (removedVariables, removedSounds)
        (self.removedCategories, self.removedParameters) = (removedCategories, removedParameters)
        changes.set(\.label, to: label.map { .some($0) })
        changes.set(\.integrationKey, to: integrationKey)
        changes.set(\.bundleId, to: bundleId.map { .some($0) })
        changes.set(\.connector, to: connector)
        changes.set(\.environment, to: environment)
        changes.set(\.credential, to: credential.map { .some($0) })
        changes.set(\.messageIdFormat, to: messageIdFormat.map { .some($0) })
        changes.set(\.variables, to: variables)
        changes.set(\.sounds, to: sounds)
        changes.set(\.categories, to: categories)
        changes.set(\.parameters, to: parameters)
        changes.set(\.icon, to: icon.map { .some($0) })
    }
}

extension UpdateService {
    package init(
        name: String, label: String? = nil, _ change: (inout Changes<ServiceFields>) -> Void = { _ in }
    ) {
        self.init()
        self.name = name
        changes.set(\.label, to: label.map { .some($0) })
        change(&changes)
    }
}

extension UpdateWebhook {
    package init(name: String) {
        self.init()
        self.name = name
    }
}
