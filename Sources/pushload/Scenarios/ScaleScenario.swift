internal import Glibc

/// Several hosts on one database send one delivery, each held at a rate by the gateway's delay; or one host as fast
/// as it can.
package struct ScaleScenario: Sendable {
    package var hosts: Int
    /// Of each host; nil: as fast as it can be.
    package var ratePerSecond: Int?
    package var messages: Int

    /// Before each answer: streams are as many as the rate wants. So long that what a busy machine adds is little.
    private static let delayMilliseconds = 1_000

    package init(hosts: Int, ratePerSecond: Int, seconds: Int) {
        (self.hosts, self.ratePerSecond) = (hosts, ratePerSecond)
        messages = hosts * ratePerSecond * seconds
    }

    /// One host as fast as it can be.
    package init(messages: Int) { (hosts, ratePerSecond, self.messages) = (1, nil, messages) }

    package var settings: TestbedSettings {
        var settings = TestbedSettings()
        settings.store = .postgresql
        settings.gateway.keepsLog = false
        settings.gateway.countsSeconds = true
        if let ratePerSecond {
            settings.capacity = 3 * ratePerSecond
            settings.gateway.streams = max(ratePerSecond * Self.delayMilliseconds / 1_000, 1)
            settings.gateway.delayMilliseconds = Self.delayMilliseconds
        }
        return settings
    }

    package struct Report: Sendable {
        package var hosts = 0
        package var messages = 0
        /// In the middle of the delivery, by the gateway's count of each second.
        package var perSecond = 0.0
        /// Of the database server, a message.
        package var serverMicroseconds = 0.0
        /// Of all hosts and their children, a message.
        package var engineMicroseconds = 0.0
        package var logBytesPerMessage = 0.0
        /// Pages that were written whole to the server's log, because a checkpoint was before.
        package var wholePages = 0
        /// Of the server, reads included.
        package var transactionsPerSecond = 0.0
        /// Of all hosts, at the server.
        package var connections = 0
    }

    private struct Sample {
        var serverSeconds: Double
        var engineSeconds: Double
        var logBytes: Int
        var wholePages: Int
        var transactions: Int
    }

    package func run(in testbed: Testbed) async throws -> Report {
        guard let server = testbed.databaseServer else {
            throw LoadError(.wrong("there is no server to share"))
        }
        try await testbed.createApp()
        try await testbed.importSubscribers(.init(messages))
        try await testbed.startEngine()
        var others: [RunningProcess] = []
        for number in 1..<hosts { others.append(try testbed.launchHost(number + 1).process) }
        try await testbed.waitForHosts(hosts)
        // What the server still has to do for the import is no part of sending.
        try server.query("VACUUM ANALYZE", in: Testbed.database)
        try server.query("CHECKPOINT")
        var report = Report(hosts: hosts, messages: messages)
        let before = try await sample(testbed, server)
        report.connections = try Self.number(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = 'push'", server)
        let limit = Duration.seconds(120 + messages / 200)
        let (delivery, seconds) = try await testbed.submitAndWait(DeliveryText(), within: limit)
        let after = try await sample(testbed, server)
        let end = try await testbed.show(delivery)
        for process in others {
            process.signal(SIGTERM)
            guard try await process.end().status == 0 else {
                throw LoadError(.wrong("a host did not end in order"))
            }
        }
        try await testbed.stopEngine()
        let requests = try await gatewayCounts(testbed, end)
        report.perSecond = Self.middle(requests)
        let count = Double(messages)
        report.serverMicroseconds = (after.serverSeconds - before.serverSeconds) * 1e6 / count
        report.engineMicroseconds = (after.engineSeconds - before.engineSeconds) * 1e6 / count
        report.logBytesPerMessage = Double(after.logBytes - before.logBytes) / count
        report.wholePages = after.wholePages - before.wholePages
        report.transactionsPerSecond = Double(after.transactions - before.transactions) / seconds
        return report
    }

    /// Requests of each second. A figure of a delivery that did not arrive once and whole is none.
    private func gatewayCounts(_ testbed: Testbed, _ end: DeliveryReport) async throws -> [Int] {
        try await testbed.stopGateway()
        let summary = try testbed.gatewaySummary()
        guard end.state == "finished", end.counts.sent == messages else {
            throw LoadError(.wrong("the delivery ended as \(end.summary)"))
        }
        guard summary.accepted == messages, summary.distinctTokens == messages else {
            throw LoadError(.wrong("the gateway accepted \(summary.accepted) of \(messages)"))
        }
        return summary.requestsBySecond ?? []
    }

    /// The mean without the first and the last fifth: hosts begin and end in their own time.
    private static func middle(_ seconds: [Int]) -> Double {
        let cut = max(seconds.count / 5, min(1, seconds.count / 3))
        let middle = seconds.dropFirst(cut).dropLast(cut)
        return middle.isEmpty ? 0 : Double(middle.reduce(0, +)) / Double(middle.count)
    }

    // MARK: Figures

    private func sample(_ testbed: Testbed, _ server: DatabaseServer) async throws -> Sample {
        var engine = 0.0
        for number in 1...hosts {
            let status = number == 1 ? try await testbed.status() : try await testbed.status(ofHost: number)
            guard let master = status.master, let figures = ProcessFigures(of: master.pid) else {
                throw LoadError(.wrong("no engine to measure"))
            }
            engine += figures.ownSeconds + figures.endedChildrenSeconds
            for child in master.children { engine += ProcessFigures(of: child.pid)?.ownSeconds ?? 0 }
        }
        return Sample(
            serverSeconds: server.cpuSeconds, engineSeconds: engine,
            logBytes: try Self.number("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint", server),
            wholePages: try Self.number("SELECT wal_fpi FROM pg_stat_wal", server),
            transactions: try Self.number(
                "SELECT xact_commit FROM pg_stat_database WHERE datname = '\(Testbed.database)'", server))
    }

    private static func number(_ sql: String, _ server: DatabaseServer) throws -> Int {
        guard let number = try server.query(sql).first.flatMap({ Int($0) }) else {
            throw LoadError(.unreadable(what: sql, why: "the server gave no number"))
        }
        return number
    }
}
