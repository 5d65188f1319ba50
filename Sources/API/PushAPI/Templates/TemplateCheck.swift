internal import PushConfig
internal import PushModel
internal import PushPayload
internal import PushStore
internal import PushWire

/// Checks whether deliveries could be created from a template, as far as this can be determined without a
/// delivery: a value that the template lacks may be in the delivery, and a delivery may be for only some apps
/// of the service.
struct TemplateCheck {
    /// The reasons why no delivery could be created; empty if one could.
    private(set) var faults: [String] = []
    /// Warnings about values that a delivery would have to add, or content that no app would receive as
    /// intended, one line each.
    private(set) var warnings: [String] = []

    let template: TemplateDocument
    private let gateways: NMACConfiguration

    /// - Parameter service: The service of the template; `nil` if the template belongs to no service.
    init(_ template: TemplateDocument, of service: String?, in operations: Operations) throws {
        self.template = template
        gateways = operations.settings.nmac
        if let service, let named = template.service, named != service {
            faults.append("service: the template belongs to service \(service); remove the member")
            return
        }
        guard let owner = service ?? template.service else {
            warnings = PayloadCheck.foreignPlaceholders(in: template.content)
            guard template.apps.isEmpty, template.environments.isEmpty else {
                faults.append("service: missing; apps and environments belong to a service")
                return
            }
            return
        }
        guard let (found, all) = try operations.store.catalogue.serviceWithApps(named: owner) else {
            let existing = try operations.store.catalogue.services().map(\.name)
            let absence = Operations.absenceText(
                "service", owner, existing: existing, CreateService.self)
            faults.append("service: \(absence)")
            return
        }
        let apps = try chosen(of: all, found, in: operations)
        guard faults.isEmpty else { return }
        if apps.isEmpty {
            warnings = ["service \(owner) has no app, so the content was not checked for any app"]
        }
        try check(for: apps, of: found, in: operations)
    }

    /// Returns the apps that the template chooses, or otherwise all apps of its service.
    private mutating func chosen(
        of all: [App], _ service: Service, in operations: Operations
    ) throws -> [App] {
        guard !template.apps.isEmpty || !template.environments.isEmpty else { return all }
        do {
            return try DeliveryIntake(operations, documentName: "").apps(
                named: template.apps, in: template.environments, of: service, all)
        } catch {
            faults += OperationError(error).lines
            return []
        }
    }

    private mutating func check(for apps: [App], of service: Service, in operations: Operations) throws {
        let (content, targets) = (template.content, operations.store.targets)
        if let names = PayloadCheck.strangeVariables(of: content, for: apps), !apps.isEmpty {
            faults.append("content.variables: no app of the service declares \(names)")
        }
        let variables = template.target?.variables
        if let target = template.target {
            do {
                let settled = try DeliveryIntake(operations, documentName: "").settled(target, for: apps)
                if let fault = try targets.fault(of: settled, service: service.id) { faults.append(fault) }
            } catch {
                faults += OperationError(error).lines
            }
        }
        if !apps.isEmpty, let lost = PayloadCheck.lostText(of: content, for: apps) { faults.append(lost) }
        guard faults.isEmpty else { return }
        warnings += PayloadCheck.foreignPlaceholders(in: content)
        let strange = PersonalCheck.strangeNames(of: content, for: apps, besides: variables)
        if let strange {
            warnings.append(
                "content: no app of the service declares a parameter \(strange), which the content uses with "
                    + "{{; messages and recipients must give such values in variables")
        }
        var unfit: [String] = []
        for app in apps {
            if let fault = fault(for: app) {
                unfit.append(fault)
                continue
            }
            if let lack = lack(for: app) { warnings.append(lack) }
            warnings += PayloadCheck.warnings(of: content, for: app)
            // The names that no app declares have a warning already.
            if strange == nil {
                warnings += try PersonalCheck.warnings(
                    of: content, for: AppGroups([app]), besides: variables, targets)
            }
        }
        if !apps.isEmpty, unfit.count == apps.count { faults = unfit } else { warnings += unfit }
    }

    /// Returns the reason why the template cannot be sent to the app, regardless of the values that a
    /// delivery adds; `nil` if it can.
    private func fault(for app: App) -> String? {
        if let mismatch = PayloadCheck.mismatch(of: template.content, for: app) { return mismatch }
        guard let error = error(for: app), !error.isLack else { return nil }
        return "content: app \(app.name): \(PayloadCheck.text(of: error, for: app))"
    }

    private func lack(for app: App) -> String? {
        let lack: String
        if let error = error(for: app) {
            guard error.isLack else { return nil }
            lack = "\(error)"
        } else {
            guard let text = PayloadCheck.lackOfText(of: template.content, for: app) else { return nil }
            lack = text
        }
        return "app \(app.name): each delivery must provide what the template lacks: \(lack)"
    }

    private func error(for app: App) -> PayloadError? {
        do throws(PayloadError) {
            try PayloadCheck.check(template.content, tracking: template.tracking, for: app, gateways)
            return nil
        } catch { return error }
    }
}

extension PayloadError {
    /// Whether the error concerns a missing value that a delivery may add.
    fileprivate var isLack: Bool {
        switch self {
        case .language(_, let error): error.isLack
        case .variablesMissing, .lacking: true
        case .tooLong, .variablesReserved, .customClashing, .customNull, .places, .outOfRange: false
        }
    }
}
