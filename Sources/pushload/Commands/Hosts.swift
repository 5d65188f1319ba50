internal import ArgumentParser
internal import Glibc

struct Hosts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hosts",
        abstract: "Harm hosts that share a PostgreSQL database, and hold the two ends against each other.",
        discussion: """
            Three hosts send two deliveries at a time to APNs and FCM. In mid-delivery hosts are killed, frozen and cut \
            off from the database, its server crashes, and one ends in order, all by a seed. Every assertion is printed \
            with its numbers. Exit status 0: all of them hold.
            """)

    @Option(help: "The run's chance; the same one repeats it. (default: another each time)")
    var seed: UInt64?

    @Option(help: ArgumentHelp("So many runs, with this seed and those that follow.", valueName: "count"))
    var seeds = 1

    @Option(help: ArgumentHelp("Runs at a time.", valueName: "count"))
    var atOnce = 1

    @Option(help: ArgumentHelp("Devices of each of the two apps.", valueName: "count"))
    var devices = 12_000

    @Option(help: ArgumentHelp("For how long a host is frozen.", valueName: "seconds"))
    var freezeSeconds = 60

    @Option(
        help: ArgumentHelp(
            "What befalls hosts, with commas: kill, children, freeze, coma, database, cut, end. (default: all)",
            valueName: "faults"))
    var faults: String?

    @Option(
        help: ArgumentHelp(
            "pushmta of an earlier release, whose store has the same schema: all hosts begin with it, and each is "
                + "upgraded between two other faults.", valueName: "program"))
    var earlier: String?

    private var chosen: [HostsScenario.Fault]? {
        guard let faults else { return HostsScenario.Fault.usual }
        let found = faults.split(separator: ",").map { name in
            HostsScenario.Fault.usual.first { $0.rawValue == name }
        }
        return found.contains(nil) || found.isEmpty ? nil : found.compactMap(\.self)
    }

    func validate() throws {
        guard (500...1_000_000).contains(devices) else {
            throw ValidationError("--devices takes 500 to 1000000.")
        }
        guard (1...10_000).contains(seeds) else { throw ValidationError("--seeds takes 1 to 10000.") }
        guard (1...100).contains(atOnce) else { throw ValidationError("--at-once takes 1 to 100.") }
        guard (1...3_600).contains(freezeSeconds) else {
            throw ValidationError("--freeze-seconds takes 1 to 3600.")
        }
        if let earlier, unsafe access(earlier, X_OK) != 0 {
            throw ValidationError("--earlier: there is no program \(earlier).")
        }
        guard chosen != nil else {
            throw ValidationError(
                "--faults takes of: \(HostsScenario.Fault.usual.map(\.rawValue).joined(separator: ", ")).")
        }
    }

    func run() async throws {
        let first = seed ?? .random(in: 1...999_999)
        let all = (0..<UInt64(seeds)).map { first &+ $0 }
        var broken: [String] = []
        try await withThrowingTaskGroup(of: String?.self) { group in
            for (place, seed) in all.enumerated() {
                if place >= atOnce, let said = try await group.next() { broken += said.map { [$0] } ?? [] }
                group.addTask {
                    do { return try await run(seed) } catch let error as LoadError {
                        guard error.cause != .interrupted else { throw error }
                        return "seed \(seed): \(error)"
                    }
                }
            }
            for try await said in group { broken += said.map { [$0] } ?? [] }
        }
        guard broken.isEmpty else { throw LoadError(.wrong(broken.joined(separator: "; "))) }
        if seeds > 1 { Terminal.line("all \(seeds) seeds hold") }
    }

    /// - Returns: what is broken.
    private func run(_ seed: UInt64) async throws -> String? {
        var scenario = HostsScenario(seed: seed, devices: devices)
        scenario.freezeSeconds = freezeSeconds
        if let chosen { scenario.faults = chosen }
        scenario.earlier = earlier
        let mark = seeds > 1 ? "\(seed)  " : ""
        Terminal.line(
            "\(mark)seed       \(seed); again: pushload hosts --seed \(seed) --devices \(devices) "
                + "--freeze-seconds \(freezeSeconds)" + (faults.map { " --faults \($0)" } ?? "")
                + (earlier.map { " --earlier \($0)" } ?? ""))
        var isBroken = false
        return try await Testbed.use(scenario.settings, keepsFolder: { isBroken }) { testbed in
            let report = try await scenario.run(in: testbed) { Terminal.line(mark + $0) }
            let findings = report.findings()
            let broken = findings.filter { !$0.holds }
            isBroken = !broken.isEmpty
            for finding in findings { Terminal.line("\(mark)\(finding)") }
            Terminal.line(
                "\(mark)\(findings.count - broken.count) of \(findings.count) assertions hold after \(report.seconds.fixed(1)) s"
            )
            return isBroken ? "seed \(seed): \(broken.map(\.what).joined(separator: "; "))" : nil
        }
    }
}
