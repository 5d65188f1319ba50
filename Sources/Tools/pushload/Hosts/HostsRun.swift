internal import FoundationEssentials
internal import Glibc

/// A run of ``HostsScenario``.
struct HostsRun {
    let scenario: HostsScenario
    let testbed: Testbed
    let say: (String) -> Void
    var report: HostsReport
    var chance: SplitMix64
    private var deliveries: [Int] = []
    /// The deliveries that have not ended.
    private var open: [Int] = []

    init(_ scenario: HostsScenario, in testbed: Testbed, say: @escaping (String) -> Void) {
        (self.scenario, self.testbed, self.say) = (scenario, testbed, say)
        report = HostsReport(scenario)
        chance = SplitMix64(seed: scenario.seed.number)
    }

    // MARK: Beginning and ending

    mutating func begin() async throws {
        testbed.expectedComplaints += [
            "cannot be reached", "was taken by another host", "stayed locked", Self.stalled,
            // If a child is killed immediately after it starts, the engine logs the following line, although
            // the installation is not faulty.
            "a child ended before it did any work",
            // The log texts of releases before 0.8.0. The earlier program may be one of these releases.
            "is out of reach", "a child ended before it was of any use",
        ]
        try await testbed.createApps(HostsScenario.platforms.map { ($0, scenario.subscribers(of: $0)) })
        try recordHostChanges()
        try await testbed.makeHosts(HostsScenario.hosts)
        for host in testbed.hosts { host.program = scenario.earlier }
        try await testbed.launchHosts()
        for _ in 0..<2 { try await submit() }
    }

    /// Makes the database server record every change to the list of hosts, with the time by the server's
    /// clock. A trigger is used because repeated queries would miss changes.
    private func recordHostChanges() throws {
        try testbed.databaseServer?.query(
            """
            CREATE TABLE public.word (
                number BIGINT GENERATED ALWAYS AS IDENTITY, at BIGINT, host TEXT, session TEXT, state TEXT,
                said BIGINT);
            CREATE FUNCTION public.note_word() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                INSERT INTO public.word (at, host, session, state, said)
                VALUES (CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT), NEW.id, NEW.session,
                    NEW.state, NEW.word_ms);
                RETURN NULL;
            END $$;
            CREATE TRIGGER note_word AFTER INSERT OR UPDATE ON host FOR EACH ROW
                EXECUTE FUNCTION public.note_word();
            """, in: Testbed.database)
    }

    func samples(where condition: String = "TRUE") throws -> [HostsReport.HostSample] {
        let lines = try testbed.databaseServer?.query(
            "SELECT row_to_json(word) FROM public.word WHERE \(condition) ORDER BY number",
            in: Testbed.database)
        return try (lines ?? []).map { try HostsReport.HostSample(json: $0.utf8, from: "a state of a host") }
    }

    mutating func end() async throws -> HostsReport {
        try await testbed.settle(open, within: Waiting.patience + .seconds(scenario.devices / 20), say: say)
        for host in testbed.hosts { try await testbed.end(host) }
        try await testbed.stopGateways()
        report.summary = try testbed.gatewaySummary()
        report.samples = try samples()
        for host in testbed.hosts {
            noteStalls(of: host)
            report.requests.append((host.id, try host.requests()))
        }
        report.chapters = try await testbed.chapters(of: deliveries, report.requests.flatMap(\.requests))
        return report
    }

    private static let stalled = " is stalled: "

    /// The text in a log line that reports a stall of the whole engine. Lines about stalled accounts and
    /// deliveries do not contain it.
    private static let engineStalled = "the engine is stalled: "

    /// Records the stalls that a host reported, except expected stalls. When a frozen host continues, it
    /// reports that no answers arrived while it was frozen. A host that is cut off reports that its lease has
    /// not been renewed, or that its writer has not returned from the store.
    private mutating func noteStalls(of host: TestbedHost) {
        let injectedFaults = report.injectedFaults.filter { $0.host == host.id }
        let wakes = injectedFaults.filter { [.freeze, .coma].contains($0.fault) }.map(\.until)
        let cuts = injectedFaults.filter { $0.fault == .cut }
        for line in host.log.split(separator: "\n") where line.contains(Self.stalled) {
            let word = line.split(separator: " ").first?.dropFirst("time=".count) ?? ""
            let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
            let moment = (try? style.parse(String(word))).map { Int($0.timeIntervalSince1970 * 1_000) } ?? 0
            guard !wakes.contains(where: { ($0 - 1_000...$0 + 20_000).contains(moment) }) else { continue }
            let isCutOff = cuts.contains { ($0.at...$0.until + 20_000).contains(moment) }
            guard !isCutOff || !line.contains(Self.engineStalled) else { continue }
            report.stalled.append("host \(host.number): \(line)")
        }
    }

    // MARK: Deliveries

    @discardableResult
    private mutating func submit() async throws -> Int {
        // The rate of a delivery is visible only while the gateway has capacity. If the gateway is saturated,
        // messages enter a child at their delivery's rate, but leave it at the gateway's pace.
        let isLimited = deliveries.count % 2 == 1
        var document = DeliveryText(
            apps: isLimited ? [Testbed.androidApp] : HostsScenario.platforms.map(\.app))
        if isLimited { document.ratePerSecond = HostsScenario.deliveryRate }
        let delivery = try await testbed.submit(document)
        if isLimited { report.limited.insert(delivery) }
        deliveries.append(delivery)
        open.append(delivery)
        return delivery
    }

    /// - Returns: The number of messages that are left to send.
    mutating func keepTwoRunning() async throws -> Int {
        var (unfinished, waiting) = ([Int](), 0)
        for delivery in open {
            let shown = try await testbed.show(delivery)
            if shown.isOver { continue }
            unfinished.append(delivery)
            // Messages that are not prepared yet are not included in these counts.
            let left = shown.counts.pending + shown.counts.retrying
            waiting += shown.state == "inProgress" ? left : report.targeted(by: delivery)
        }
        open = unfinished
        while open.count < 2 || waiting < scenario.targeted {
            waiting += report.targeted(by: try await submit())
        }
        return waiting
    }

    // MARK: Hosts

    /// Starts the hosts that have ended, and waits until every host has written to its row again that it is
    /// sending. A host that lost its place starts again by itself.
    /// - Parameter victim: A host whose end is expected.
    mutating func allSend(victim: TestbedHost? = nil) async throws {
        var last = ""
        let since = EpochTime.now
        try await Waiting.until(
            "all hosts to send", maxPollInterval: Waiting.maxCommandInterval, seen: { last }
        ) {
            for host in testbed.hosts where host.process?.isRunning == false {
                let said = Folder.lastLines(of: host.process?.complaints ?? "", 2)
                if host.number != victim?.number { report.unexpected.append("host \(host.number): \(said)") }
                guard report.unexpected.count < 10 else { throw LoadError(report.unexpected[0]) }
                try testbed.launch(host)
            }
            let lines = try? testbed.databaseServer?.query(
                "SELECT id, state, word_ms > \(since) FROM host ORDER BY id", in: Testbed.database)
            last = lines?.joined(separator: ", ") ?? "no database"
            let sending = lines?.count {
                ($0.contains("|serving|") || $0.contains("|sending|")) && $0.hasSuffix("t")
            }
            return sending == HostsScenario.hosts ? () : nil
        }
    }

    // MARK: Faults

    mutating func inject(_ fault: HostsScenario.Fault) async throws {
        let order = testbed.hosts.shuffled(using: &chance).filter { fault != .upgrade || $0.program != nil }
        let left = try await keepTwoRunning()
        // Some hosts may have no messages, because each part of a delivery goes to one host and deliveries
        // may have few parts.
        let victim = try await Waiting.until("a host to have messages") {
            for host in order where try await testbed.status(of: host)?.unrecorded ?? 0 > 0 { return host }
            return nil
        }
        try await Task.sleep(for: .milliseconds(Int.random(in: 0...500, using: &chance)))
        var strike = HostsReport.InjectedFault(fault, on: victim.id, at: EpochTime.now, left: left)
        strike.leads = try samples(where: "host = '\(victim.id)'").last?.state == "serving"
        let role = strike.leads ? ", which leads" : ""
        say("\(fault.rawValue) of host \(victim.number)\(role), \(left) messages left")
        switch fault {
        case .kill, .children: try await kill(victim, &strike)
        case .freeze, .coma: try await freeze(victim, &strike)
        case .database: try testbed.databaseServer?.restart(.immediate)
        case .cut: try await cut(victim, &strike)
        case .end: try await testbed.end(victim)
        case .upgrade:
            victim.program = nil
            try await testbed.end(victim)
        }
        strike.until = EpochTime.now
        report.injectedFaults.append(strike)
        try await allSend(victim: victim)
    }

    /// Stops the host's children with SIGSTOP. The messages that its master reports as unrecorded after that
    /// are exactly the messages that the end of the children may affect.
    private func still(_ host: TestbedHost) async throws -> (children: [Int32], unrecorded: Int) {
        let before = try await testbed.status(of: host)?.children.map(\.pid) ?? []
        for child in before { testbed.stop(child: child) }
        guard let master = try await testbed.status(of: host) else { return (before, 0) }
        let spawned = master.children.count { !before.contains($0.pid) }
        return (before, master.unrecorded + spawned * HostsScenario.capacity)
    }

    private mutating func kill(_ victim: TestbedHost, _ strike: inout HostsReport.InjectedFault) async throws
    {
        let (children, unrecorded) = try await still(victim)
        (strike.unrecorded, strike.at) = (unrecorded, EpochTime.now)
        if strike.fault == .children {
            for child in children { testbed.kill(child: child) }
            return
        }
        victim.process?.killAndReap()
        _ = try await testbed.waitForOrphans(children)
        // If the host is started again immediately, it gets its own place back, and no other host takes over
        // that place.
        strike.isTakenOver = Bool.random(using: &chance)
        if strike.isTakenOver { try await waitUntilLost(victim, after: strike.at) }
    }

    private mutating func freeze(_ victim: TestbedHost, _ strike: inout HostsReport.InjectedFault)
        async throws
    {
        guard let process = victim.process else { return }
        let status = strike.fault == .coma ? try await testbed.status(of: victim) : nil
        let children = status?.children.map(\.pid) ?? []
        strike.unrecorded = HostsScenario.capacity * HostsScenario.children
        strike.at = EpochTime.now
        for frozen in children + [process.processID] { Glibc.kill(frozen, SIGSTOP) }
        let wakes = ContinuousClock.now + .seconds(scenario.freezeSeconds)
        strike.isTakenOver = scenario.freezeSeconds * 1_000 > scenario.takeOverLimitMilliseconds
        if strike.isTakenOver { try await waitUntilLost(victim, after: strike.at) }
        try await Task.sleep(until: wakes)
        let masterIsFirst = Bool.random(using: &chance)
        for frozen in masterIsFirst ? [process.processID] + children : children + [process.processID] {
            Glibc.kill(frozen, SIGCONT)
        }
    }

    private mutating func cut(_ victim: TestbedHost, _ strike: inout HostsReport.InjectedFault) async throws {
        let modes = DatabaseProxy.ForwardingMode.allCases.filter { $0 != .open }
        let mode = modes.randomElement(using: &chance) ?? .silent
        let resets = Bool.random(using: &chance)
        strike.isTakenOver = Int.random(in: 0..<3, using: &chance) > 0
        let name = strike.isTakenOver ? "until it is taken over" : "for a moment"
        say("cut \(name): \(mode.rawValue), its connections \(resets ? "are reset" : "stay open")")
        strike.at = EpochTime.now
        victim.proxy.set(mode)
        if strike.isTakenOver {
            strike.unrecorded = HostsScenario.capacity * HostsScenario.children
            try await waitUntilLost(victim, after: strike.at)
        }
        let wait = scenario.silenceMilliseconds
        let pause = strike.isTakenOver ? Int.random(in: 0...wait, using: &chance) : wait / 4
        try await Task.sleep(for: .milliseconds(pause))
        victim.proxy.set(.open, resetsConnections: resets)
    }

    private func waitUntilLost(_ victim: TestbedHost, after moment: Int) async throws {
        try await Waiting.until(
            "host \(victim.number) to be recorded as lost", maxPollInterval: Waiting.maxCommandInterval
        ) {
            try samples(where: "host = '\(victim.id)' AND state = 'lost' AND at >= \(moment)").isEmpty
                ? nil : ()
        }
    }
}
