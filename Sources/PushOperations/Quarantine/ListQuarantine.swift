internal import PushModel
package import PushStore

/// One page of the subscribers with errors, in order of first registration, app by app: there may be a million.
package struct ListQuarantine: ShortOperation, UseCase {
    package static let name = "quarantine.list"
    package static let operation = Operation(.get, "/quarantine", .read, "Subscribers with errors.")
    package static let members: [Member<Self>] = [
        .query(\.app, "app", "Only subscribers of this app."),
        .query(\.state, "state", "Only subscribers in this state."), .cursor(\.after),
    ]

    package private(set) var app: String?
    package private(set) var state: QuarantineState?
    package var after: Int64?

    package init() {}
    package init(app: String? = nil, state: QuarantineState? = nil) { (self.app, self.state) = (app, state) }

    /// With a state, a page may have few items or none although there are more pages.
    package func perform(in operations: Operations) throws -> Page<QuarantineView> {
        let wanted = try app.map { try operations.requireApp(named: $0).id }
        let names = try operations.appNames()
        let page = try operations.store.quarantine.list(
            app: wanted, state: state, after: after.map(SubscriptionID.init(rawValue:)))
        return Page(
            page.entries.map { QuarantineView($0, app: names[$0.app]) }, next: page.next?.rawValue)
    }
}
