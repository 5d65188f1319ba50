internal import Glibc

/// What befalls hosts.
extension HostsRun {
    mutating func suffer(_ fault: HostsScenario.Fault, _ chance: inout Chance) async throws {
        let order = testbed.hosts.shuffled(using: &chance).filter { fault != .upgrade || $0.program != nil }
        let left = try await keepTwoUnderWay()
        // Where deliveries have few parts, not every host has one.
        let victim = try await Waiting.until("a host to be at work") {
            for host in order where try await testbed.status(of: host).map({ $0.unrecorded > 0 }) == true {
                return host
            }
            return nil
        }
        try await Task.sleep(for: .milliseconds(Int.random(in: 0...500, using: &chance)))
        var strike = HostsReport.Strike(fault, on: victim.id, at: Moment.now, left: left)
        strike.leads = try words(where: "id = '\(victim.id)'").last?.state == "serving"
        say(
            "\(fault.rawValue) of host \(victim.number)\(strike.leads ? ", which leads" : ""), \(left) messages to go"
        )
        switch fault {
        case .kill: try await kill(victim, &strike, &chance)
        case .children: try await killChildren(of: victim, &strike)
        case .freeze, .coma: try await freeze(victim, withChildren: fault == .coma, &strike, &chance)
        case .database: try testbed.databaseServer?.restart(.immediate)
        case .cut: try await cut(victim, &strike, &chance)
        case .end: try await testbed.end(victim)
        case .upgrade:
            victim.program = nil
            try await testbed.end(victim)
        }
        strike.until = Moment.now
        report.strikes.append(strike)
        try await allSend(victim: victim)
    }

    /// Its children do nothing any more, so that what its master then calls unrecorded is what their end may cost.
    private func still(_ host: TestbedHost) async throws -> (children: [Int32], unrecorded: Int) {
        let before = try await testbed.status(of: host)?.children.map(\.pid) ?? []
        for child in before { testbed.stop(child: child) }
        guard let master = try await testbed.status(of: host) else { return (before, 0) }
        let spawned = master.children.count { !before.contains($0.pid) }
        return (before, master.unrecorded + spawned * HostsScenario.capacity)
    }

    private func kill(
        _ victim: TestbedHost, _ strike: inout HostsReport.Strike, _ chance: inout Chance
    ) async throws {
        let (children, unrecorded) = try await still(victim)
        strike.unrecorded = unrecorded
        strike.at = Moment.now
        victim.process?.killAndReap()
        for child in children { Glibc.kill(child, SIGCONT) }
        try await Waiting.until("the children to follow their master") {
            children.contains { ProcessTable.isAlive($0) } ? nil : ()
        }
        // Started at once it has its own place again, and nobody takes that over.
        strike.isTakenOver = Bool.random(using: &chance)
        if strike.isTakenOver { try await waitUntilLost(victim, after: strike.at) }
    }

    private func killChildren(of victim: TestbedHost, _ strike: inout HostsReport.Strike) async throws {
        let (children, unrecorded) = try await still(victim)
        strike.unrecorded = unrecorded
        strike.at = Moment.now
        for child in children { testbed.kill(child: child) }
    }

    private func freeze(
        _ victim: TestbedHost, withChildren: Bool, _ strike: inout HostsReport.Strike, _ chance: inout Chance
    ) async throws {
        guard let process = victim.process else { return }
        let children = withChildren ? try await testbed.status(of: victim)?.children.map(\.pid) ?? [] : []
        strike.unrecorded = HostsScenario.capacity * HostsScenario.children
        strike.at = Moment.now
        for frozen in children + [process.processID] { Glibc.kill(frozen, SIGSTOP) }
        let wakes = ContinuousClock.now + .seconds(scenario.freezeSeconds)
        strike.isTakenOver = scenario.freezeSeconds * 1_000 > scenario.takeOverLimitMilliseconds
        if strike.isTakenOver { try await waitUntilLost(victim, after: strike.at) }
        let left = wakes - ContinuousClock.now
        if left > .zero { try await Task.sleep(for: left) }
        let masterIsFirst = Bool.random(using: &chance)
        for frozen in masterIsFirst ? [process.processID] + children : children + [process.processID] {
            Glibc.kill(frozen, SIGCONT)
        }
    }

    private func cut(
        _ victim: TestbedHost, _ strike: inout HostsReport.Strike, _ chance: inout Chance
    ) async throws {
        let passages = DatabaseProxy.Passage.allCases.filter { $0 != .open }
        let passage = passages.randomElement(using: &chance) ?? .silent
        let resets = Bool.random(using: &chance)
        strike.isTakenOver = Int.random(in: 0..<3, using: &chance) > 0
        let name = strike.isTakenOver ? "until it is taken over" : "for a moment"
        say(
            "cut \(name): \(passage.rawValue), \(resets ? "its connections are reset" : "its connections go on")"
        )
        strike.at = Moment.now
        victim.proxy.set(passage)
        if strike.isTakenOver {
            strike.unrecorded = HostsScenario.capacity * HostsScenario.children
            try await waitUntilLost(victim, after: strike.at)
            try await Task.sleep(
                for: .milliseconds(Int.random(in: 0...scenario.silenceMilliseconds, using: &chance)))
        } else {
            try await Task.sleep(for: .milliseconds(scenario.silenceMilliseconds / 4))
        }
        victim.proxy.set(.open, resetsConnections: resets)
    }

    private func waitUntilLost(_ victim: TestbedHost, after moment: Int) async throws {
        try await Waiting.until(
            "host \(victim.number) to be taken for lost", longestNap: Waiting.longestNapBetweenCommands
        ) {
            try words(where: "id = '\(victim.id)' AND state = 'lost' AND at_ms >= \(moment)").isEmpty
                ? nil : ()
        }
    }
}
