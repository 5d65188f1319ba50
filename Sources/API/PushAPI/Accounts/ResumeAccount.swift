internal import PushModel
package import PushStore
package import PushWire

/// Makes an account stop waiting, and also those of its topics that the gateway refuses. The service
/// immediately tries one message of the account and of each such topic; if the gateway accepts the message,
/// sending continues. If neither the account nor a topic is waiting, nothing changes. The request is refused
/// if a storm has stopped the account, because the storm's verdicts must be judged first.
///
/// Each host knows only its own waits. If other hosts send from the store, an order to resume the account is
/// therefore written to the store for all of them, whether or not the account is waiting on this host.
package struct ResumeAccount: ChangingOperation, WaitingOperation, UseCase {
    package static let name = "account.resume"
    package static let operation = Operation(
        .post, "/accounts/{name}/resume", .send,
        """
        Makes an account and its refused topics stop waiting: the service immediately sends a request to \
        the gateway.
        """, reach: .instance)
    package static let members: [Member<Self>] = [
        .path(\.account, "name", "The name of the account or of one of its apps.")
    ]
    package var followUpCommand: String { "status" }
    /// `nil`, because the order to resume, which is written for all hosts, is itself a line of the audit
    /// trail.
    package var auditText: AuditText? { nil }

    /// The account's name or mark as `status` shows it, or the name of an app that uses the account.
    package private(set) var account = ""

    package init() {}
    package init(account: String) { self.account = account }

    package func perform(in operations: Operations) throws -> ResumedAccount {
        guard let master = try operations.engine.status() else { throw OperationError.noMaster }
        let found = try named(in: master, operations)
        // If the store cannot currently be read, the account is still resumed on this host.
        let hosts = (try? operations.carryOutHere(ListHosts())) ?? []
        let others = hosts.filter { $0.sends && !$0.isThis }
        guard let first = found.first else {
            guard !others.isEmpty, let app = try operations.store.catalogue.app(named: account) else {
                throw unknown(others.isEmpty)
            }
            let name = try operations.engine.account(of: app).name
            try order(name, operations)
            operations.engine.wakeUp()
            return ResumedAccount(account: name, changed: false, reason: nil, otherHosts: others.count)
        }
        guard !found.contains(where: { $0.state == "stopped" }) else {
            throw OperationError.refused(
                "account \(first.name) is stopped until its verdicts are judged; see "
                    + "\(see: ShowStorms.self), then confirm or discard the storm")
        }
        let waiting = found.filter(\.waits)
        guard !waiting.isEmpty || !others.isEmpty else {
            return ResumedAccount(account: first.name, changed: false, reason: nil, otherHosts: 0)
        }
        var number: Int64?
        do { number = try order(first.name, operations) } catch {
            // If the store cannot currently record the order, the account is still resumed on this host.
            if waiting.isEmpty { throw error }
        }
        for (place, account) in waiting.enumerated() {
            // A master that has obeyed an order does not obey it again when it reads the order from the
            // store. The master recognizes the order by its number, so it is enough to pass the number with
            // the first account.
            try operations.engine.resumeAccount(
                AccountKey(rawValue: account.mark), order: place == 0 ? number : nil)
        }
        if waiting.isEmpty { operations.engine.wakeUp() }
        return ResumedAccount(
            account: first.name, changed: !waiting.isEmpty, reason: waiting.first?.waitReason,
            otherHosts: number == nil ? 0 : others.count)
    }

    @discardableResult
    private func order(_ name: String, _ operations: Operations) throws(StoreError) -> Int64 {
        try operations.store.auditWriter.orderResume(
            of: name, by: operations.caller, at: operations.clock.moment()
        ).number
    }

    private func unknown(_ isAlone: Bool) -> OperationError {
        let knowing = isAlone ? "is known to the running master" : "is known to this host's master"
        let advice =
            isAlone
            ? "\(see: ShowStatus.self) shows its accounts"
            : "give the name of an app, or send the request to the host whose status shows the account"
        return .absent(
            "no account or app \(account.printable(atMost: 200)) \(knowing); \(advice)")
    }

    private func named(in master: MasterStatus, _ operations: Operations) throws -> [AccountStatus] {
        let found = master.accounts.filter { $0.isMeant(by: account) }
        if !found.isEmpty { return found }
        guard let app = try operations.store.catalogue.app(named: account) else { return [] }
        let mark = try operations.engine.account(of: app).mark.rawValue
        return master.accounts.filter { $0.mark == mark }
    }
}

extension AccountStatus {
    /// The minimum number of digits of the mark in a short name.
    package static let minMarkDigits = 4

    /// Whether the text that a caller gave identifies this account: it is the account's name, its mark, or
    /// the short name that `status` shows on a terminal.
    func isMeant(by given: String) -> Bool { given == name || given == mark || hasShortName(given) }

    /// Whether a text is a short name of the account: an app or a project, `#`, and the first of the digits
    /// that follow `#` in the account's mark.
    private func hasShortName(_ short: String) -> Bool {
        guard let start = short.lastIndex(of: "#"), let own = mark.lastIndex(of: "#") else { return false }
        let (label, digits) = (short[..<start], short[short.index(after: start)...])
        guard digits.count >= Self.minMarkDigits, !label.isEmpty,
            mark[mark.index(after: own)...].hasPrefix(digits)
        else { return false }
        // `shop+2`: two other apps share the account. `sho…`: the terminal had no room for the rest.
        let first = label.lastIndex(of: "+").map { label[..<$0] } ?? label
        let stem = label.last == "…" ? label.dropLast() : nil
        return ([name] + apps).contains { word in
            word == label || word == first || stem.map { word.hasPrefix($0) } == true
        } || name.contains(label)
    }
}

/// The result of ending an account's wait.
package struct ResumedAccount: View, Equatable {
    package static let about = [
        "changed": "whether the account was waiting on the host that answers",
        "reason": "the reason for the wait; null if the account was not waiting",
        "otherHosts": "the number of other hosts on which the account's wait also ends",
    ]

    package var account: String
    package var changed: Bool
    package var reason: String?
    package var otherHosts: Int
}

extension AccountStatus {
    fileprivate var waits: Bool {
        state == "waiting" || state == "probing" || topics.contains { $0.state != "stopped" }
    }
    fileprivate var waitReason: String {
        if !reason.isEmpty { return reason }
        return topics.first.map { "\($0.reason) for topic \($0.name)" } ?? ""
    }
}
