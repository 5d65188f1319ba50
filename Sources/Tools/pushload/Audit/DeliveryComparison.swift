/// One delivery as recorded by the engine and by the gateways, in a run with faults.
package struct DeliveryComparison: Sendable {
    package var report: DeliveryReport
    package var audit: DeliveryAudit
    package var rows: [MessageRow]
    /// The delivery's requests, with the endings that the gateways recorded.
    package var requests: [GatewayRequest]
    /// Accepted requests after a message's first accepted request.
    package var doubled = 0
    /// The number of requests in `doubled` that remain after one is subtracted for each attempt that the
    /// engine itself counted as undecided. Only a kill can explain these requests.
    package var unexplained = 0
    /// Messages that a gateway accepted although the engine recorded them neither as sent nor as undecided.
    package var unaccounted = 0

    /// - Parameter all: All requests that the gateways received, for all deliveries.
    package init(report: DeliveryReport, rows: [MessageRow], all: [GatewayRequest]) {
        requests = all.filter { $0.isOf(delivery: report.id) }
        (self.report, self.rows) = (report, rows)
        audit = DeliveryAudit(report: report, log: rows, requests: requests)
        var accepted: [String: Int] = [:]
        for request in requests where request.ending == .accepted { accepted[request.token, default: 0] += 1 }
        for row in rows {
            guard let times = accepted[row.token] else { continue }
            let retries = max(row.attempts - 1, 0)
            doubled += times - 1
            unexplained += max(times - 1 - retries, 0)
            if row.state != "sent", row.attempts == 0 { unaccounted += 1 }
        }
    }
}

extension DeliveryComparison {
    /// Returns the conditions that must hold for the delivery, regardless of the faults in the run.
    /// - Parameters:
    ///   - all: The number of devices that the delivery targets.
    ///   - dead: The targeted devices that the gateways report as dead.
    func findings(of all: Int, dead: Set<String>) -> [Finding] {
        let name = "delivery \(report.id)"
        let ended = rows.filter { $0.state != "sent" }
        let wronged = ended.filter { !dead.contains($0.token) }
        let revived = rows.count { $0.state == "sent" && dead.contains($0.token) }
        return [
            Finding(
                "\(name): every message is in one final state, and none is lost or stuck",
                report.state == "finished" && audit.unfinished == 0 && audit.cancelled == 0
                    && audit.sent + audit.failed + audit.excluded == all,
                "\(report.summary), \(audit.excluded) excluded"),
            Finding(
                "\(name): sent ⊆ accepted", audit.missing == 0,
                "\(audit.missing) of \(audit.sent) sent messages were never accepted"),
            Finding(
                "\(name): accepted but not sent ⊆ undecided at least once", unaccounted == 0,
                """
                \(audit.uncalledFor) accepted but not recorded as sent, \(unaccounted) of them never \
                undecided
                """
            ),
            Finding(
                "\(name): only dead devices fail or are excluded", wronged.isEmpty && revived == 0,
                "\(dead.count) dead devices; \(ended.count) failed or excluded, \(wronged.count) of them not "
                    + "dead; \(revived) messages to dead devices recorded as sent"
                    + (wronged.first.map { "; the first: '\($0.state) \($0.providerReason)'" } ?? "")),
            Finding("\(name): statistics = recount", audit.countsOff == 0, "\(audit.countsOff) off"),
            Finding(
                "\(name): each message has one id and the correct content",
                audit.changedIDs + audit.foreignIDs + audit.oddBodies == 0,
                "\(audit.changedIDs) changed, \(audit.foreignIDs) foreign, \(audit.oddBodies) odd"),
        ]
    }
}

extension Finding {
    /// - Parameter strays: The number of requests that do not belong to a delivery. Requests that FCM did not
    ///   read are not counted.
    static func protocolKept(strays: Int, _ summary: GatewaySummary) -> Finding {
        let errors = summary.protocolErrorsOfAll
        return Finding(
            "every request belongs to a delivery and follows the protocol", strays + errors == 0,
            "\(strays) requests without a delivery, \(errors) protocol errors")
    }
}

extension [DeliveryComparison] {
    /// - Parameters:
    ///   - whose: A description of the messages whose outcomes were not recorded when a fault occurred, so
    ///     that they may have been sent twice.
    ///   - unrecorded: The number of these messages.
    func duplicates(_ whose: String, unrecorded: Int) -> Finding {
        let doubled = reduce(0) { $0 + $1.doubled }
        let unexplained = reduce(0) { $0 + $1.unexplained }
        return Finding(
            "repeated acceptances ≤ undecided attempts that were repeated + \(whose)",
            unexplained <= unrecorded,
            "\(doubled) repeated; \(doubled - unexplained) of them had been undecided, \(unexplained) were "
                + "held by victims, which held \(unrecorded) unrecorded messages")
    }

    /// Returns the number of requests that do not belong to any of the deliveries. Requests that FCM did not
    /// read are not counted.
    func strays(in requests: [GatewayRequest]) -> Int {
        requests.count { request in
            !request.isUnread && !contains { request.isOf(delivery: $0.report.id) }
        }
    }
}

extension Testbed {
    /// - Parameter requests: The requests that the gateways received. The gateways must have been stopped.
    func chapters(of deliveries: [Int], _ requests: [GatewayRequest]) async throws -> [DeliveryComparison] {
        var chapters: [DeliveryComparison] = []
        for delivery in deliveries {
            chapters.append(
                DeliveryComparison(
                    report: try await show(delivery), rows: try await messageLog(delivery), all: requests))
        }
        return chapters
    }
}
