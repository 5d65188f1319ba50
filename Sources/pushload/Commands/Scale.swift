internal import ArgumentParser

struct Scale: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scale",
        abstract:
            "Measure how the rate grows with the hosts on one PostgreSQL, and what that costs the server.",
        discussion: """
            Each host is held at a rate by the gateway's delay and has one child; all share the machine with the server \
            and the gateway, so the rate is to leave room. Then one host sends as fast as it can, which says what a \
            message costs the server. Exit status 0: so many hosts have 0.95 of so many times the rate of one, and a \
            message at full rate is at most 20 bytes of the server's log.
            """)

    @Option(
        help: ArgumentHelp(
            "Hosts of each run, with commas; the first run is what the others are compared with.",
            valueName: "counts"))
    var hosts = "1,2,4,8"

    @Option(help: ArgumentHelp("Messages a second of each host.", valueName: "count"))
    var rate = 1_000

    @Option(help: ArgumentHelp("How long each delivery takes.", valueName: "s"))
    var seconds = 40

    @Option(help: ArgumentHelp("Messages of the run at full rate; 0: none.", valueName: "count"))
    var full = 1_000_000

    private static let leastShare = 0.95
    private static let mostLogBytes = 20.0

    private var wanted: [Int] { hosts.split(separator: ",").compactMap { Int($0) } }

    func validate() throws {
        guard !wanted.isEmpty, wanted.count == hosts.split(separator: ",").count,
            wanted.allSatisfy((1...32).contains)
        else { throw ValidationError("--hosts takes numbers from 1 to 32, with commas.") }
        guard (10...100_000).contains(rate) else { throw ValidationError("--rate takes 10 to 100000.") }
        guard (10...3_600).contains(seconds) else { throw ValidationError("--seconds takes 10 to 3600.") }
        guard full == 0 || (10_000...10_000_000).contains(full) else {
            throw ValidationError("--full takes 10000 to 10000000, or 0.")
        }
    }

    func run() async throws {
        Terminal.line("pushload scale --hosts \(hosts) --rate \(rate) --seconds \(seconds) --full \(full)")
        Terminal.line("")
        Terminal.line(
            "| hosts | sent | of so many times one | server's CPU a message | WAL a message | transactions a second | connections |"
        )
        Terminal.line("|--:|--:|--:|--:|--:|--:|--:|")
        var broken: [String] = []
        var one: Double?
        for count in wanted {
            let scenario = ScaleScenario(hosts: count, ratePerSecond: rate, seconds: seconds)
            let report = try await Testbed.use(scenario.settings) { try await scenario.run(in: $0) }
            let single = one ?? report.perSecond / Double(count)
            one = single
            let share = report.perSecond / (single * Double(count))
            if share < Self.leastShare {
                broken.append("\(count) hosts have \(share.fixed(2)) of their rate")
            }
            line(report, share: share)
        }
        if full > 0 {
            let scenario = ScaleScenario(messages: full)
            let report = try await Testbed.use(scenario.settings) { try await scenario.run(in: $0) }
            line(report, share: nil)
            if report.logBytesPerMessage > Self.mostLogBytes {
                broken.append("a message is \(report.logBytesPerMessage.fixed(1)) bytes of the server's log")
            }
        }
        guard broken.isEmpty else { throw LoadError(.wrong(broken.joined(separator: "; "))) }
    }

    private func line(_ report: ScaleScenario.Report, share: Double?) {
        let cells = [
            "\(report.hosts)", "\(report.perSecond.fixed(0))/s", share.map { $0.fixed(2) } ?? "full rate",
            "\(report.serverMicroseconds.fixed(1)) µs",
            "\(report.logBytesPerMessage.fixed(1)) B, "
                + "\(report.wholePages) whole pages", report.transactionsPerSecond.fixed(0),
            "\(report.connections)",
        ]
        Terminal.line("| \(cells.joined(separator: " | ")) |")
    }
}
