internal import Logging
internal import PushModel
internal import PushSchedule
internal import PushStore
internal import PushWire

/// The checks that the master makes once a second.
extension MasterMachine {
    mutating func everySecond(_ facts: PeriodicFacts) {
        checkFiles(facts.change, storeNames: facts.storeNames)
        checkKey(facts.keyFailure)
        restartIfDue(facts)
        for id in unreadGrants { obey(ledger.handle(.unread(id), at: now)) }
        unreadGrants = []
        searchWithOtherHosts()
        search.tick(at: now)
        watchClock()
        obey(ledger.handle(.tick, at: now))
        lookForStalls()
        searchParts()
        readFeedback()
        countSettledAnswers()
        for account in retiredAccounts { forgetIfRetired(account) }
        for (delivery, rate) in sending where rate.perSecond(at: now) == 0 { sending[delivery] = nil }
        if drainDeadline == nil, !isSearchingRetries {
            isSearchingRetries = true
            if isOneOfSeveral { read(.share(sharingOrder())) }
            read(.findRetries)
        }
        lookForWithdrawals()
        lookAtChildren()
    }

    private mutating func lookAtChildren() {
        for (id, child) in children where child.isConnected {
            if isSilent(child) {
                act(.listen(id))
            } else if now.milliseconds(since: child.lastProgress) > settings.progressSeconds * 1_000 {
                let why =
                    """
                    it has messages with gateways but has reported no outcome for \
                    \(settings.progressSeconds) s
                    """
                lose(id, why: why, isFault: true)
            } else {
                recycle(id, child)
            }
        }
        // If a child's outcomes wait for the store, the child is not stuck.
        for id in ledger.overdueChildren(at: now, afterSeconds: settings.grantSeconds)
        where children[id]?.pendingCommits == 0 {
            lose(id, why: "it has kept messages for longer than \(settings.grantSeconds) s", isFault: true)
        }
        guard let drainDeadline, now >= drainDeadline else { return }
        for id in children.keys { lose(id, why: "it did not finish in time") }
    }

    private func isSilent(_ child: Child) -> Bool {
        now.milliseconds(since: child.lastReceived) > ChildLink.silenceSeconds * 1_000
    }

    mutating func loseIfSilent(_ id: ChildID) {
        guard let child = children[id], child.isConnected, isSilent(child) else { return }
        lose(id, why: "it has been silent for \(ChildLink.silenceSeconds) s", isFault: true)
    }

    /// Detects that the wall clock was set. Times from a clock that has just been set must not be trusted
    /// immediately. The function is called every second, and before each decision that depends on the wall
    /// clock.
    mutating func watchClock() {
        guard let jump = clock.observe(wall: moment.wall, at: now) else { return }
        log(
            .warning,
            """
            the wall clock jumped by \(jump) s: tokens are renewed, \
            \(jump < 0 ? "retries move back with it, " : "")\
            and no message will expire for \(ClockWatch.graceSeconds) s; check the time service
            """)
        for id in children.keys { send(.clockJumped(graceSeconds: UInt32(ClockWatch.graceSeconds)), to: id) }
        write(.postponeExpiry(until: now.advanced(bySeconds: ClockWatch.graceSeconds)))
    }
}
