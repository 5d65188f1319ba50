internal import PushModel
internal import PushPayload
internal import PushStore
internal import PushWire

/// Whether deliveries could be made of a template, as far as that can be said without one: a value that is
/// not in it may be in the delivery, and a delivery need not be for all apps of the service.
struct TemplateCheck {
    /// Why no delivery could be; empty: one could.
    private(set) var faults: [String] = []
    /// What a delivery of it would lack, or an app not get, a line each.
    private(set) var warnings: [String] = []

    /// - Parameter apps: all of the service.
    init(_ template: TemplateDocument, for apps: [App], _ targets: TargetReader) throws {
        let content = template.content
        if let names = PayloadCheck.strangeVariables(of: content, for: apps), !apps.isEmpty {
            faults.append("content.variables: no app of the service declares \(names)")
        }
        if let names = PersonalCheck.strangeNames(of: content, for: apps) {
            faults.append("content: no app of the service declares a parameter \(names), which {{ asks for")
        }
        if !apps.isEmpty, let lost = PayloadCheck.lostText(of: content, for: apps) { faults.append(lost) }
        guard faults.isEmpty else { return }
        var unfit: [String] = []
        for app in apps {
            if let fault = Self.fault(of: template, for: app) {
                unfit.append(fault)
                continue
            }
            if let lack = Self.lack(of: template, for: app) { warnings.append(lack) }
            warnings += PayloadCheck.warnings(of: content, for: app)
            warnings += try PersonalCheck.warnings(of: content, for: [app], targets)
        }
        if !apps.isEmpty, unfit.count == apps.count { faults = unfit } else { warnings += unfit }
    }

    /// Why the app cannot be sent it, whatever a delivery adds; nil: it can.
    private static func fault(of template: TemplateDocument, for app: App) -> String? {
        if let misfit = PayloadCheck.misfit(of: template.content, for: app) { return misfit }
        guard let error = error(of: template, for: app), !error.isLack else { return nil }
        return "content: app \(app.name): \(error)"
    }

    private static func lack(of template: TemplateDocument, for app: App) -> String? {
        guard let error = error(of: template, for: app), error.isLack else { return nil }
        return "app \(app.name): left to deliveries: \(error)"
    }

    private static func error(of template: TemplateDocument, for app: App) -> PayloadError? {
        do throws(PayloadError) {
            try PayloadCheck.check(template.content, tracking: template.tracking, for: app)
            return nil
        } catch { return error }
    }
}

extension PayloadError {
    /// Whether something is missing that a delivery may bring along.
    fileprivate var isLack: Bool {
        switch self {
        case .language(_, let error): error.isLack
        case .variablesMissing, .lacking: true
        case .tooLong, .variablesReserved, .customClashing, .customNull, .places, .outOfRange: false
        }
    }
}
