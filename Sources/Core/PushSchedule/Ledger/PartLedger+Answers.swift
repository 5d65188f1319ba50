internal import PushModel

/// The ways in which grants end: filled, settled, or lost with their child.
extension PartLedger {
    mutating func fill(
        _ id: GrantID, with messages: Int, of delivery: DeliveryID?, limited: DeliveryID?,
        at now: MonotonicTime, _ actions: inout [Action]
    ) {
        guard var grant = grants[id], !grant.isFilled else { return }
        settleAllowances(of: &grant, used: messages, of: delivery ?? grant.allowances.keys.first, at: now)
        let (reserved, unused) = (grant.unanswered, grant.unanswered - messages)
        grant.isFilled = true
        grant.since = now
        grant.unanswered = messages
        grants[id] = grant
        returnCredit(unused, of: grant)
        let source = grant.source
        if unused != 0 || messages == 0 || source.app != nil || accounts[grant.account]?.bucket != nil {
            withAccount(grant.account, at: now) { account in
                account.bucket?.endReading(reserved)
                account.bucket?.giveBack(unused)
                guard let app = source.app else { return }
                account.appsBeingRead.remove(app)
                if messages == 0, limited == nil { account.appsWithRetries.remove(app) }
            }
        }
        if messages == 0, let limited, let app = source.app {
            wait(app: app, for: limited, grant.account, at: now)
        }
        if messages == 0 {
            // A requeued range may also contain messages that already have an outcome, so a probe may find
            // nothing to send.
            if grant.isProbe { withAccount(grant.account, at: now) { $0.breaker.cancelProbe(at: now) } }
            close(id, grant, at: now, &actions)
        }
    }

    mutating func settle(
        _ id: GrantID, outcomes: Int, requeued: Int, at now: MonotonicTime, _ actions: inout [Action]
    ) {
        guard var grant = grants[id], grant.isFilled else { return }
        if outcomes > grant.unanswered {
            actions.append(.excess(id, outcomes: outcomes - grant.unanswered))
        }
        let outcomes = min(outcomes, grant.unanswered)
        grant.unanswered -= outcomes
        grant.requeued += requeued
        grants[id] = grant
        returnCredit(outcomes, of: grant)
        if requeued > 0, accounts[grant.account]?.bucket != nil {
            withAccount(grant.account, at: now) { $0.bucket?.giveBack(requeued) }
        }
        if requeued > 0, let limited = grant.allowances.keys.first {
            giveBack(requeued, of: limited, at: now)
        }
        guard grant.unanswered == 0 else { return }
        // Requeued messages might not have been handled at all, so a grant with such messages proves nothing.
        if grant.requeued == 0 { noteGoodEnd(of: grant, at: now) }
        close(id, grant, at: now, &actions)
    }

    mutating func giveBack(_ id: GrantID, at now: MonotonicTime, _ actions: inout [Action]) {
        guard var grant = grants[id], !grant.isFilled else { return }
        returnCredit(grant.unanswered, of: grant)
        settleAllowances(of: &grant, used: 0, of: nil, at: now)
        let (unused, source) = (grant.unanswered, grant.source)
        withAccount(grant.account, at: now) { account in
            account.bucket?.endReading(unused)
            account.bucket?.giveBack(unused)
            if let app = source.app { account.appsBeingRead.remove(app) }
        }
        grant.requeued = 1
        close(id, grant, at: now, &actions)
    }

    private mutating func returnCredit(_ count: Int, of grant: Grant) {
        guard count != 0 else { return }
        children[grant.child]?.giveBack(count, grant.share)
        creditReturned()
    }

    mutating func lose(
        _ id: ChildID, byFault: Bool, hasLeft: Bool = false, at now: MonotonicTime, _ actions: inout [Action]
    ) {
        guard children.removeValue(forKey: id) != nil else { return }
        creditReturned()
        let isAlone = grants.values.count { $0.child == id && $0.isFilled } == 1
        for (grantID, var grant) in grants.filter({ $0.value.child == id }).sorted(by: { $0.key < $1.key }) {
            if grant.isFilled, byFault { noteCrash(of: &grant, isAlone: isAlone, at: now) }
            if hasLeft || !grant.isFilled || requeuesLost && !grant.isGivenUp {
                grant.requeued = max(grant.requeued, 1)
            } else {
                // For a range, the store ends all messages that are still pending, because it is not known
                // which of them were put back. Reading the range again before that would send lost messages
                // again. Retries are identified individually and are not read again until they have ended.
                if case .range = grant.source { grant.requeued = 0 }
                actions.append(
                    .abandon(
                        ReadOrder(grant: grantID, child: id, account: grant.account, source: grant.source)))
            }
            if !grant.isFilled {
                settleAllowances(of: &grant, used: 0, of: nil, at: now)
                let reserved = grant.unanswered
                if accounts[grant.account]?.bucket != nil {
                    withAccount(grant.account, at: now) { $0.bucket?.endReading(reserved) }
                }
            }
            if let app = grant.source.app {
                withAccount(grant.account, at: now) { $0.appsBeingRead.remove(app) }
            }
            close(grantID, grant, at: now, &actions)
        }
    }

    private mutating func noteCrash(of grant: inout Grant, isAlone: Bool, at now: MonotonicTime) {
        switch grant.source {
        case .range:
            grant.losses.all += 1
            if isAlone { grant.losses.alone += 1 }
        case .retries(let app, let limit):
            guard requeuesLost else { return }
            let (asSuspect, source) = (grant.losses.isSuspect, grant.source)
            grant.losses = withAccount(accountOf[app] ?? grant.account, at: now) {
                $0.suspectedRetries.crashed(app, limit: limit, asSuspect: asSuspect, isAlone: isAlone) {
                    Grant.isGivenUp($0, source)
                }
            }
        }
    }

    private mutating func noteGoodEnd(of grant: Grant, at now: MonotonicTime) {
        guard case .retries(let app, let limit) = grant.source, grant.losses.isSuspect else { return }
        withAccount(accountOf[app] ?? grant.account, at: now) {
            $0.suspectedRetries.recordSuccess(app, limit: limit)
        }
    }

    /// Closes the grant. Requeued messages wait again: for a range, the store returns only messages that are
    /// still unsent.
    private mutating func close(
        _ id: GrantID, _ grant: Grant, at now: MonotonicTime, _ actions: inout [Action]
    ) {
        grants[id] = nil
        if grant.losses.isSuspect { children[grant.child]?.suspectEnded() }
        actions.append(.released(id))
        withAccount(grant.account, at: now) {
            if grant.isProbe { $0.breaker.probeEnded(at: now) }
            $0.grantsOut -= 1
        }
        if let topic = grant.topicProbe { probeEnded(topic, at: now) }
        defer { if rests(grant.account) { actions.append(.rests(grant.account)) } }
        switch grant.source {
        case .range(let part, let messages):
            guard var progress = parts[part] else { return }
            progress.out -= 1
            let range = WaitingRange(
                part: part, delivery: progress.delivery, app: progress.app, priority: progress.priority,
                messages: messages, losses: grant.losses)
            if paused.contains(progress.delivery) {
                return withhold(grant.requeued > 0 ? range : nil, of: part, progress, &actions)
            }
            let isOver = grant.requeued == 0 && progress.waiting == 0 && progress.out == 0
            if isOver {
                forget(part: part)
                return actions.append(.partDone(part))
            }
            // The part may have moved to another account, for which the topic is not refused yet.
            if let topic = grant.heldTopic, progress.account == grant.account {
                return hold(range, topic: topic, progress, at: now, &actions)
            }
            if grant.requeued > 0 { progress.waiting += 1 }
            parts[part] = progress
            guard grant.requeued > 0 else { return }
            // A probe's message is placed behind the other messages, so that the next probe uses a different
            // message. A suspect is placed behind the others in any case.
            withAccount(progress.account, at: now) { $0.ranges.add(range, isLast: grant.isProbe) }
        case .retries(let app, _):
            if grant.heldTopic != nil {
                // The store has put off the due retries of the topic. A search for other due retries runs
                // every second.
                withAccount(grant.account, at: now) { $0.appsWithRetries.remove(app) }
            } else if grant.requeued > 0, let account = accountOf[app] {
                // If the app was deleted meanwhile, nothing waits again.
                withAccount(account, at: now) { $0.appsWithRetries.insert(app) }
            }
        }
    }
}

extension ReadOrder.Source {
    /// The app to which the retries belong.
    fileprivate var app: AppID? { if case .retries(let app, _) = self { app } else { nil } }
}
