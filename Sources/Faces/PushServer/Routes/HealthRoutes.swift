internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import PushAPI
internal import PushModel
package import PushWire

/// `GET /healthz`: whether to restart this process. `GET /readyz`: whether it accepts work.
struct HealthRoutes: WebRoutes {
    let probes: StatusProbes
    let devices: @Sendable () -> DeviceServices?

    let paths = [WebPath(.get, "/healthz"), WebPath(.get, "/readyz")]

    /// A loop that turns says so each second.
    private static let longestSilenceSeconds = 10.0

    func add(to router: Router<WebContext>) {
        router.get("/healthz") { [self] _, _ in health() }
        router.get("/readyz") { [self] _, _ in await readiness() }
    }

    /// Asks nobody: what answers here is the process's own loop, and the master's has said when it turned
    /// last.
    private func health() -> Response {
        if let silence = probes.secondsSinceTurn, silence > Self.longestSilenceSeconds {
            return .text(
                .serviceUnavailable,
                "the master's loop has not turned for \(Int(silence)) s: look at its log, or restart it\n")
        }
        return .text(.ok, "alive\n")
    }

    private func readiness() async -> Response {
        let master = await probes.master.look()
        let trouble = master.value == nil ? master.trouble ?? "it has not said anything yet" : nil
        var process = Readiness.Process(
            hasMaster: probes.hasMaster, takesRegistrations: devices() != nil,
            storeTrouble: probes.writeTrouble)
        // The alarms of this process's own master report what is wrong with store and key.
        if !probes.hasMaster {
            let store = await probes.store.look()
            process.storeTrouble = process.storeTrouble ?? store.trouble
            process.keyTrouble = store.value?.keyTrouble
        }
        let readiness = Readiness(process, master: master.value.flatMap(\.self), trouble: trouble)
        return .text(readiness.isReady ? .ok : .serviceUnavailable, readiness.text)
    }
}

/// Whether this process accepts work, which is registrations, reports and messages, and if not, why:
/// `/readyz`. Pure.
///
/// What is accepted is in the store, so it makes no difference whether it can be sent now: trouble of an app,
/// a gateway or the children is a note, and an alarm in `/metrics` and `status`.
package struct Readiness: Equatable, Sendable {
    /// A line for each reason why it does not accept work; empty: it does.
    package var reasons: [String]
    /// Lines that do not keep it from being ready.
    package var notes: [String]

    /// A master that has not answered for longer is stuck.
    package static let maxSilenceSeconds = 10.0

    /// What this process knows of itself.
    package struct Process: Sendable {
        /// Whether the master runs in this process; else in another one, or nowhere.
        package var hasMaster: Bool
        package var takesRegistrations: Bool
        /// Why it cannot read or write the store; nil: it can.
        package var storeTrouble: String?
        /// What is wrong with the instance's key; nil: nothing, or the master reports it.
        package var keyTrouble: String?

        package init(
            hasMaster: Bool, takesRegistrations: Bool, storeTrouble: String? = nil, keyTrouble: String? = nil
        ) {
            self.hasMaster = hasMaster
            self.takesRegistrations = takesRegistrations
            self.storeTrouble = storeTrouble
            self.keyTrouble = keyTrouble
        }
    }

    /// - Parameters:
    ///   - master: its status; nil: no master runs, or it did not answer.
    ///   - trouble: why it did not answer; nil: it did.
    package init(_ process: Process, master: MasterStatus?, trouble: String?) {
        var (reasons, notes): ([String], [String]) = ([], [])
        let lines = Self.lines(about: master, trouble, process)
        if process.hasMaster { reasons += lines } else { notes += lines }
        if let master, master.state == "starting" {
            let line = "starting" + (master.waitsFor.map { ": it waits for \($0)" } ?? "")
            if process.hasMaster, !process.takesRegistrations {
                reasons.append(line)
            } else {
                notes.append(line)
            }
        }
        if !process.takesRegistrations, reasons.isEmpty {
            reasons.append("registrations and reports are not taken yet")
        }
        if let why = process.storeTrouble { reasons.append("the store: \(why)") }
        if let why = process.keyTrouble { notes.append("alarm key: \(why)") }
        for alarm in master?.alarms ?? [] {
            let subject = alarm.about.isEmpty ? "" : " \(alarm.about)"
            let line = "alarm \(alarm.kind)\(subject): \(alarm.cause)"
            if alarm.kind == "store" { reasons.append(line) } else { notes.append(line) }
        }
        // They contain text of others: each stays on its line.
        self.reasons = reasons.map { $0.printable(atMost: 1_000) }
        self.notes = notes.map { $0.printable(atMost: 1_000) }
    }

    /// What keeps a process from accepting work if the master is its own.
    private static func lines(about master: MasterStatus?, _ trouble: String?, _ process: Process) -> [String]
    {
        guard let master else {
            return [
                trouble.map { "the master does not answer: \($0)" }
                    ?? "no master runs; start one with 'pushmta run' or 'pushmta start'"
            ]
        }
        var lines: [String] = []
        if !["running", "starting"].contains(master.state) { lines.append(master.state) }
        if master.ageSeconds > maxSilenceSeconds, master.state != "starting" {
            lines.append("the master has not answered for \(Int(master.ageSeconds)) s; look at its log")
        }
        return lines
    }

    package var isReady: Bool { reasons.isEmpty }

    package var text: String {
        ((isReady ? ["ready"] : reasons) + notes).joined(separator: "\n") + "\n"
    }
}
