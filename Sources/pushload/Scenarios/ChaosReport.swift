/// What a run of ``ChaosScenario`` left behind, and everything that must be true of it.
package struct ChaosReport: Sendable {
    package let scenario: ChaosScenario
    package var kills: [ChaosScenario.Victim] = []
    /// What the engine itself called unrecorded just before each kill, when the victims did nothing any more.
    package var unrecorded = 0
    package var longestOrphan: Duration = .zero
    package var seconds = 0.0
    package var chapters: [Chapter] = []
    /// Requests that belong to no delivery, other than those that FCM did not read.
    package var strays = 0
    package var summary = GatewaySummary()

    package init(_ scenario: ChaosScenario) { self.scenario = scenario }

    /// One delivery.
    package struct Chapter: Sendable {
        package var report: DeliveryReport
        package var audit: DeliveryAudit
        package var rows: [MessageRow]
        /// What the body of each of its requests has in it.
        let mark: String
        /// Acceptances beyond the first of a message.
        package var doubled = 0
        /// Of these, more than attempts that the engine itself counted as undecided: only a kill explains
        /// them.
        package var unexplained = 0
        /// Accepted, not `sent`, and never undecided either.
        package var unaccounted = 0

        /// - Parameter all: what the gateways saw, of whichever delivery.
        package init(report: DeliveryReport, rows: [MessageRow], all: [GatewayRequest]) {
            mark = "\"_dId\":\"\(report.id)\""
            let own = all.filter { [mark] in $0.body.contains(mark) }
            self.report = report
            self.rows = rows
            audit = DeliveryAudit(report: report, log: rows, requests: own)
            var accepted: [String: Int] = [:]
            for request in own where request.ending == .accepted { accepted[request.token, default: 0] += 1 }
            for row in rows {
                guard let times = accepted[row.registrationToken] else { continue }
                let retries = max(row.attempts - 1, 0)
                doubled += times - 1
                unexplained += max(times - 1 - retries, 0)
                if row.state != "sent", row.attempts == 0 { unaccounted += 1 }
            }
        }
    }

    // MARK: Judgement

    /// - Parameter wantsAllFaults: a fault that never happened is a failure too.
    package func findings(wantsAllFaults: Bool) -> [Finding] {
        let dead = Set(Testbed.Platform.allCases.flatMap(scenario.dead(of:)))
        let all = scenario.devices * Testbed.Platform.allCases.count
        var findings = chapters.flatMap { $0.findings(of: all, dead: dead) }
        let doubled = chapters.reduce(0) { $0 + $1.doubled }
        let unexplained = chapters.reduce(0) { $0 + $1.unexplained }
        findings.append(
            Finding(
                what: "accepted beyond the first ≤ undecided and tried again + unrecorded at the kills",
                holds: unexplained <= unrecorded,
                numbers:
                    "\(doubled) twice; \(doubled - unexplained) of them had been undecided, \(unexplained) were "
                    + "in victims' hands, who had \(unrecorded) unrecorded"))
        findings.append(
            Finding(
                what: "every request belongs to a delivery, and follows the protocol",
                holds: strays == 0 && protocolErrors == 0,
                numbers: "\(strays) strays, \(protocolErrors) protocol errors"))
        findings.append(
            Finding(
                what: "every kill struck, and no child outlived its master by "
                    + "\(scenario.orphanLimit.inSeconds.fixed(0)) s",
                holds: kills.count == scenario.kills && longestOrphan <= scenario.orphanLimit,
                numbers: "\(kills.count) of \(scenario.kills) kills, "
                    + "\(longestOrphan.inSeconds.fixed(3)) s at the longest"))
        let missing = missingFaults
        findings.append(
            Finding(
                what: "every fault happened", holds: missing.isEmpty || !wantsAllFaults,
                numbers: missing.isEmpty ? faults : "\(faults); never: \(missing.joined(separator: ", "))"))
        return findings
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
