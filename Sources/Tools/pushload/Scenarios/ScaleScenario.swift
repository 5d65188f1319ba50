internal import ArgumentParser
internal import Glibc

/// Several hosts on one database send one delivery. The gateway's delay limits the rate of each host. In
/// another part of the scenario, one host sends as fast as it can.
struct ScaleScenario: Scenario {
    static let configuration = CommandConfiguration(
        commandName: "scale",
        abstract:
            """
            Measure how the rate grows with the number of hosts on one PostgreSQL server, and how much of \
            the server they use.
            """,
        discussion: """
            The gateway's delay limits the rate of each host. Each host has one child. All hosts share the \
            machine with the server and the gateway, so choose a rate that leaves spare capacity. Then one \
            host sends at full rate, to measure what a message costs the server. Exit status 0: n hosts \
            reach 0.95 of n times the rate of one host, and a message at full rate takes at most 20 bytes of \
            the server's log.

            Example: pushload scale --hosts 1,2,4 --rate 500
            """)

    @Option(
        help: ArgumentHelp(
            """
            The numbers of hosts, one for each run, separated by commas. The other runs are compared \
            with the first.
            """,
            valueName: "counts"))
    var hosts: Listed<Int> = [1, 2, 4, 8]
    @Option(help: .count("The number of messages per second of each host.")) var rate = 1_000
    @Option(help: ArgumentHelp("The duration of each delivery.", valueName: "s")) var seconds = 40
    @Option(help: .count("The number of messages of the run at full rate. 0 omits this run.")) var full =
        1_000_000

    private static let minShare = 0.95
    private static let maxLogBytes = 20.0
    /// The delay before each answer. The number of streams follows from the rate. The delay is so long that
    /// the additional delay on a busy machine matters little.
    private static let delayMilliseconds = 1_000

    var limits: KeyValuePairs<String, ClosedRange<Int>> {
        ["rate": 10...100_000, "seconds": 10...3_600, "full": 0...10_000_000]
    }

    func checkOptions() throws {
        guard hosts.elements.allSatisfy((1...32).contains) else {
            throw ValidationError("--hosts must be numbers from 1 to 32, separated by commas.")
        }
        guard full == 0 || full >= 10_000 else {
            throw ValidationError("--full must be from 10000 to 10000000, or 0.")
        }
    }

    /// The parts: one for each number of hosts, and one without a number of hosts for the run at full rate.
    var parts: [Self] {
        hosts.elements.map { count in with { ($0.hosts, $0.full) = ([count], 0) } }
            + (full > 0 ? [with { $0.hosts = [] }] : [])
    }

    private var isAtFullRate: Bool { hosts.elements.isEmpty }
    private var count: Int { hosts.elements.first ?? 1 }
    private var messages: Int { isAtFullRate ? full : count * rate * seconds }

    var settings: TestbedSettings {
        TestbedSettings(store: .postgresql) {
            $0.gateway.keepsLog = false
            $0.gateway.countsSeconds = true
            guard !isAtFullRate else { return }
            $0.capacity = 3 * rate
            $0.gateway.streams = max(rate * Self.delayMilliseconds / 1_000, 1)
            $0.gateway.delayMilliseconds = Self.delayMilliseconds
        }
    }

    struct Outcome {
        var hosts = 0
        /// The mean rate in the middle of the delivery, from the gateway's counts of requests per second.
        var perSecond = 0.0
        /// The CPU time of the database server per message.
        var serverMicroseconds = 0.0
        var logBytesPerMessage = 0.0
        /// Pages that were written in full to the server's log because they followed a checkpoint.
        var wholePages = 0
        /// The server's transactions per second, including reads.
        var transactionsPerSecond = 0.0
        /// The connections of all hosts to the server.
        var connections = 0
        var isAtFullRate = false

        func share(of one: Outcome) -> Double {
            perSecond / (one.perSecond / Double(one.hosts) * Double(hosts))
        }

        func row(besides one: Outcome) -> String {
            tableRow([
                "\(hosts)", "\(perSecond.fixed(0))/s", isAtFullRate ? "full rate" : share(of: one).fixed(2),
                "\(serverMicroseconds.fixed(1)) µs",
                "\(logBytesPerMessage.fixed(1)) B, \(wholePages) whole pages",
                transactionsPerSecond.fixed(0), "\(connections)",
            ])
        }
    }

    func verdict(on outcome: Outcome) -> Verdict { verdict(on: outcome, after: []) }

    func verdict(on outcome: Outcome, after earlier: [Outcome]) -> Verdict {
        let one = earlier.first ?? outcome
        let share = outcome.share(of: one)
        let head = [
            """
            | hosts | sent | share of n times one host | server's CPU per message | WAL per message | \
            transactions a second | connections |
            """,
            "|--:|--:|--:|--:|--:|--:|--:|",
        ]
        return Verdict(
            figures: head + (earlier + [outcome]).map { $0.row(besides: one) },
            [
                isAtFullRate
                    ? Finding(
                        "a message takes at most \(Self.maxLogBytes.fixed(0)) bytes of the server's log",
                        outcome.logBytesPerMessage <= Self.maxLogBytes,
                        "\(outcome.logBytesPerMessage.fixed(1)) bytes")
                    : Finding(
                        "\(outcome.hosts) hosts reach \(Self.minShare) of their rate",
                        share >= Self.minShare, share.fixed(2))
            ])
    }

    /// The server's counters so far.
    private struct Sample {
        let serverSeconds: Double
        let logBytes, wholePages, transactions, connections: Int

        init(_ server: DatabaseServer) throws {
            serverSeconds = server.cpuSeconds
            let sql = """
                SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint, (SELECT wal_fpi FROM \
                pg_stat_wal),
                  xact_commit, (SELECT count(*) FROM pg_stat_activity WHERE datname = '\(Testbed.database)')
                FROM pg_stat_database WHERE datname = '\(Testbed.database)'
                """
            let numbers = try server.query(sql).first?.split(separator: "|").compactMap { Int($0) } ?? []
            guard numbers.count == 4 else {
                throw LoadError.unreadable(sql, "the server returned an unexpected number of columns")
            }
            (logBytes, wholePages) = (numbers[0], numbers[1])
            (transactions, connections) = (numbers[2], numbers[3])
        }
    }

    func run(in testbed: Testbed, say: @escaping (String) -> Void) async throws -> Outcome {
        guard let server = testbed.databaseServer else {
            throw LoadError("the testbed has no PostgreSQL server to share")
        }
        try await testbed.begin([(.ios, .init(messages))])
        var others: [RunningProcess] = []
        for number in 1..<count { others.append(try testbed.launchHost(number + 1).process) }
        try await testbed.waitForHosts(count)
        // The server finishes its work for the import at this point, so that the measurement of sending does
        // not include it.
        try server.query("VACUUM ANALYZE", in: Testbed.database)
        try server.query("CHECKPOINT")
        var outcome = Outcome(hosts: count, isAtFullRate: isAtFullRate)
        let before = try Sample(server)
        outcome.connections = before.connections
        let limit = Duration.seconds(120 + messages / 200)
        let (delivery, seconds) = try await testbed.submitAndWait(DeliveryText(), within: limit)
        let after = try Sample(server)
        let end = try await testbed.show(delivery)
        for process in others { try await process.endByRequest() }
        try await testbed.finish()
        let summary = try testbed.gatewaySummary()
        try summary.require(all: messages, of: end)
        outcome.perSecond = Self.middle(summary.requestsBySecond ?? [])
        outcome.serverMicroseconds = (after.serverSeconds - before.serverSeconds) * 1e6 / Double(messages)
        outcome.logBytesPerMessage = Double(after.logBytes - before.logBytes) / Double(messages)
        outcome.wholePages = after.wholePages - before.wholePages
        outcome.transactionsPerSecond = Double(after.transactions - before.transactions) / seconds
        return outcome
    }

    /// Returns the mean of the counts per second. The first and the last fifth of the counts are left out,
    /// because hosts begin and end at different times.
    private static func middle(_ seconds: [Int]) -> Double {
        let cut = max(seconds.count / 5, min(1, seconds.count / 3))
        let middle = seconds.dropFirst(cut).dropLast(cut)
        return middle.isEmpty ? 0 : Double(middle.reduce(0, +)) / Double(middle.count)
    }
}
