internal import PushModel
internal import PushSchedule
internal import PushWire

/// The master's status, on request.
extension MasterMachine {
    /// Returns the status for the ``StatusBoard``.
    func status() -> MasterStatus {
        // The heartbeats are collected once for all accounts, because there may be a thousand accounts.
        var beats: [AccountID: [AccountBeat]] = [:]
        var serving: [AccountID: [Int32]] = [:]
        for child in children.values where child.isConnected {
            for beat in child.heartbeat.accounts where child.knownAccounts.contains(beat.account) {
                beats[beat.account, default: []].append(beat)
            }
            for account in child.knownAccounts { serving[account, default: []].append(child.processID) }
        }
        let limits = LimitFigures(self)
        var published = MasterStatus(
            pid: processID,
            uptimeSeconds: Int(now.milliseconds(since: startedAt) / 1_000),
            state: drainDeadline == nil ? "running" : "draining",
            unrecorded: ledger.unrecorded,
            waitingRanges: ledger.waitingRanges, trouble: stalls.engineFailure(at: now),
            alarms: alarms,
            children: children.sorted { $0.key < $1.key }.map { id, child in
                MasterStatus.Child(
                    pid: child.processID, generation: id.rawValue, state: child.state.name,
                    outstanding: ledger.outstanding(of: id), waiting: Int(child.heartbeat.waiting),
                    inFlight: Int(child.heartbeat.inFlight),
                    connections: Int(child.heartbeat.openConnections),
                    residentKilobytes: Int(child.heartbeat.residentKilobytes))
            },
            accounts: accounts.sorted { $0.key < $1.key }.map { id, definition in
                var account = status(of: id, definition, beats[id] ?? [], serving[id] ?? [], at: now)
                account.limitedBy = SendingLimit(limits.figures(of: id, account, beats[id] ?? []))
                return account
            })
        published.sending = deliveriesBeingSent
        published.figures = counters.figures
        published.figures?.capacity = settings.capacity * children.values.count { $0.state == .working }
        return published
    }

    private func status(
        of id: AccountID, _ definition: AccountDefinition, _ beats: [AccountBeat], _ serving: [Int32],
        at now: MonotonicTime
    ) -> AccountStatus {
        let breaker = ledger.breaker(of: id) ?? AccountBreaker()
        let isStalled = breaker.isWorking && stalls.rule.isStalled(.account(id))
        return AccountStatus(
            name: definition.name, mark: definition.mark.rawValue, apps: appsOf[id]?.values.sorted() ?? [],
            state: isStalled ? "stalled" : breaker.state.name,
            reason: isStalled ? stallReason(of: id) : breaker.reason,
            secondsUntilProbe: breaker.secondsUntilProbe(at: now),
            outstanding: ledger.outstanding(of: id), inFlight: beats.reduce(0) { $0 + Int($1.inFlight) },
            window: beats.reduce(0) { $0 + Int($1.window) },
            connections: beats.reduce(0) { $0 + Int($1.openConnections) },
            ratePerSecond: ledger.rate(of: id, at: now).map { Int($0) },
            children: serving.sorted(),
            granted: max(ledger.outstanding(of: id) - (traffic[id]?.unrecorded ?? 0), 0),
            answersPerSecond: traffic[id]?.rate.perSecond(at: now) ?? 0,
            troubles: failuresOf[id]?.latest ?? [], waitEndsAt: breaker.waitEnd.map(wallTime),
            topics: refusedTopics(of: id))
    }

    private var deliveriesBeingSent: [MasterStatus.Sending] {
        let atRate = ledger.deliveriesAtRate
        return atRate.union(sending.keys).sorted(by: >).prefix(MasterStatus.mostSending).map { delivery in
            MasterStatus.Sending(
                delivery: delivery.rawValue,
                answersPerSecond: sending[delivery]?.perSecond(at: now) ?? 0,
                isAtRate: atRate.contains(delivery))
        }
    }

    /// Returns the wall time that corresponds to the moment.
    func wallTime(of moment: MonotonicTime) -> WallTime {
        self.moment.wall.advanced(bySeconds: (moment.milliseconds(since: now) + 999) / 1_000)
    }
}

/// The figures that determine what limits the sending of each account.
private struct LimitFigures {
    private let machine: MasterMachine
    private let hasStoreFailure: Bool
    private let workingChildren: Int
    private let reading: [AccountID: Int]

    init(_ machine: MasterMachine) {
        self.machine = machine
        hasStoreFailure = machine.stalls.engineFailure(at: machine.now) != nil
        workingChildren = machine.children.values.count { $0.state == .working && $0.saidHello }
        reading = machine.ledger.reading
    }

    func figures(
        of id: AccountID, _ account: AccountStatus, _ beats: [AccountBeat]
    ) -> SendingLimit.AccountFigures {
        var figures = SendingLimit.AccountFigures()
        figures.hasStoreFailure = hasStoreFailure
        figures.isHeld = !machine.isWorking(id) || machine.ledger.waitsForTopicsOnly(id)
        figures.workingChildren = workingChildren
        figures.wait = machine.ledger.wait(of: id, at: machine.now)
        figures.unrecorded = account.outstanding - account.granted
        figures.reading = min(reading[id] ?? 0, account.granted)
        figures.inFlight = min(account.inFlight, account.granted - figures.reading)
        figures.queued = account.granted - figures.reading - figures.inFlight
        figures.window = account.window
        let answers = beats.reduce(into: LatencyCounts()) { $0.add($1.answers) }
        if !answers.isEmpty {
            figures.answerMilliseconds = Int(answers.sumMicroseconds / answers.total / 1_000)
        }
        return figures
    }
}

extension AccountBreaker {
    /// Returns the seconds until the next probe, rounded up: a probe that is due in half a second is not due
    /// now.
    func secondsUntilProbe(at now: MonotonicTime) -> Int? {
        nextMoment.map { Int(max($0.milliseconds(since: now) + 999, 0) / 1_000) }
    }
}

extension AccountBreaker.State {
    var name: String {
        switch self {
        case .working: "working"
        case .waiting: "waiting"
        case .probing: "probing"
        case .stopped: "stopped"
        }
    }
}
