internal import PushConnectors
internal import PushModel
internal import PushPayload
internal import PushStore
internal import PushWire
internal import Synchronization

/// A cache of the data that single messages have in common, so that the data need not be determined for each
/// message: the apps that messages name, and contents that were read and checked.
///
/// Apps and templates may be up to a second old. When a message is accepted, the relevant values are compared
/// with the store (``MessageRefusal/appChanged``). If they differ, the apps and templates are read again.
package final class MessageCache: Sendable {
    private static let maxContents = 1_000
    private static let maxNames = 1_000
    private static let maxTemplates = 1_000
    private static let freshMilliseconds: Int64 = 1_000

    /// A service and the apps through which a message may be sent.
    struct ServiceApps: Sendable {
        let service: Service
        let apps: [App]
        let hasHexTokens: Bool

        init(service: Service, apps: [App]) {
            (self.service, self.apps) = (service, apps)
            hasHexTokens = apps.contains { $0.settings.platform.tokens == .hexDigits }
        }
    }
    /// A content as it appears in messages. It is read once, and checked once for each revision of an app.
    struct KnownContent: Sendable {
        var content: Content
        var stored: MessageContent
        /// Warnings that do not depend on an app, one line each.
        var warnings: [String]
        /// The names of the values without which the content can be sent.
        var optionalNames: [String]
    }

    /// A template as messages name it.
    private struct TemplateName: Hashable {
        var service: ServiceID
        var reference: TemplateReference
    }
    /// A content, a revision of an app, and the names of the message's own variables.
    private struct Check: Hashable {
        var content: MessageContent
        var app: AppRevisionID
        var variables: [String]
    }
    /// The result of a check that a content has passed.
    struct Checked: Sendable {
        /// Warnings, one line each.
        var warnings: [String]
        /// The values that the content needs; `nil` if it has no placeholders for this app.
        var needs: NeededValues?
    }
    private struct State {
        var cipher: MessageIDCipher?
        var cipherRead: MonotonicTime?
        var serviceApps: [String: ServiceApps] = [:]
        var serviceAppsRead: MonotonicTime?
        var templates: [TemplateName: NamedTemplate] = [:]
        var templatesRead: MonotonicTime?
        /// The known contents, keyed by their spelling.
        var contents: [[UInt8]: KnownContent] = [:]
        var checks: [Check: Checked] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// Whether data that is missing or not fresh may be read, which may take time.
    enum Reading: Sendable { case allowed, none }
    /// An error that states that data would have to be read.
    struct Unread: Error {}

    /// Returns the cipher with which ids of messages are created. A message must not be accepted if it could
    /// not be sent, and without the instance's key there is no cipher.
    func cipher(in operations: Operations, _ reading: Reading) throws -> MessageIDCipher {
        let now = operations.clock.monotonic()
        let known = state.withLock { state in Self.isFresh(state.cipherRead, at: now) ? state.cipher : nil }
        if let known { return known }
        guard reading == .allowed else { throw Unread() }
        let cipher = MessageIDCipher(key: try operations.key())
        state.withLock { ($0.cipher, $0.cipherRead) = (cipher, now) }
        return cipher
    }

    private static func isFresh(_ read: MonotonicTime?, at now: MonotonicTime) -> Bool {
        read.map { now.milliseconds(since: $0) < freshMilliseconds } ?? false
    }

    /// - Throws: An error if there is no such service or app, or ``Unread``.
    func serviceApps(
        _ scope: MessageDocument.Scope, in operations: Operations, _ reading: Reading
    ) throws -> ServiceApps {
        let now = operations.clock.monotonic()
        let name =
            switch scope {
            case .app(let name): "app \(name)"
            case .service(let name): "service \(name)"
            }
        let known = state.withLock { state -> ServiceApps? in
            if !Self.isFresh(state.serviceAppsRead, at: now) || state.serviceApps.count >= Self.maxNames {
                (state.serviceApps, state.serviceAppsRead) = ([:], now)
            }
            return state.serviceApps[name]
        }
        if let known, operations.bounds.admit(known.service.id) { return known }
        guard reading == .allowed else { throw Unread() }
        let found = try Self.read(scope, in: operations)
        state.withLock { $0.serviceApps[name] = found }
        return found
    }

    private static func read(_ scope: MessageDocument.Scope, in operations: Operations) throws -> ServiceApps
    {
        switch scope {
        case .app(let name):
            let app = try operations.requireApp(named: name)
            guard let service = try operations.store.catalogue.service(app.service) else {
                throw OperationError.refused("app \(name) has no service")
            }
            return ServiceApps(service: service, apps: [app])
        case .service(let name):
            _ = try operations.requireService(named: name)
            guard let (service, apps) = try operations.store.catalogue.serviceWithApps(named: name) else {
                throw OperationError.refused(
                    "service \(name) was deleted in the meantime; \(see: ListServices.self) shows all "
                        + "services")
            }
            guard !apps.isEmpty else {
                throw OperationError.refused("service \(name) has no app; create one: \(see: CreateApp.self)")
            }
            // The same rule applies to deliveries that name neither apps nor environments.
            let inProduction = apps.filter { $0.settings.environment == .production }
            guard !inProduction.isEmpty else {
                throw OperationError.refused(
                    "service \(name) has no app in production; to use an app in the sandbox, name it")
            }
            return ServiceApps(service: service, apps: inProduction)
        }
    }

    /// Makes the next use read the apps again.
    func forgetServiceApps() { state.withLock { $0.serviceAppsRead = nil } }

    /// - Throws: An error if there is no such template, or ``Unread``.
    func template(
        _ reference: TemplateReference, of service: Service, in operations: Operations, _ reading: Reading
    ) throws -> NamedTemplate {
        let now = operations.clock.monotonic()
        let name = TemplateName(service: service.id, reference: reference)
        let known = state.withLock { state -> NamedTemplate? in
            if !Self.isFresh(state.templatesRead, at: now) || state.templates.count >= Self.maxTemplates {
                (state.templates, state.templatesRead) = ([:], now)
            }
            return state.templates[name]
        }
        if let known { return known }
        guard reading == .allowed else { throw Unread() }
        let found = try operations.template(reference, usedBy: service) { .refused("template: \($0)") }
        state.withLock { $0.templates[name] = found }
        return found
    }

    /// Makes the next use read the templates again.
    func forgetTemplates() { state.withLock { $0.templatesRead = nil } }

    func content(_ value: JSONValue) throws(WireError) -> KnownContent {
        var spelled: [UInt8] = []
        value.append(to: &spelled)
        if let known = state.withLock({ $0.contents[spelled] }) { return known }
        let content = try ConnectorCatalogue.contents.read(value)
        let known = KnownContent(
            content: content, stored: MessageContent(json: ConnectorCatalogue.contents.encode(content)),
            warnings: PayloadCheck.foreignPlaceholders(in: content),
            optionalNames: PersonalCheck.optionalNames(of: content))
        state.withLock { state in
            if state.contents.count >= Self.maxContents { state.contents = [:] }
            state.contents[spelled] = known
        }
        return known
    }

    /// - Parameter variables: The names of the message's own variables.
    /// - Returns: The results for these apps, in their order, if the content was checked for all of them,
    ///   which means that their gateways would accept it; `nil` if it was not checked for all of them.
    func checked(_ content: KnownContent, for apps: [App], variables: [String]) -> [Checked]? {
        state.withLock { state in
            var results: [Checked] = []
            for app in apps {
                let check = Check(content: content.stored, app: app.revision, variables: variables)
                guard let known = state.checks[check] else { return nil }
                results.append(known)
            }
            return results
        }
    }

    func noteChecked(_ content: KnownContent, for app: App, variables: [String], _ result: Checked) {
        state.withLock { state in
            if state.checks.count >= Self.maxContents { state.checks = [:] }
            let check = Check(content: content.stored, app: app.revision, variables: variables)
            state.checks[check] = result
        }
    }
}
