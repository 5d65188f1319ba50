internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import PushAPI
internal import PushModel
package import PushWire

/// `GET /healthz` reports whether this process must be restarted. `GET /readyz` reports whether it accepts
/// work.
struct HealthRoutes: WebRoutes {
    let probes: StatusProbes
    let devices: @Sendable () -> DeviceServices?

    let paths = [WebPath(.get, "/healthz"), WebPath(.get, "/readyz")]

    /// The maximum silence of a loop. A running loop records a sign of life every second.
    private static let longestSilenceSeconds = 10.0

    func add(to router: Router<WebContext>) {
        router.get("/healthz") { [self] _, _ in health() }
        router.get("/readyz") { [self] _, _ in await readiness() }
    }

    /// Determines the health without querying another component. The response itself proves that the
    /// process's own loop is running. The time that the master's loop last recorded shows whether that loop
    /// is running.
    private func health() -> Response {
        if let silence = probes.secondsSinceTurn, silence > Self.longestSilenceSeconds {
            return .text(
                .serviceUnavailable,
                "the master's loop has not turned for \(Int(silence)) s; check its log, or restart it\n")
        }
        return .text(.ok, "alive\n")
    }

    private func readiness() async -> Response {
        let master = await probes.master.look()
        let failure = master.value == nil ? master.failure ?? "it has not reported anything yet" : nil
        var process = Readiness.Process(
            hasMaster: probes.hasMaster, takesRegistrations: devices() != nil,
            storeFailure: probes.writeFailure)
        // If the master runs in this process, its alarms report problems with the store and the key.
        if !probes.hasMaster {
            let store = await probes.store.look()
            process.storeFailure = process.storeFailure ?? store.failure
            process.keyFailure = store.value?.keyFailure
        }
        let readiness = Readiness(process, master: master.value.flatMap(\.self), failure: failure)
        return .text(readiness.isReady ? .ok : .serviceUnavailable, readiness.text)
    }
}

/// Whether this process accepts work (registrations, reports and messages) and, if not, why: the content of
/// `/readyz`. The type is pure.
///
/// Accepted work is safe in the store, even if it cannot be sent now. A problem with an app, a gateway or the
/// children is therefore only a note here, and an alarm in `/metrics` and `status`.
package struct Readiness: Equatable, Sendable {
    /// One line for each reason why the process does not accept work; empty if it accepts work.
    package var reasons: [String]
    /// Lines that do not affect readiness.
    package var notes: [String]

    /// The maximum silence of a master. A master that has not answered for longer is considered stuck.
    package static let maxSilenceSeconds = 10.0

    /// The information that this process has about itself.
    package struct Process: Sendable {
        /// Whether the master is running in this process. If not, it is running in another process or not at
        /// all.
        package var hasMaster: Bool
        package var takesRegistrations: Bool
        /// The reason why the process cannot read or write the store; `nil` if it can do both.
        package var storeFailure: String?
        /// The problem with the instance's key; `nil` if there is no problem or if the master reports it.
        package var keyFailure: String?

        package init(
            hasMaster: Bool, takesRegistrations: Bool, storeFailure: String? = nil, keyFailure: String? = nil
        ) {
            self.hasMaster = hasMaster
            self.takesRegistrations = takesRegistrations
            self.storeFailure = storeFailure
            self.keyFailure = keyFailure
        }
    }

    /// - Parameters:
    ///   - master: The status of the master; `nil` if no master is running or the master did not answer.
    ///   - failure: The reason why the master did not answer; `nil` if it answered.
    package init(_ process: Process, master: MasterStatus?, failure: String?) {
        var (reasons, notes): ([String], [String]) = ([], [])
        let lines = Self.lines(about: master, failure, process)
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
            reasons.append("registrations and reports are not accepted yet")
        }
        if let why = process.storeFailure { reasons.append("the store: \(why)") }
        if let why = process.keyFailure { notes.append("alarm key: \(why)") }
        for alarm in master?.alarms ?? [] {
            let subject = alarm.about.isEmpty ? "" : " \(alarm.about)"
            let line = "alarm \(alarm.kind)\(subject): \(alarm.cause)"
            if alarm.kind == "store" { reasons.append(line) } else { notes.append(line) }
        }
        // The lines contain external text, which must not add line breaks.
        self.reasons = reasons.map { $0.printable(atMost: 1_000) }
        self.notes = notes.map { $0.printable(atMost: 1_000) }
    }

    /// Returns the conditions of the master that prevent the master's own process from accepting work.
    private static func lines(about master: MasterStatus?, _ failure: String?, _ process: Process) -> [String]
    {
        guard let master else {
            return [
                failure.map { "the master does not answer: \($0); check its log, or restart it" }
                    ?? "no master runs; start one with 'pushmta run' or 'pushmta start'"
            ]
        }
        var lines: [String] = []
        if !["running", "starting"].contains(master.state) { lines.append(master.state) }
        if master.ageSeconds > maxSilenceSeconds, master.state != "starting" {
            lines.append(
                "the master has not answered for \(Int(master.ageSeconds)) s; check its log, or restart it")
        }
        return lines
    }

    package var isReady: Bool { reasons.isEmpty }

    package var text: String {
        ((isReady ? ["ready"] : reasons) + notes).joined(separator: "\n") + "\n"
    }
}
