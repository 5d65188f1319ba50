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

    /// The account whose verdicts are to be decided, of a storm or of verdicts that wait without one, by its name or
    /// by an app.
    static func account(named name: String, in operations: Operations) throws -> AccountKey {
        let app = try operations.store.catalogue.app(named: name)
        // An app whose account cannot be worked out may still be one that held verdicts are about.
        let part = app.flatMap { app in try? operations.engine.account(of: app).mark.part(of: app) }
        let storms = try Storms(in: operations)
        let waiting = try WaitingVerdictsView.all(in: operations).map { waiting in
            Candidate(account: waiting.account, apps: waiting.apps)
        }
        let candidates = storms.all.map { Candidate(account: $0.account, apps: $0.apps) }
        // A storm comes first: an app may have both, through an old credential and through the present one.
        let named = try? Self.named(name, account: part, among: candidates)
        return AccountKey(
            rawValue: try named?.account
                ?? Self.named(name, account: part, among: candidates + waiting).account)
    }

    /// An account with verdicts to be decided.
    private struct Candidate {
        var account: String
        var apps: [String]

        /// Without the credential's mark and the app.
        var accountName: String {
            account.lastIndex(of: "#").map { String(account[..<$0].dropLast()) } ?? account
        }
    }

    /// - Parameter account: the part of it that is the app's now, where an app was named.
    private static func named(
        _ name: String, account: AccountKey?, among all: [Candidate]
    ) throws(OperationError) -> Candidate {
        guard !all.isEmpty else { throw .nobody("no storm waits for a decision") }
        if let storm = all.first(where: { $0.account == name }) { return storm }
        let matching = all.filter {
            $0.apps.contains(name) || $0.accountName == name || $0.account == account?.rawValue
        }
        guard let storm = matching.first else {
            throw .nobody("no storm of \(name) waits for a decision; there is one of \(list(all))")
        }
        guard matching.count == 1 else {
            throw .refused("\(name) has several storms; name one of \(list(matching))")
        }
        return storm
    }

    private static func list(_ storms: [Candidate]) -> String {
        storms.map { "\"\($0.account)\"" }.joined(separator: ", ")
    }
}
