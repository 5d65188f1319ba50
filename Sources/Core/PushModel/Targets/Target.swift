/// The recipients of a delivery within its apps: those that the base chooses, except those that are excluded
/// and those that are not in the sample.
package struct Target: Equatable, Sendable {
    package enum Base: Equatable, Sendable {
        case all
        /// Subscriptions with these user keys, at most ``maximumListed``.
        case userKeys([String])
        /// Subscriptions with these tokens, at most ``maximumListed``.
        case tokens([String])
        /// Subscriptions of the recipients in a list of any length.
        case list(RecipientList)
        /// Subscriptions whose parameters have all of these values, keyed by name.
        case parameters([String: String])
        /// Subscriptions whose parameters the expression matches.
        case matching(TargetExpression)
        /// Subscriptions to which a message of this delivery was sent.
        case recipients(of: DeliveryID)
        /// Subscriptions for which a message of this delivery was opened: the device reported a click.
        case openers(of: DeliveryID)
        /// Subscriptions to which a message of this delivery was sent and for which no message of this
        /// delivery was opened.
        case nonOpeners(of: DeliveryID)
        /// Subscriptions in a set that is combined from others.
        case combined(TargetSet)
    }

    /// Recipients that are left out regardless of the base. At most ``maximumListed`` of each kind.
    package struct Exclusion: Equatable, Sendable {
        package var userKeys: [String]
        package var tokens: [String]
        /// The recipients in any of these sets are left out.
        package var sets: [TargetSet]
        package var isEmpty: Bool { userKeys.isEmpty && tokens.isEmpty && sets.isEmpty }

        package init(userKeys: [String] = [], tokens: [String] = [], sets: [TargetSet] = []) {
            self.userKeys = userKeys
            self.tokens = tokens
            self.sets = sets
        }
    }

    package var base: Base
    package var exclusion: Exclusion
    /// The sample to which the target is limited; `nil` if it is not limited to a sample.
    package var sample: TargetSample?
    /// Whether the target includes devices that have reached their service's ``FrequencyCap``.
    package var ignoresFrequencyCap = false
    /// Whether only one of a user's subscriptions is sent the message. Not allowed for a base that has a
    /// ``source``.
    package var isOncePerUser = false
    /// The variables of the recipients that the base lists; `nil` if there are none.
    package var variables: RecipientVariables?

    package static let maximumListed = 10_000

    package init(_ base: Base, excluding exclusion: Exclusion = Exclusion(), sample: TargetSample? = nil) {
        self.base = base
        self.exclusion = exclusion
        self.sample = sample
    }

    package static let all = Target(.all)
    package static func userKeys(_ keys: [String]) -> Target { Target(.userKeys(keys)) }
    package static func tokens(_ tokens: [String]) -> Target { Target(.tokens(tokens)) }
    package static func parameters(_ wanted: [String: String]) -> Target { Target(.parameters(wanted)) }
    package static func matching(_ expression: TargetExpression) -> Target { Target(.matching(expression)) }

    /// Whether the target has more than its base, for example exclusions.
    package var isRefined: Bool {
        !exclusion.isEmpty || sample != nil || ignoresFrequencyCap || isOncePerUser || variables != nil
    }

    /// The delivery whose messages determine all recipients; `nil` if there is no such delivery.
    package var source: DeliveryID? { group?.delivery }

    private var group: (group: SentGroup, delivery: DeliveryID)? {
        switch base {
        case .recipients(let delivery): (.recipients, delivery)
        case .openers(let delivery): (.openers, delivery)
        case .nonOpeners(let delivery): (.nonOpeners, delivery)
        default: nil
        }
    }

    /// The sets that the target combines: the base, if it is a combination, and the exclusions.
    package var sets: [TargetSet] {
        if case .combined(let set) = base { [set] + exclusion.sets } else { exclusion.sets }
    }

    /// Calls `body` for each chooser that the target combines with others (``sets``), with the chooser's
    /// place in the document.
    package func forEachCombined(_ body: (TargetSet, String) throws -> Void) rethrows {
        if case .combined(let set) = base { try set.forEachChooser(at: "target", body) }
        for set in exclusion.sets { try set.forEachChooser(at: "target.exclude", body) }
    }

    /// All groups of earlier deliveries on which the recipients depend, with their places in the document.
    package var groups: [(group: SentGroup, delivery: DeliveryID, place: String)] {
        var groups = group.map { [($0.group, $0.delivery, "target.\($0.group.rawValue)")] } ?? []
        forEachCombined { chooser, place in
            if case .sent(let group, let delivery) = chooser { groups.append((group, delivery, place)) }
        }
        return groups
    }

    /// Returns the variables for a recipient who receives the same content as the listed recipients; empty if
    /// there are none.
    package func variables(shownTo userKey: String, token: String) -> [UInt8] {
        let name = if case .tokens = base { token } else { userKey }
        return variables?.filled(for: [name], asIn: listed).byRecipient[ExactText(name)] ?? []
    }

    /// The user keys or tokens as given; empty if the base lists none.
    package var listed: [String] {
        switch base {
        case .userKeys(let values), .tokens(let values): values
        case .all, .list, .parameters, .matching, .recipients, .openers, .nonOpeners, .combined: []
        }
    }

    /// The number of listed values, each counted once; `nil` if the base lists none.
    package var listedCount: Int? {
        switch base {
        case .userKeys(let values), .tokens(let values): Set(values.map(ExactText.init)).count
        case .list(let list): list.upload?.match?.values ?? list.count
        case .all, .parameters, .matching, .recipients, .openers, .nonOpeners, .combined: nil
        }
    }

    /// The parameters that the target uses, each once, in order of their names.
    package var parameterNames: [String] {
        var names: Set<String> =
            switch base {
            case .parameters(let wanted): Set(wanted.keys)
            case .matching(let expression): Set(expression.parameterNames)
            default: []
            }
        forEachCombined { chooser, _ in
            if case .matching(let expression) = chooser { names.formUnion(expression.parameterNames) }
        }
        return names.sorted()
    }
}
