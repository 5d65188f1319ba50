internal import PushConfig
internal import PushConnectors
internal import PushModel
internal import PushPayload
internal import PushStore
internal import PushWire

/// Converts a delivery document into an order that the store accepts. Names are resolved to rows, and content
/// that no gateway would accept is refused before anything is written.
struct DeliveryIntake {
    let catalogue: Catalogue
    private let targets: TargetReader
    private let gateways: NMACConfiguration
    private let documentName: String

    init(_ operations: Operations, documentName: String) {
        catalogue = operations.store.catalogue
        targets = operations.store.targets
        gateways = operations.settings.nmac
        self.documentName = documentName
    }

    /// An order, and the revisions of its apps at the time of the check.
    struct CheckedOrder {
        var order: DeliveryOrder
        /// The apps of the order.
        var apps: [App]
        var revisions: [AppID: AppRevisionID]
        /// Warnings about content that does not reach the apps as intended, one line each.
        var warnings: [String]
    }

    /// - Parameter target: The target that replaces the document's; `nil` keeps the document's target.
    func order(_ document: DeliveryDocument, target: Target?) throws -> CheckedOrder {
        guard let target = target ?? document.target else {
            throw refusal("target: missing; for example \(DeliveryDocument.smallestTarget)")
        }
        guard let (service, candidates) = try catalogue.serviceWithApps(named: document.service) else {
            throw try noService(document.service)
        }
        let apps = try apps(of: document, service: service, candidates)
        let groups = AppGroups(apps)
        var spelled = try settled(target, for: groups.firsts)
        spelled.ignoresFrequencyCap = document.ignoresFrequencyCap
        try check(document, for: groups.firsts, besides: spelled.variables)
        let schedule = try settled(document.schedule)
        var order = DeliveryOrder(
            label: document.label, service: service.id, apps: apps.map(\.id), target: spelled,
            schedule: schedule, retry: document.retry, tracking: document.tracking,
            contentJSON: ConnectorCatalogue.contents.encode(document.content))
        order.template = document.template.flatMap { reference in
            reference.version.map { TemplateVersion(name: reference.name, version: $0) }
        }
        return CheckedOrder(
            order: order, apps: apps,
            revisions: Dictionary(apps.map { ($0.id, $0.revision) }, uniquingKeysWith: { first, _ in first }),
            warnings: PayloadCheck.foreignPlaceholders(in: document.content)
                + PayloadCheck.warnings(of: document.content, for: groups)
                + (try PersonalCheck.warnings(
                    of: document.content, for: groups, besides: spelled.variables, targets))
                + CalendarCheck.warnings(of: schedule, for: apps))
    }

    /// Returns the apps of a document without checking anything else in it.
    func apps(of document: DeliveryDocument) throws -> [App] {
        guard let (service, candidates) = try catalogue.serviceWithApps(named: document.service) else {
            throw try noService(document.service)
        }
        return try apps(of: document, service: service, candidates)
    }

    /// Converts tokens to the spelling that the store uses.
    static func spell(_ tokens: inout [ListedRecipient], for apps: [App]) {
        let platforms = Set(apps.map(\.settings.platform))
        for index in tokens.indices {
            tokens[index].value = DeviceToken.spelled(tokens[index].value, for: platforms)
        }
    }

    private func settled(_ schedule: DeliverySchedule) throws -> DeliverySchedule {
        var schedule = schedule
        do throws(CalendarCheck.CalendarMismatch) {
            schedule.calendar = try schedule.calendar.map {
                calendar throws(CalendarCheck.CalendarMismatch) in try CalendarCheck.settled(calendar)
            }
        } catch {
            throw refusal(error.text)
        }
        return schedule
    }

    func noService(_ name: String) throws -> OperationError {
        let existing = try catalogue.services().map(\.name)
        let text = Operations.absenceText("service", name, existing: existing, CreateService.self)
        return refusal("service: \(text)")
    }

    private func apps(of document: DeliveryDocument, service: Service, _ candidates: [App]) throws -> [App] {
        try apps(named: document.apps, in: document.environments, of: service, candidates)
    }

    /// Returns the apps that a document lists; if it lists none, the service's apps in the document's
    /// environments.
    /// - Parameter candidates: All apps of the service.
    func apps(
        named names: [String], in environments: [PushEnvironment], of service: Service, _ candidates: [App]
    ) throws -> [App] {
        guard !candidates.isEmpty else {
            throw refusal("service: \(service.name) has no app; create one: \(see: CreateApp.self)")
        }
        guard !names.isEmpty else {
            return try apps(in: environments, service, candidates)
        }
        let apps = try names.enumerated().map { index, name in
            if let app = candidates.first(where: { $0.name == name }) { return app }
            let existing = ExistingNames.list(candidates.map(\.name), like: name)
            throw refusal("apps[\(index)]: service \(service.name) has no app \(name); it has: \(existing)")
        }
        if let contradiction = Self.contradiction(apps, environments) {
            throw refusal(contradiction)
        }
        return apps
    }

    /// Returns the apps in the named environments. A delivery that names no environment goes to production
    /// only, so that nothing reaches test devices, or all devices, by accident.
    private func apps(
        in named: [PushEnvironment], _ service: Service, _ candidates: [App]
    ) throws -> [App] {
        let environments = named.isEmpty ? [.production] : named
        let apps = candidates.filter { environments.contains($0.settings.environment) }
        let missing = environments.enumerated().first { _, environment in
            !apps.contains { $0.settings.environment == environment }
        }
        guard let (index, environment) = missing else { return apps }
        let lack = "service \(service.name) has no app in \(environment.rawValue)"
        guard named.isEmpty else {
            throw refusal("environments[\(index)]: \(lack); remove the environment, or create an app in it")
        }
        throw refusal(
            "environments: missing: \(lack), the default environment of a delivery; add "
                + #""environments": ["sandbox"]"#)
    }

    /// - Parameter named: The document's environments; empty if the document leaves the choice to its apps.
    private static func contradiction(_ apps: [App], _ named: [PushEnvironment]) -> String? {
        guard !named.isEmpty else { return nil }
        if let (index, app) = apps.enumerated().first(where: { !named.contains($1.settings.environment) }) {
            return
                "apps[\(index)]: app \(app.name) is in \(app.settings.environment.rawValue), which is not "
                + "listed in environments; remove the app, or add its environment"
        }
        let idle = named.enumerated().first { _, environment in
            !apps.contains { $0.settings.environment == environment }
        }
        return idle.map { index, environment in
            """
            environments[\(index)]: no listed app is in \(environment.rawValue); list one, or remove the \
            environment
            """
        }
    }

    /// Returns a target whose tokens have the spelling that the store uses, and whose conditions are adapted
    /// to the kinds of the values that they compare.
    func settled(_ target: Target, for apps: [App]) throws -> Target {
        let spelled = Self.spelled(target, for: apps)
        if let fault = TargetCheck(spelled, for: apps, targets).undeclared { throw refusal(fault) }
        do throws(TargetKinds.Faults) { return try TargetKinds.settled(spelled, for: apps) } catch {
            throw OperationError(.refused, lines: error.lines.map { documentName.naming($0) })
        }
    }

    /// Returns a target whose tokens have the spelling that the store uses.
    private static func spelled(_ target: Target, for apps: [App]) -> Target {
        let platforms = Set(apps.map(\.settings.platform))
        func spelled(_ tokens: [String]) -> [String] {
            tokens.map { DeviceToken.spelled($0, for: platforms) }
        }
        var target = target
        target.exclusion.tokens = spelled(target.exclusion.tokens)
        if case .tokens(let tokens) = target.base {
            target.base = .tokens(spelled(tokens))
            target.variables = target.variables?.respelled(tokens) {
                DeviceToken.spelled($0, for: platforms)
            }
        }
        func spelled(_ set: TargetSet) -> TargetSet {
            set.mapLists { kind, values in kind == .tokens ? spelled(values) : values }
        }
        if case .combined(let set) = target.base { target.base = .combined(spelled(set)) }
        target.exclusion.sets = target.exclusion.sets.map(spelled)
        return target
    }

    /// - Parameter apps: Apps with different messages.
    private func check(
        _ document: DeliveryDocument, for apps: [App], besides variables: RecipientVariables?
    ) throws {
        try checkVariables(of: document, for: apps)
        try checkParameters(of: document, for: apps, besides: variables)
        for app in apps { try checkPayload(of: document, for: app) }
        if let mismatch = PayloadCheck.mismatch(of: document.content, for: apps)
            ?? apps.lazy.compactMap({ PayloadCheck.lackOfText(of: document.content, for: $0) }).first
        {
            throw refusal(mismatch)
        }
    }

    private func checkVariables(of document: DeliveryDocument, for apps: [App]) throws {
        guard let names = PayloadCheck.strangeVariables(of: document.content, for: apps) else { return }
        throw refusal(
            """
            content.variables: no app of the delivery declares \(names); remove it, or declare it as a \
            variable of the app
            """
        )
    }

    private func checkParameters(
        of document: DeliveryDocument, for apps: [App], besides variables: RecipientVariables?
    ) throws {
        let names = PersonalCheck.strangeNames(of: document.content, for: apps, besides: variables)
        guard let names else { return }
        throw refusal(
            "content: no app of the delivery declares a parameter \(names), which the content uses with {{; "
                + "correct the name, or declare it as a parameter of the app")
    }

    /// Checks the payload with the widest values that any message of the delivery can have.
    private func checkPayload(of document: DeliveryDocument, for app: App) throws {
        do throws(PayloadError) {
            try PayloadCheck.check(document.content, tracking: document.tracking, for: app, gateways)
        } catch {
            throw refusal("app \(app.name): \(PayloadCheck.text(of: error, for: app))")
        }
    }

    func refusal(_ text: String) -> OperationError { .refused(documentName.naming(text)) }
}
