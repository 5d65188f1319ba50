/// What a person may do. Each role is a set of scopes.
package enum Role: String, CaseIterable, Sendable {
    case viewer, marketer, `operator`, admin

    package var scopes: Set<AccessScope> {
        switch self {
        case .viewer: [.read]
        case .marketer: [.read, .send]
        case .operator: [.read, .send, .admin]
        case .admin: Set(AccessScope.allCases)
        }
    }

    /// Whether a person with this role can be restricted to some services. An operator or an admin changes
    /// settings that all services share.
    package var takesServices: Bool { !scopes.contains(.admin) }

    /// A description in one sentence.
    package var about: String {
        switch self {
        case .viewer: "Reads deliveries, statistics, subscribers and status."
        case .marketer: "Also submits and controls deliveries and messages."
        case .operator: "Also changes services, apps, subscribers, quarantine and tokens."
        case .admin: "Also manages people and their roles."
        }
    }
}
