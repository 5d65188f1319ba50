internal import PushModel
internal import PushStore
internal import PushWire

/// Returns the settings of an application's account, the reasons for them, and the account's state.
package struct ExplainApp: ShortOperation, UseCase {
    package static let name = "app.explain"
    package static let operation = Operation(
        .get, "/apps/{name}/explanation", .read,
        "Returns the settings of an app's account with their origins, and the account's current activity.",
        asksMaster: true)
    package static let members: [Member<Self>] = [
        .path(\.app, "name", "The name of an app, or of an account of the running master.")
    ]

    /// The app's name; or the name, the mark or the short name of an account as `status` shows it.
    package var app = ""

    package init() {}

    package func perform(in operations: Operations) throws -> AccountExplanation {
        let store = operations.store
        let app = try meantApp(operations)
        let account = try operations.engine.account(of: app)
        let credential = AccountExplanation.Credential(
            account.order, given: try store.catalogue.credentialGiven(to: app.id),
            at: operations.clock.moment().time)
        let master = try operations.engine.status()
        // Apps of other services may share the account.
        let visible = operations.bounds.areSet ? try store.catalogue.appNames().map(\.name) : nil
        let settings = AccountSettings(
            app: app, service: try store.catalogue.service(app.service)?.name ?? "", account: account,
            credential: credential, configuration: operations.configuration,
            lastPoll: try store.catalogue.lastFeedbackPoll(of: app.id))
        return AccountExplanation(
            app: app.name, account: account.name, mark: account.mark.rawValue,
            settings: settings.identity + settings.rows,
            credential: credential,
            answers: try store.trust.trust(of: account.mark.part(of: app))
                .map(AccountExplanation.Answers.init),
            master: master.map { AccountExplanation.Master($0, mark: account.mark, showing: visible) })
    }

    /// Returns the app with the given name, or the first app that uses the account with this name.
    private func meantApp(_ operations: Operations) throws -> App {
        let catalogue = operations.store.catalogue
        guard try catalogue.app(named: app) == nil, let master = try? operations.engine.status() else {
            return try operations.requireApp(named: app)
        }
        for name in master.accounts.filter({ $0.isMeant(by: app) }).flatMap(\.apps) {
            if let found = try catalogue.app(named: name) { return found }
        }
        return try operations.requireApp(named: app)
    }
}
