internal import PushModel
package import PushOperations

extension StormView {
    package var lines: [String] {
        // An app's name is typed more easily than an account's.
        let name = apps.count == 1 ? apps[0].quotedForShell : account.quotedForShell
        let answers =
            "\(Numerals.grouped(aboutTokens)) of \(Numerals.grouped(accepted + aboutTokens)) reject tokens"
        return FieldList([
            ("account", account),
            ("since", since.utcText),
            ("answers", answers),
            ("held verdicts", Numerals.grouped(held)),
            ("apps", apps.joined(separator: ", ")),
            ("deliveries", deliveries.map { "\($0)" }.joined(separator: ", ")),
            (
                "what to do",
                "check certificate, bundle id and environment: 'app show', 'app test', 'app update'"
            ),
            ("", "the tokens are good: pushmta quarantine storm discard \(name)"),
            ("", "the devices are gone: pushmta quarantine storm confirm \(name)"),
        ]).lines
    }
}
