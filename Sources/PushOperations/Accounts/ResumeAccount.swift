internal import PushModel
internal import PushStore
internal import PushWire

/// Ends the wait of an account, and of the topics that its gateway refuses: a message of each asks at once, and if it
/// is accepted, everything goes on. An account that works is left as it is. One that is stopped by a storm is refused:
/// its verdicts must be judged first.
package struct ResumeAccount: ChangingOperation, WaitingOperation {
    package static let name = "account.resume"
    package var lookAfterwards: String { "status" }

    /// The account's name or mark as `status` shows it, or the name of an app that goes through it.
    package var account: String
    /// Who asks, for the audit trail.
    package var by: String

    package init(account: String, by: String) {
        self.account = account
        self.by = by
    }

    package func perform(in operations: Operations) throws -> ResumedAccount {
        guard let master = try operations.engine.status() else { throw OperationError.noMaster }
        let found = try named(in: master, operations)
        guard let first = found.first else {
            throw OperationError.absent(
                "there is no account or app \(account.printable(atMost: 200)) that the running master knows; "
                    + "'pushmta status' shows its accounts")
        }
        guard !found.contains(where: { $0.state == "stopped" }) else {
            throw OperationError.refused(
                "account \(first.name) is stopped until its verdicts are judged: look at 'pushmta quarantine storm "
                    + "show', then confirm or discard")
        }
        let waiting = found.filter(\.waits)
        if !waiting.isEmpty {
            // The account goes on also if the store cannot take the line now.
            try? operations.store.auditWriter.note(
                who: by, action: "account.resume", what: first.name, at: operations.clock.moment())
        }
        for account in waiting { try operations.engine.resumeAccount(AccountKey(rawValue: account.mark)) }
        return ResumedAccount(
            account: first.name, changed: !waiting.isEmpty, reason: waiting.first?.waitReason ?? "")
    }

    private func named(in master: MasterStatus, _ operations: Operations) throws -> [MasterStatus.Account] {
        let found = master.accounts.filter { $0.name == account || $0.mark == account }
        if !found.isEmpty { return found }
        guard let app = try operations.store.catalogue.app(named: account) else { return [] }
        let mark = try operations.engine.account(of: app).mark.rawValue
        return master.accounts.filter { $0.mark == mark }
    }
}

/// The result of ending an account's wait.
package struct ResumedAccount: Codable, Equatable, Sendable {
    package var account: String
    /// Whether it waited; else it worked already.
    package var changed: Bool
    /// What it waited for; empty if it did not.
    package var reason: String
}

extension MasterStatus.Account {
    fileprivate var waits: Bool { state == "waiting" || state == "probing" || !topics.isEmpty }
    fileprivate var waitReason: String {
        if !reason.isEmpty { return reason }
        return topics.first.map { "\($0.reason) for topic \($0.name)" } ?? ""
    }
}
