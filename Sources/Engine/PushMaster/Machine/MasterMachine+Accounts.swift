internal import Logging
internal import PushModel
internal import PushSchedule
internal import PushStore
internal import PushWire

/// Events about an account as a whole: its terms, a changed credential, its feedback service.
extension MasterMachine {
    /// The orders that were already carried out. Each order arrives twice, once from its sender and once from
    /// the store. Either may arrive first.
    struct ProcessedOrders: Equatable {
        private static let maxKept = 100
        private var numbers: [Int64] = []

        /// - Returns: Whether the order must be carried out.
        mutating func begin(_ number: Int64) -> Bool {
            guard !numbers.contains(number) else { return false }
            if numbers.count >= Self.maxKept { numbers.removeFirst() }
            numbers.append(number)
            return true
        }
    }

    /// A feedback service that must be read or that a child is reading.
    struct FeedbackReading: Sendable {
        let apps: [AppID]
        /// The child that reads the service; `nil` if no child has been available yet.
        var child: ChildID?
    }

    /// Returns the account's name for an operator, with the names of the apps that use it.
    func name(of account: AccountID) -> String {
        let name = accounts[account]?.name ?? "\(account)"
        let apps = AppNames.brief(appsOf[account].map { Array($0.values) } ?? [])
        return apps.isEmpty ? name : "\(name) (\(apps))"
    }

    // MARK: Changes

    mutating func opened(_ id: AccountID, _ definition: AccountDefinition) {
        accounts[id] = definition
        // The list of storms was read from the store together with the account, and may be outdated by now.
        if !knowsStorms { openStorms.formUnion(definition.storms) }
        obey(ledger.handle(.described(id, definition.terms), at: now))
        applyStorms(of: id)
    }

    mutating func appChanged(_ app: AppID, from old: AccountID, to account: AccountID) {
        let name = appsOf[account]?[app] ?? "\(app)"
        let use = account == old ? "still uses" : "now uses"
        log(
            .notice, "app \(name) was changed: it \(use) account \(self.name(of: account))",
            about: .account(account))
        // Messages that a child has not submitted carry the old credential or the old topic.
        recall(old)
        obey(ledger.handle(.moved(app, to: account), at: now))
        obey(ledger.handle(.repaired(account), at: now))
    }

    /// Tries the account again immediately, at an operator's request on this host.
    /// - Parameter order: The number of the order. The number ensures that the order is carried out only
    ///   once, although the store contains the order as well.
    mutating func resumeAccount(_ mark: AccountKey, _ order: Int64?) {
        if let order, !resumeOrders.begin(order) { return }
        for (id, definition) in accounts where definition.mark == mark { resume(id) }
    }

    /// Tries accounts again immediately, at an operator's request on any host. An account that works and has
    /// no refused topic is not affected.
    mutating func resumeAccounts(by order: ResumeOrder) {
        guard resumeOrders.begin(order.number) else { return }
        for (id, definition) in accounts where AuditWriter.text(definition.name) == order.account {
            guard ledger.breaker(of: id)?.isWorking == false || ledger.holdsTopics(of: id) else { continue }
            resume(id)
        }
    }

    /// Tries a waiting account again immediately. The children that know the account also forget its earlier
    /// refusals.
    private mutating func resume(_ id: AccountID) {
        guard ledger.breaker(of: id)?.state != .stopped else { return }
        log(.notice, "an operator resumed \(name(of: id)), which was waiting", about: .account(id))
        send(.resume(account: id), toChildrenThatKnow: id)
        obey(ledger.handle(.repaired(id), at: now))
    }

    mutating func left(_ app: AppID, _ account: AccountID, isDeleted: Bool) {
        appsOf[account]?[app] = nil
        if isDeleted { presentMarks[app] = nil }
        applyStorms(of: account)
        if isDeleted { obey(ledger.handle(.deleted(app), at: now)) }
    }

    /// Retires the account. Messages in flight with the old credential may finish; their outcomes count as
    /// usual.
    mutating func retire(_ account: AccountID) {
        send(.retireAccount(account), toChildrenThatKnow: account)
        // Only a reading that has not begun is dropped. Once a child has begun to read the service, the
        // reading continues, because the service forgets the devices that it has reported.
        if feedback[account]?.child == nil { feedback[account] = nil }
        retiredAccounts.insert(account)
        forgetIfRetired(account)
    }

    /// Forgets the account and its credential if the account is retired and at rest.
    mutating func forgetIfRetired(_ account: AccountID) {
        guard retiredAccounts.contains(account), feedback[account] == nil, ledger.rests(account) else {
            return
        }
        retiredAccounts.remove(account)
        if stalls.rule.isStalled(.account(account)) {
            log(
                .notice, "\(name(of: account)) is no longer stalled: no app uses it any longer",
                about: .account(account))
        }
        accounts[account] = nil
        appsOf[account] = nil
        failuresOf[account] = nil
        traffic[account] = nil
        counters.forget(account)
        stalls.rule.forget(.account(account))
        for case .topic(let topic) in stalls.rule.subjects where topic.account == account {
            stalls.rule.forget(.topic(topic))
        }
        obey(ledger.handle(.forgotten(account), at: now))
    }

    mutating func recall(_ account: AccountID) {
        send(.recall(account: account), toChildrenThatKnow: account)
    }

    private mutating func send(_ order: LinkOrder, toChildrenThatKnow account: AccountID) {
        for id in children.keys where children[id]?.knownAccounts.contains(account) == true {
            send(order, to: id)
        }
    }

    // MARK: Feedback

    /// Assigns waiting readings to a working child.
    mutating func readFeedback() {
        guard drainDeadline == nil else { return }
        for (account, reading) in feedback where reading.child == nil {
            guard let definition = accounts[account] else { continue }
            let working = children.filter { $0.value.state == .working && $0.value.saidHello }
            let knowing = working.filter { $0.value.knownAccounts.contains(account) }
            guard let id = (knowing.isEmpty ? working : knowing).keys.min() else { continue }
            introduce(account, definition, to: id)
            send(.pollFeedback(account: account), to: id)
            feedback[account]?.child = id
        }
    }

    mutating func feedbackEnded(_ account: AccountID, _ failure: String?) {
        guard let reading = feedback.removeValue(forKey: account) else { return }
        let name = self.name(of: account)
        if let failure {
            log(
                .warning,
                """
                the feedback service of \(name) could not be read completely: \(failure); trying again \
                at the next scheduled time
                """,
                about: .account(account))
        } else {
            log(.info, "the feedback service of \(name) was read completely", about: .account(account))
        }
        write(.feedbackEnded(reading.apps, isWhole: failure == nil))
        forgetIfRetired(account)
    }

    /// Ends the feedback readings of a child that has ended, or makes them available to another child.
    mutating func endReadings(of child: ChildID, byFault: Bool) {
        for account in feedback.keys where feedback[account]?.child == child {
            // If a child crashes during a reading, the reading is not repeated before its next due time.
            if byFault {
                feedbackEnded(account, "its child failed")
            } else if retiredAccounts.contains(account) {
                feedbackEnded(account, "its child ended, and the account was replaced")
            } else {
                feedback[account]?.child = nil
            }
        }
    }
}
