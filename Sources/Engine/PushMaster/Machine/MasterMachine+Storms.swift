internal import Logging
internal import PushModel
internal import PushSchedule
internal import PushWire

/// Storms: the master stops sending for an app when nearly all answers to its messages report bad tokens.
///
/// A storm concerns one app's part of an account, and one topic. The app's messages are put on hold, and
/// messages of other apps that share the credential continue. If no app of the account is left, the account
/// itself stops.
extension MasterMachine {
    static let stormReason =
        "nearly all answers reject tokens, which indicates a wrong credential, topic or environment; no "
        + "device is disabled: check `pushmta quarantine storm show`, then confirm or discard"

    mutating func storm(_ mark: AccountKey, _ answers: AccountAnswers) {
        openStorms.insert(mark)
        for (id, definition) in accounts where definition.mark.includes(mark) {
            applyStorms(of: id, isNew: true)
            let stopped =
                ledger.breaker(of: id)?.state == .stopped
                ? name(of: id) : name(of: PartLedger.TopicKey(account: id, part: mark))
            log(
                .critical,
                """
                \(stopped) is stopped: \(answers.aboutTokens) of its last \
                \(answers.accepted + answers.aboutTokens) answers reject tokens. \(Self.stormReason)
                """, about: .account(id))
        }
    }

    /// Sets all open storms together, so that a part is stopped exactly while it is in a storm, regardless of
    /// the order in which the loop is notified of storms and accounts.
    mutating func storms(_ open: Set<AccountKey>) {
        openStorms = open
        knowsStorms = true
        for id in accounts.keys { applyStorms(of: id) }
    }

    /// Stops the account's parts that are in a storm, and releases the parts that are no longer in a storm.
    /// - Parameter isNew: Whether a storm has just begun, in which case the caller reports what is stopped.
    mutating func applyStorms(of id: AccountID, isNew: Bool = false) {
        guard let definition = accounts[id] else { return }
        let marks = openStorms.filter(definition.mark.includes)
        let isWhole = isWhole(id, definition, in: marks)
        let isStopped = ledger.breaker(of: id)?.state == .stopped
        let held = ledger.stoppedParts(of: id)
        let wanted = isWhole ? [] : Set(marks.map { PartLedger.TopicKey(account: id, part: $0) })
        let added = wanted.subtracting(held)
        for part in added.sorted() {
            if !isNew { logStop(of: name(of: part), id) }
            obey(ledger.handle(.partStopped(part, reason: Self.stormReason), at: now))
        }
        if isWhole, !isStopped {
            if !isNew { logStop(of: name(of: id), id) }
            obey(ledger.handle(.stopped(id, reason: Self.stormReason), at: now))
        }
        if !added.isEmpty || isWhole && !isStopped { recall(id) }
        for part in held.subtracting(wanted).sorted() {
            if !isWhole {
                log(.notice, "\(name(of: part)) continues: its storm is over", about: .account(id))
            }
            obey(ledger.handle(.partReleased(part), at: now))
        }
        if isStopped, !isWhole {
            log(.notice, "\(name(of: id)) continues: no storm stops the whole account", about: .account(id))
            obey(ledger.handle(.resumed(id), at: now))
        }
    }

    private mutating func logStop(of name: String, _ id: AccountID) {
        log(.error, "\(name) is stopped: \(Self.stormReason)", about: .account(id))
    }

    private func isWhole(_ id: AccountID, _ definition: AccountDefinition, in marks: Set<AccountKey>) -> Bool
    {
        let apps = appsOf[id] ?? [:]
        return marks.contains(definition.mark)
            || !apps.isEmpty
                && apps.keys.allSatisfy { presentMarks[$0].map(marks.contains) ?? false }
    }

    /// Returns the topic, or the app's part of the account, that the job's messages have to wait for because
    /// of a storm or a refusal; `nil` if they need not wait.
    func heldBy(_ job: JobDefinition) -> PartLedger.TopicKey? {
        guard ledger.holdsTopics(of: job.order.account) else { return nil }
        let part = PartLedger.TopicKey(account: job.order.account, part: job.mark)
        return ledger.refusedTopics[part] == nil ? refusableTopic(of: job) : part
    }
}
