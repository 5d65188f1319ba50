internal import PushModel
package import PushWire

/// Whether the service does what it is there for, and if not, why: `/readyz`. Pure.
package struct Readiness: Equatable, Sendable {
    /// A line for each reason why it is not ready; empty: it is.
    package var reasons: [String]
    /// What does not keep it from being ready, and is worth a line.
    package var notes: [String]

    /// Alarms by which work is due and comes to nothing. A clock that jumped and a delivery that is held
    /// leave the others as they are.
    package static let kindsWithoutProgress: Set<String> = ["store", "account", "children", "part"]
    /// A master that has not answered for longer is not there.
    package static let longestSilenceSeconds = 10.0

    /// - Parameters:
    ///   - master: what it says, wherever it runs; nil: none does.
    ///   - trouble: why it, or the store, could not be asked.
    package init(of master: MasterStatus?, trouble: String?) {
        var (reasons, notes): ([String], [String]) = ([], [])
        if let trouble { reasons.append("it cannot be told: \(trouble)") }
        if master == nil, trouble == nil {
            reasons.append("no master runs; start one with 'pushmta run' or 'pushmta start'")
        }
        if let master { reasons += Self.reasons(of: master) }
        for alarm in master?.alarms ?? [] {
            let subject = alarm.about.isEmpty ? "" : " \(alarm.about)"
            let line = "alarm \(alarm.kind)\(subject): \(alarm.cause)"
            if Self.kindsWithoutProgress.contains(alarm.kind) {
                reasons.append(line)
            } else {
                notes.append(line)
            }
        }
        // What stands in them is others' text: each stays on its line.
        self.reasons = reasons.map { $0.printable(atMost: 1_000) }
        self.notes = notes.map { $0.printable(atMost: 1_000) }
    }

    private static func reasons(of master: MasterStatus) -> [String] {
        var reasons: [String] = []
        if master.ageSeconds > longestSilenceSeconds, master.state != "starting" {
            reasons.append("the master has not answered for \(Int(master.ageSeconds)) s; look at its log")
        }
        switch master.state {
        case "running": break
        case "starting":
            reasons.append("starting" + (master.waitsFor.map { ": it waits for \($0)" } ?? ""))
        default: reasons.append(master.state)
        }
        return reasons
    }

    package var isReady: Bool { reasons.isEmpty }

    package var text: String {
        ((isReady ? ["ready"] : reasons) + notes).joined(separator: "\n") + "\n"
    }
}
