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

    /// - Parameter apps: All apps of the service.
    init(_ template: TemplateDocument, for apps: [App], _ targets: TargetReader) throws {
        let content = template.content
        if let names = PayloadCheck.strangeVariables(of: content, for: apps), !apps.isEmpty {
            faults.append("content.variables: no app of the service declares \(names)")
        }
        if !apps.isEmpty, let lost = PayloadCheck.lostText(of: content, for: apps) { faults.append(lost) }
        guard faults.isEmpty else { return }
        warnings = PayloadCheck.foreignPlaceholders(in: content)
        let strange = PersonalCheck.strangeNames(of: content, for: apps)
        if let strange {
            warnings.append(
                "content: no app of the service declares a parameter \(strange), which the content uses with "
                    + "{{; messages and recipients must give such values in variables")
        }
        var unfit: [String] = []
        for app in apps {
            if let fault = Self.fault(of: template, for: app) {
                unfit.append(fault)
                continue
            }
            if let lack = Self.lack(of: template, for: app) { warnings.append(lack) }
            warnings += PayloadCheck.warnings(of: content, for: app)
            // The names that no app declares have a warning already.
            if strange == nil { warnings += try PersonalCheck.warnings(of: content, for: [app], targets) }
        }
        if !apps.isEmpty, unfit.count == apps.count { faults = unfit } else { warnings += unfit }
    }

    /// Returns the reason why the template cannot be sent to the app, regardless of the values that a
    /// delivery adds; `nil` if it can.
    private static func fault(of template: TemplateDocument, for app: App) -> String? {
        if let mismatch = PayloadCheck.mismatch(of: template.content, for: app) { return mismatch }
        guard let error = error(of: template, for: app), !error.isLack else { return nil }
        return "content: app \(app.name): \(error)"
    }

    private static func lack(of template: TemplateDocument, for app: App) -> String? {
        guard let error = error(of: template, for: app), error.isLack else { return nil }
        return "app \(app.name): each delivery must provide what the template lacks: \(error)"
    }

    private static func error(of template: TemplateDocument, for app: App) -> PayloadError? {
        do throws(PayloadError) {
            try PayloadCheck.check(template.content, tracking: template.tracking, for: app)
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
