/// What must be true of each delivery, whatever went wrong.
extension ChaosReport.Chapter {
    /// What must be true of it.
    /// - Parameters:
    ///   - all: devices that it targets.
    ///   - dead: those of them that the gateways call dead.
    func findings(of all: Int, dead: Set<String>) -> [Finding] {
        let name = "delivery \(report.id)"
        let ended = rows.filter { $0.state != "sent" }
        let wronged = ended.filter { !dead.contains($0.registrationToken) }
        let revived = rows.filter { $0.state == "sent" && dead.contains($0.registrationToken) }
        return [
            Finding(
                what: "\(name): every message in one final state, none lost, none stuck",
                holds: report.state == "finished" && audit.unfinished == 0 && audit.cancelled == 0
                    && audit.sent + audit.failed + audit.excluded == all,
                numbers: "\(report.summary), \(audit.excluded) excluded"),
            Finding(
                what: "\(name): sent ⊆ accepted", holds: audit.missing == 0,
                numbers: "\(audit.missing) of \(audit.sent) sent were never accepted"),
            Finding(
                what: "\(name): accepted but not sent ⊆ once undecided", holds: unaccounted == 0,
                numbers:
                    "\(audit.uncalledFor) accepted and not sent, \(unaccounted) of them never undecided"
            ),
            Finding(
                what: "\(name): nobody suffers but the dead",
                holds: wronged.isEmpty && revived.isEmpty,
                numbers:
                    "\(dead.count) dead, \(ended.count) failed or excluded, \(wronged.count) of them alive, "
                    + "\(revived.count) dead ones sent"
                    + (wronged.first.map { ", the first by '\($0.state) \($0.providerReason)'" } ?? "")),
            Finding(
                what: "\(name): statistics = recount", holds: audit.countsOff == 0,
                numbers: "\(audit.countsOff) off"),
            Finding(
                what: "\(name): one id for one message, and the right content",
                holds: audit.changedIDs + audit.foreignIDs + audit.oddBodies == 0,
                numbers: "\(audit.changedIDs) changed, \(audit.foreignIDs) foreign, \(audit.oddBodies) odd"
            ),
        ]
    }
}
