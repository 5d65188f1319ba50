internal import PushConfig
internal import PushModel
internal import PushStore

/// Checks whether a target contains any subscriber, and whether the parameters that the target names exist. A
/// misspelled name in `not`, `or` or `!=` would otherwise select every subscriber.
struct TargetCheck {
    private let target: Target
    private let apps: [App]
    private let targets: TargetReader

    /// The maximum number of an app's subscriptions that are searched for a target's parameters, if the
    /// target matches at least one subscriber.
    private static let subscriptionsLookedAt = 1_000_000
    /// The maximum number of names that a text lists, and of conditions that are checked one by one.
    private static let maxListed = 8

    init(_ target: Target, for apps: [App], _ targets: TargetReader) {
        self.target = target
        self.apps = apps
        self.targets = targets
    }

    /// The names in the target's conditions that do not mean collected facts.
    private var parameterNames: [String] {
        target.parameterNames.filter { CollectedFact(rawValue: $0) == nil }
    }

    /// The error text for a target with parameters that no app declares; `nil` if there are no such
    /// parameters, or if an app declares no parameters at all.
    var undeclared: String? { Self.undeclared(target.parameterNames, at: "target.where", for: apps) }

    /// The error text for parameters that no app declares.
    /// - Parameter place: The place at which the parameters are named.
    static func undeclared(_ names: [String], at place: String, for apps: [App]) -> String? {
        let strange = PersonalCheck.undeclared(names, for: apps)
        guard !strange.isEmpty else { return nil }
        let declared = Set(apps.flatMap { $0.settings.parameters.map(\.name) }).sorted()
        let facts = CollectedFact.allCases.map(\.rawValue)
        let names = list(strange) { name in
            Suggestion.nearest(to: name, among: declared + facts).map { " (did you mean \"\($0)\"?)" } ?? ""
        }
        return
            "\(place): no app of the delivery declares a parameter \(names); declared: "
            + list(declared)
    }

    /// Returns the warning about a target that matches no subscriber; `nil` if it matches any. The warning
    /// does not contain the values in the target's conditions.
    /// - Parameters:
    ///   - draft: The target's list of recipients, if the list is not in the store yet.
    ///   - start: The start of the delivery, to which relative dates refer.
    func emptiness(listing draft: RecipientDraft?, at start: WallTime) throws -> String? {
        let ids = apps.map(\.id)
        guard try !targets.matchesAnybody(target, of: ids, at: start, listing: draft) else { return nil }
        let text = SubmitDelivery.emptyTarget
        if case .list(let list) = target.base, let match = list.upload?.match, match.matched == 0 {
            return "\(text): no subscriber has a listed value of \(Self.list([match.key]))"
        }
        guard !target.parameterNames.isEmpty else { return text }
        let strange = try targets.unknownParameters(parameterNames, of: ids)
        if !strange.isEmpty {
            return "\(text): no subscriber has a parameter \(Self.list(strange))"
        }
        let unmet = try conditions.prefix(Self.maxListed).filter {
            try !targets.matchesAnybody($0, of: ids, at: start)
        }
        guard !unmet.isEmpty else { return text }
        let unmetNames = Set(unmet.flatMap(\.parameterNames)).sorted()
        return "\(text): no subscriber matches the condition on \(Self.list(unmetNames))"
    }

    /// Returns a warning about parameters that no subscriber has, for a target that nevertheless matches
    /// subscribers; `nil` if there are no such parameters.
    func unknownNames() throws -> String? {
        // Subscribers that match a target with plain parameters have all of these parameters.
        var hasExpression = if case .matching = target.base { true } else { false }
        target.forEachCombined { chooser, _ in
            if case .matching = chooser { hasExpression = true }
        }
        guard hasExpression, apps.contains(where: { $0.settings.parameters.isEmpty }) else { return nil }
        let strange = try targets.unknownParameters(
            parameterNames, of: apps.map(\.id), amongFirst: Self.subscriptionsLookedAt)
        guard !strange.isEmpty else { return nil }
        return
            "target.where: no subscriber that was checked has a parameter \(Self.list(strange)); "
            + "not, != and {\"exists\": false} match every subscriber that lacks it"
    }

    /// The conditions that must all hold, each as a target.
    private var conditions: [Target] {
        switch target.base {
        case .parameters(let wanted):
            wanted.sorted { $0.key < $1.key }.map { Target.parameters([$0.key: $0.value]) }
        case .matching(.and(let parts)): parts.map(Target.matching)
        case .matching(let expression): [Target.matching(expression)]
        default: []
        }
    }

    /// - Parameter hint: Returns the text that follows a name.
    private static func list(_ names: [String], _ hint: (String) -> String = { _ in "" }) -> String {
        let shown = names.prefix(maxListed).map { "\"\($0.printable(atMost: 64))\"\(hint($0))" }
        return (shown + (names.count > maxListed ? ["…"] : [])).joined(separator: ", ")
    }
}
