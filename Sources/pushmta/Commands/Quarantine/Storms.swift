internal import PushMaster
internal import PushModel
internal import PushStore
internal import PushWire

/// The storms of a store with the names of what they are about.
struct Storms {
    struct Storm {
        var summary: StormSummary
        var apps: [String]
        var accepted: Int
        var aboutTokens: Int
    }
    let all: [Storm]

    init(of store: Store) throws(StoreError) {
        let names = Dictionary(try store.catalogue.apps().map { ($0.id, $0.name) }) { first, _ in first }
        var storms: [Storm] = []
        for summary in try store.trust.storms() {
            let trust = try store.trust.trust(of: summary.account)
            storms.append(
                Storm(
                    summary: summary, apps: summary.apps.compactMap { names[$0] }, accepted: trust?.accepted ?? 0,
                    aboutTokens: trust?.aboutTokens ?? 0))
        }
        all = storms
    }

    /// The one that an operator named, by its account or by an app.
    /// - Parameter account: the part of it that is the app's now, where an app was named.
    func named(_ name: String, account: AccountMark?) throws(CommandFailure) -> Storm {
        guard !all.isEmpty else { throw .failed("no storm waits for a decision") }
        if let storm = all.first(where: { $0.summary.account.rawValue == name }) { return storm }
        let matching = all.filter {
            $0.apps.contains(name) || $0.accountName == name || $0.summary.account == account
        }
        guard let storm = matching.first else {
            let accounts = all.map { "\"\($0.summary.account)\"" }.joined(separator: ", ")
            throw .failed("no storm of \(name) waits for a decision; there is one of \(accounts)")
        }
        guard matching.count == 1 else {
            let accounts = matching.map { "\"\($0.summary.account)\"" }.joined(separator: ", ")
            throw .refused("\(name) has several storms; name one of \(accounts)")
        }
        return storm
    }
}

extension Storms.Storm {
    /// Without the credential's mark and the app.
    var accountName: String {
        let mark = summary.account.rawValue
        return mark.lastIndex(of: "#").map { String(mark[..<$0].dropLast()) } ?? mark
    }

    var lines: [String] {
        // An app's name is typed more easily than an account's.
        let name = apps.count == 1 ? apps[0].quotedForShell : summary.account.rawValue.quotedForShell
        let answers = "\(Numerals.grouped(aboutTokens)) of \(Numerals.grouped(accepted + aboutTokens)) call tokens bad"
        return FieldList([
            ("account", summary.account.rawValue),
            ("since", summary.since.utcText),
            ("answers", answers),
            ("held verdicts", Numerals.grouped(summary.held)),
            ("apps", apps.joined(separator: ", ")),
            ("deliveries", summary.deliveries.map { "\($0)" }.joined(separator: ", ")),
            ("what to do", "check certificate, bundle id and environment: 'app show', 'app test', 'app update'"),
            ("", "the tokens are good: pushmta quarantine storm discard \(name)"),
            ("", "the devices are gone: pushmta quarantine storm confirm \(name)"),
        ]).lines
    }

    var json: JSONValue {
        [
            "account": .string(summary.account.rawValue), "since": .string(summary.since.utcText),
            "accepted": .integer(accepted), "aboutTokens": .integer(aboutTokens), "held": .integer(summary.held),
            "apps": .array(apps.map { .string($0) }),
            "deliveries": .array(summary.deliveries.map { .integer($0.rawValue) }),
        ]
    }
}
