internal import PushModel
internal import PushStore

/// The storms of a store with the names of what they are about.
struct Storms {
    let all: [StormView]

    init(in operations: Operations) throws {
        let names = try operations.appNames()
        let trust = operations.store.trust
        var storms: [StormView] = []
        for summary in try trust.storms() {
            storms.append(
                StormView(
                    summary, apps: summary.apps.compactMap { names[$0] },
                    trust: try trust.trust(of: summary.account)))
        }
        all = storms
    }

    /// The account of the one that somebody named, by its account or by an app.
    static func account(named name: String, in operations: Operations) throws -> AccountKey {
        let app = try operations.store.catalogue.app(named: name)
        // An app whose account cannot be worked out may still be one that held verdicts are about.
        let part = app.flatMap { app in try? operations.engine.account(of: app).mark.part(of: app.id) }
        return AccountKey(rawValue: try Storms(in: operations).named(name, account: part).account)
    }

    /// - Parameter account: the part of it that is the app's now, where an app was named.
    private func named(_ name: String, account: AccountKey?) throws(OperationError) -> StormView {
        guard !all.isEmpty else { throw .nobody("no storm waits for a decision") }
        if let storm = all.first(where: { $0.account == name }) { return storm }
        let matching = all.filter {
            $0.apps.contains(name) || $0.accountName == name || $0.account == account?.rawValue
        }
        guard let storm = matching.first else {
            throw .nobody("no storm of \(name) waits for a decision; there is one of \(Self.list(all))")
        }
        guard matching.count == 1 else {
            throw .refused("\(name) has several storms; name one of \(Self.list(matching))")
        }
        return storm
    }

    private static func list(_ storms: [StormView]) -> String {
        storms.map { "\"\($0.account)\"" }.joined(separator: ", ")
    }
}
