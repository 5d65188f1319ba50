internal import PushModel
internal import PushOperations

extension WaitingVerdictsView {
    /// What waits, why, until when, and what an operator can do.
    var line: String {
        let name = apps.count == 1 ? apps[0].quotedForShell : account.quotedForShell
        let what = "\(Numerals.count(held, "verdict")) of \(account) since \(since.utcText)"
        let decide =
            "pushmta quarantine storm confirm \(name) disables the devices, pushmta quarantine storm discard \(name) does not"
        let text =
            switch cause {
            case .unproved:
                "\(what) wait for a decision: too few messages were accepted since the credential, topic or environment "
                    + "changed; \(decide)"
            case .contradicted:
                "\(what) wait for accepted messages or a decision: the latest answers reject nearly all tokens; \(decide)"
            case .undecided:
                "\(what) wait for more answers, and are applied at \(appliesAt?.utcText ?? "an unknown time") at the latest"
            }
        return text.printable(atMost: CommandFailure.longestLine)
    }
}
