internal import PushModel
package import PushStore

/// One page of the subscribers with errors, in order of first registration, app by app: there may be a
/// million.
package struct ListQuarantine: ShortOperation {
    package static let name = "quarantine.list"

    /// nil: every app's.
    package var app: String?
    /// nil: every state.
    package var state: QuarantineState?
    /// ``QuarantineListing/next`` of the page before; nil begins.
    package var after: Int64?

    package init(app: String? = nil, state: QuarantineState? = nil, after: Int64? = nil) {
        self.app = app
        self.state = state
        self.after = after
    }

    /// What states are called.
    package static let stateNames = QuarantineState.allCases.map(\.name)

    /// - Throws: where no state is called so.
    package init(app: String?, stateNamed name: String?, after: Int64?) throws(OperationError) {
        let state = name.map { name in QuarantineState.allCases.first { $0.name == name } }
        if case .some(nil) = state {
            throw OperationError(
                .usage, "state: allowed are \(Self.stateNames.joined(separator: ", "))")
        }
        self.init(app: app, state: state ?? nil, after: after)
    }

    package func perform(in operations: Operations) throws -> QuarantineListing {
        let wanted = try app.map { try operations.requireApp(named: $0).id }
        let names = try operations.appNames()
        let page = try operations.store.quarantine.list(
            app: wanted, state: state, after: after.map(SubscriptionID.init(rawValue:)))
        return QuarantineListing(
            entries: page.entries.map { QuarantineView($0, app: names[$0.app]) }, next: page.next?.rawValue)
    }
}

package struct QuarantineListing: Codable, Equatable, Sendable {
    /// With a state wanted there may be few, even none, though there are more pages.
    package var entries: [QuarantineView]
    /// Where the next page goes on; nil: this was the last.
    package var next: Int64?
}
