/// What a run of ``ChaosScenario`` left behind, and everything that must be true of it.
package struct ChaosReport: Sendable {
    package let scenario: ChaosScenario
    package var kills: [ChaosScenario.Victim] = []
    /// What the engine itself called unrecorded just before each kill, when the victims did nothing any more.
    package var unrecorded = 0
    package var longestOrphan: Duration = .zero
    package var chapters: [DeliveryChapter] = []
    /// Requests that belong to no delivery, other than those that FCM did not read.
    package var strays = 0
    package var summary = GatewaySummary()

    package init(_ scenario: ChaosScenario) { self.scenario = scenario }

    // MARK: Judgement

    package var findings: [Finding] {
        let dead = Set(Testbed.Platform.allCases.flatMap(scenario.dead(of:)))
        let all = scenario.devices * Testbed.Platform.allCases.count
        let limit = scenario.orphanLimit.inSeconds.fixed(0)
        let missing = missingFaults
        return chapters.flatMap { $0.findings(of: all, dead: dead) } + [
            chapters.duplicates("unrecorded at the kills", unrecorded: unrecorded),
            Finding(
                "every request belongs to a delivery, and follows the protocol",
                strays == 0 && protocolErrors == 0, "\(strays) strays, \(protocolErrors) protocol errors"),
            Finding(
                "every kill struck, and no child outlived its master by \(limit) s",
                kills.count == scenario.kills && longestOrphan <= scenario.orphanLimit,
                "\(kills.count) of \(scenario.kills) kills, \(longestOrphan.inSeconds.fixed(3)) s at the longest"
            ),
            Finding(
                "every fault happened", missing.isEmpty || scenario.allowsMissingFaults,
                missing.isEmpty ? faults : "\(faults); never: \(missing.joined(separator: ", "))"),
        ]
    }

    // MARK: Faults

    private var gateways: [(name: String, summary: GatewaySummary)] {
        [("apns", summary), ("fcm", summary.fcm), ("binary", summary.binary)]
    }

    private var protocolErrors: Int { gateways.reduce(0) { $0 + $1.summary.protocolErrors } }

    private static let http = [
        "goaway", "goaway-graceful", "narrow", "refuse", "drip", "slow", "500", "reset", "close", "half-open",
        "tls",
    ]
    private static let binary = [
        "shutdown", "processing-error", "garbage", "half-packet", "stranger", "reset", "close", "half-open",
        "tls",
    ]
    /// Of the script.
    private static let answers = [
        "apns": ["TooManyRequests", "ServiceUnavailable", "Shutdown"],
        "fcm": ["QUOTA_EXCEEDED", "UNAVAILABLE"],
    ]

    /// What never happened, as `fcm/reset`.
    package var missingFaults: [String] {
        gateways.flatMap { gateway in
            let faults = (gateway.name == "binary" ? Self.binary : Self.http)
                .filter { (gateway.summary.faults?[$0] ?? 0) == 0 }
            let answers = (Self.answers[gateway.name] ?? [])
                .filter { (gateway.summary.rejectedByReason[$0] ?? 0) == 0 }
            return (faults + answers).map { "\(gateway.name)/\($0)" }
        }
    }

    private var faults: String {
        gateways.map { gateway in
            let list = (gateway.summary.faults ?? [:]).sorted { $0.key < $1.key }.map {
                "\($0.value) \($0.key)"
            }
            return "\(gateway.name) \(list.joined(separator: ", "))"
        }.joined(separator: "; ")
    }
}
