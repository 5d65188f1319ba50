/// Whom a delivery is for, within its apps: those that its base chooses, but for those that it excludes, and
/// of the rest those that its sample holds.
package struct Target: Equatable, Sendable {
    package enum Base: Equatable, Sendable {
        case all
        /// At most ``maximumListed``.
        case userKeys([String])
        /// At most ``maximumListed``.
        case tokens([String])
        /// However many.
        case list(RecipientList)
        /// Subscriptions whose parameters have all of these values, name to value.
        case parameters([String: String])
        /// Subscriptions whose parameters the expression matches.
        case matching(TargetExpression)
        /// Subscriptions to which a message of this delivery was sent.
        case recipients(of: DeliveryID)
        /// Subscriptions of which a message of this delivery was opened: its device reported a click.
        case openers(of: DeliveryID)
        /// Subscriptions to which a message of this delivery was sent and that have not opened it.
        case nonOpeners(of: DeliveryID)
    }

    /// Who is left out, however the base chooses. At most ``maximumListed`` each.
    package struct Exclusion: Equatable, Sendable {
        package var userKeys: [String]
        package var tokens: [String]
        package var isEmpty: Bool { userKeys.isEmpty && tokens.isEmpty }

        package init(userKeys: [String] = [], tokens: [String] = []) {
            self.userKeys = userKeys
            self.tokens = tokens
        }
    }

    package var base: Base
    package var exclusion: Exclusion
    /// nil: all.
    package var sample: TargetSample?
    /// Whether devices are meant that have been sent as much as their service allows (``FrequencyCap``).
    package var ignoresFrequencyCap = false
    /// Whether of a user's subscriptions one alone is sent to. Not of a base that has a ``source``.
    package var isOncePerUser = false
    /// What is said of each of those that the base lists; nil: nothing.
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

    /// Whether it says more than its base, such as whom of those that it chooses are left out.
    package var isRefined: Bool {
        !exclusion.isEmpty || sample != nil || ignoresFrequencyCap || isOncePerUser || variables != nil
    }

    /// The delivery whose messages say who is meant; nil: none is needed.
    package var source: DeliveryID? {
        switch base {
        case .recipients(let delivery), .openers(let delivery), .nonOpeners(let delivery): delivery
        default: nil
        }
    }

    /// What it says of one who is to see what those get that it lists; empty: nothing.
    package func variables(shownTo userKey: String, token: String) -> [UInt8] {
        let name = if case .tokens = base { token } else { userKey }
        return variables?.filled(for: [name], asIn: listed).byRecipient[ExactText(name)] ?? []
    }

    /// User keys or tokens, as they are given; empty where the base lists none.
    package var listed: [String] {
        switch base {
        case .userKeys(let values), .tokens(let values): values
        case .all, .list, .parameters, .matching, .recipients, .openers, .nonOpeners: []
        }
    }

    /// The parameters that it asks for, each once, in the order of their names.
    package var parameterNames: [String] {
        switch base {
        case .parameters(let wanted): wanted.keys.sorted()
        case .matching(let expression): expression.parameterNames
        default: []
        }
    }
}
