internal import ArgumentParser

/// The options of `run` for random faults.
struct RandomFaultOptions: ParsableArguments {
    static let names = RandomFault.allCases.map(\.rawValue).joined(separator: ",")

    @Option(help: "The seed of random faults on APNs, FCM and the binary gateway. (default: none)")
    var randomFaults: UInt64?

    @Option(help: "The kinds of random faults, separated by commas. (default: \(names))")
    var faultKinds: String?

    @Option(help: "The average number of accepted requests between two faults on a port.")
    var faultEvery = 500

    @Option(
        name: .customLong("fault-silence-ms"),
        help: "The time for which half-open connections are silent before they are closed.")
    var faultSilenceMs: UInt64 = 3000

    @Option(help: "The maximum number of faults on a port. (default: no limit)")
    var faultCount: Int?

    @Option(help: "Interrupt every Nth TLS handshake, counted on each port. (default: none)")
    var breakHandshakes: Int?

    func validate() throws {
        try check(faultEvery >= 1, "--fault-every must be a number from 1")
        try check(faultCount ?? 0 >= 0, "--fault-count must be a number from 0")
        try check(breakHandshakes ?? 1 >= 1, "--break-handshakes must be a number from 1")
        try check(faultSilenceMs <= 86_400_000, "--fault-silence-ms must be at most 86400000")
        if let wrong = words.first(where: { RandomFault(rawValue: $0) == nil }) {
            throw ValidationError("--fault-kinds: there is no '\(wrong)'; allowed: \(Self.names)")
        }
        try check(
            randomFaults != nil || faultKinds == nil && faultCount == nil,
            "options of the random faults need --random-faults")
    }

    private var words: [String] { (faultKinds ?? Self.names).split(separator: ",").map(String.init) }

    private var plan: FaultPlan? {
        randomFaults.map {
            FaultPlan(
                seed: $0, faults: Set(words.compactMap(RandomFault.init)), every: faultEvery,
                silence: .milliseconds(faultSilenceMs), count: faultCount)
        }
    }

    /// Returns the script of a port, which combines the rules from a file with the random faults.
    func script(_ rules: String?, _ dialect: RuleDialect) throws(SinkError) -> [any GatewayBehaviour] {
        var script: [any GatewayBehaviour] = []
        if let rules { script = [try RuleBook(text: Files.text(rules), file: rules, for: dialect)] }
        return plan?.over(script, of: dialect) ?? script
    }

    /// Returns the rule that selects the connections to be broken off during the handshake; `nil` if no
    /// connection is to be broken off.
    func door(of dialect: RuleDialect) -> ConnectionFaults? {
        breakHandshakes.map { ConnectionFaults.every($0) } ?? plan?.door(of: dialect)
    }
}
