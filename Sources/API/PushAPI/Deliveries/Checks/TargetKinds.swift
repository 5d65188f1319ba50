internal import PushModel
internal import PushWire

/// Adapts the conditions of a target to the kinds of the values that they compare, and refuses conditions
/// that can never be meaningful. The kinds are those of the apps' declared parameters and of collected facts.
/// The values of parameters that an app does not declare can be of any kind.
struct TargetKinds {
    private enum Kind: Equatable {
        case any
        case declared(ParameterDeclaration.Kind)
        case fact(CollectedFact.Kind)
    }

    private let apps: [App]
    private var faults: [String] = []

    /// The maximum number of faults that are reported together.
    private static let maxFaults = 8

    init(_ apps: [App]) { self.apps = apps }

    /// Returns the target with dates in place of texts that are compared with dates.
    /// - Throws: All faults, each with its place in a document. The faults do not contain values.
    static func settled(_ target: Target, for apps: [App]) throws(Faults) -> Target {
        var kinds = TargetKinds(apps)
        var target = target
        switch target.base {
        case .matching(let expression): target.base = .matching(kinds.settled(expression))
        case .parameters(let wanted):
            // The store compares these parameters as texts, so they are only checked.
            for (name, text) in wanted.sorted(by: { $0.key < $1.key }) {
                _ = kinds.settled(.text(text), of: name, .equal)
            }
        case .combined(let set): target.base = .combined(set.mapExpressions { kinds.settled($0) })
        default: break
        }
        target.exclusion.sets = target.exclusion.sets.map { $0.mapExpressions { kinds.settled($0) } }
        if !kinds.faults.isEmpty { throw Faults(lines: kinds.faults) }
        return target
    }

    struct Faults: Error { let lines: [String] }

    private mutating func settled(_ expression: TargetExpression) -> TargetExpression {
        switch expression {
        case .and(let parts): .and(parts.map { settled($0) })
        case .or(let parts): .or(parts.map { settled($0) })
        case .not(let part): .not(settled(part))
        case .compare(let name, let comparison, let value):
            .compare(name, comparison, settled(value, of: name, comparison))
        case .oneOf(let name, let values): .oneOf(name, values.map { settled($0, of: name, .equal) })
        case .exists: expression
        }
    }

    private mutating func settled(
        _ value: TargetValue, of name: String, _ comparison: TargetComparison
    ) -> TargetValue {
        var found: [(value: TargetValue, kind: Kind, app: App)] = []
        for app in apps {
            guard let kind = kind(of: name, in: app), !found.contains(where: { $0.kind == kind }) else {
                continue
            }
            do throws(Fault) {
                found.append((try Self.settled(value, kind, comparison), kind, app))
            } catch {
                note(name, "\(error.text)\(apps.count > 1 ? " (app \(app.name))" : "")")
                return value
            }
        }
        // An app that declares nothing accepts what the other apps need.
        let definite = found.filter { $0.kind != .any }
        guard let first = definite.first ?? found.first else { return value }
        guard let other = definite.first(where: { $0.value != first.value }) else { return first.value }
        guard case .text(let text) = value, TargetDate(text)?.isRelative == true else { return value }
        note(
            name,
            "is of different kinds in the apps \(first.app.name) and \(other.app.name), and the value is a "
                + "date for only one of them; submit a delivery for each app")
        return value
    }

    private mutating func note(_ name: String, _ problem: String) {
        let fault = "target.where: \"\(name.printable(atMost: 64))\" \(problem)"
        if faults.count < Self.maxFaults, !faults.contains(fault) { faults.append(fault) }
    }

    /// Returns `nil` if no subscriber of the app can have a parameter with this name.
    private func kind(of name: String, in app: App) -> Kind? {
        let declared = app.settings.parameters
        if let own = declared.first(where: { ExactText($0.name) == ExactText(name) }) {
            return .declared(own.kind)
        }
        if let fact = CollectedFact(rawValue: name) { return .fact(fact.kind) }
        return declared.isEmpty ? .any : nil
    }

    private struct Fault: Error { let text: String }

    private static func settled(
        _ value: TargetValue, _ kind: Kind, _ comparison: TargetComparison
    ) throws(Fault) -> TargetValue {
        switch kind {
        case .any:
            guard comparison.isOfOrder, case .text(let text) = value, let date = TargetDate(text),
                date.isRelative
            else { return value }
            return .date(date)
        case .declared(.text), .fact(.text): return value
        case .declared(.number): return try number(value, comparison)
        case .declared(.boolean): return try boolean(value, comparison)
        case .declared(.date): return try date(value, comparison, keepsTexts: !comparison.isOfOrder)
        case .fact(.date): return try date(value, comparison, keepsTexts: false)
        case .fact(.version): return try version(value, comparison)
        }
    }

    private static func number(
        _ value: TargetValue, _ comparison: TargetComparison
    ) throws(Fault) -> TargetValue {
        guard !comparison.isOfTexts else { throw operators("a number", ordered: true) }
        switch value {
        case .integer, .real: return value
        case .text(let text)
        where !comparison.isOfOrder && (text.isEmpty || ParameterDeclaration.Kind.number.accepts(text)):
            return value
        default:
            throw Fault(text: "is a number; compare it with a number, such as 18, without quotation marks")
        }
    }

    private static func boolean(
        _ value: TargetValue, _ comparison: TargetComparison
    ) throws(Fault) -> TargetValue {
        guard !comparison.isOfTexts, !comparison.isOfOrder else {
            throw operators("a boolean", ordered: false)
        }
        switch value {
        case .boolean, .text(""), .text("true"), .text("false"): return value
        default: throw Fault(text: "is a boolean; compare it with true or false")
        }
    }

    /// - Parameter keepsTexts: Whether a date that is not relative is compared as a text, as in a target of
    ///   plain parameters.
    private static func date(
        _ value: TargetValue, _ comparison: TargetComparison, keepsTexts: Bool
    ) throws(Fault) -> TargetValue {
        guard !comparison.isOfTexts else { throw operators("a date", ordered: true) }
        switch value {
        case .date: return value
        case .text(let text):
            if let date = TargetDate(text) { return keepsTexts && !date.isRelative ? value : .date(date) }
            if text.isEmpty, keepsTexts { return value }
        default: break
        }
        throw Fault(text: "is a date; compare it with \(TargetDate.forms)")
    }

    private static func version(
        _ value: TargetValue, _ comparison: TargetComparison
    ) throws(Fault) -> TargetValue {
        switch value {
        case .text(let text) where !comparison.isOfOrder || text.utf8.contains { (0x30...0x39).contains($0) }:
            return value
        case .integer(let version) where comparison.isOfOrder: return .text(String(version))
        default:
            throw Fault(
                text: "is a text with a version, such as iOS 16.4; compare it with a text, such as \"16.4\"")
        }
    }

    private static func operators(_ kind: String, ordered: Bool) -> Fault {
        Fault(
            text: "is \(kind); allowed operators: =, !=, "
                + (ordered ? "<, <=, >, >=, between, " : "") + "in, exists")
    }
}
