/// The results of scenarios: figures and observations over time, as text, JSON and a page.
package struct LoadReport: Equatable, Sendable {
    /// A description of the machine on one line.
    package var machine: String
    package var scenarios: [ScenarioReport]

    package init(machine: String, scenarios: [ScenarioReport] = []) {
        (self.machine, self.scenarios) = (machine, scenarios)
    }
}

/// The result of one scenario.
package struct ScenarioReport: Equatable, Sendable {
    package var document: ScenarioDocument
    /// The counts that the deliveries report at the end.
    package var sent = 0
    package var failed = 0
    /// Other remarks, one line each.
    package var remarks: [String] = []
    package var series = TimeSeries()

    package init(_ document: ScenarioDocument) { self.document = document }

    /// Messages that have ended.
    package var ended: Int { sent + failed }

    /// The time from the first arrival to the end of the last message, to the precision of the sampling
    /// interval. Registrations are not included.
    package var sendingSeconds: Double {
        let sending = series.samples.filter { $0.ended > 0 || $0.retried > 0 }
        guard let first = series.samples.first, let last = sending.last else { return 0 }
        return last.end - first.begin
    }

    package var perSecond: Double { sendingSeconds > 0 ? Double(ended) / sendingSeconds : 0 }

    /// The CPU time of the engine's own processes during the run, per message; `nil` if no message ended.
    package var engineMicroseconds: Double? { microseconds { $0 == "master" || $0 == "child" } }

    func microseconds(_ isOf: (String) -> Bool) -> Double? {
        guard ended > 0 else { return nil }
        let seconds = series.cpu.filter { isOf($0.key.process) }.values.reduce(0, +)
        return seconds * 1e6 / Double(ended)
    }

    /// Whether children reported messages in flight. Messages that end within a second may never be reported.
    var isInFlightSeen: Bool { series.maxInFlight > 0 || series.ended == 0 }

    static let percents: [(name: String, percent: Double)] = [
        ("p50", 50), ("p90", 90), ("p99", 99), ("p99.9", 99.9), ("max", 100),
    ]

    /// The figures with their names, in reading order.
    package var figures: [(what: String, value: String)] {
        var rows: [(String, String)] = [
            ("messages", "\(document.messages)"), ("sent", "\(sent)"), ("failed", "\(failed)"),
            ("attempts again", "\(series.retried)"),
            ("time to the last end", "\(sendingSeconds.fixed(2)) s"), ("ended a second", perSecond.fixed(0)),
        ]
        rows += Self.percents.map {
            ("latency \($0.name)", Self.milliseconds(series.latency, $0.percent))
        }
        if series.registered > 0 {
            rows.append(("registrations", "\(series.registered)"))
            rows += Self.percents.map {
                ("registration \($0.name)", Self.milliseconds(series.registrationLatency, $0.percent))
            }
        }
        rows.append(("waiting, maximum", "\(series.maxWaiting)"))
        rows.append(
            (
                "in flight, maximum seen",
                isInFlightSeen ? "\(series.maxInFlight)" : "not seen"
            ))
        rows.append(("CPU per message, engine", engineMicroseconds.map { "\($0.fixed(2)) µs" } ?? "-"))
        for process in Set(series.cpu.keys.map(\.process)).sorted() {
            let each = microseconds { $0 == process }
            rows.append(("… \(process)", each.map { "\($0.fixed(2)) µs" } ?? "-"))
        }
        for (process, bytes) in series.peakMemory.sorted(by: { $0.key < $1.key }) {
            rows.append(("maximum memory, \(process)", Self.megabytes(bytes)))
        }
        rows.append(("maximum store", Self.megabytes(series.samples.map(\.storeBytes).max() ?? 0)))
        return rows
    }

    static func megabytes(_ bytes: Int) -> String { "\((Double(bytes) / 1e6).fixed(1)) MB" }

    private static func milliseconds(_ histogram: Histogram, _ percent: Double) -> String {
        histogram.isEmpty ? "-" : "\(histogram.percentile(percent)) ms"
    }
}

// MARK: Text

extension LoadReport {
    /// The report for terminals and diffs, with a table for each scenario.
    package var text: String {
        var lines = ["Load report", machine, ""]
        for scenario in scenarios {
            lines.append(scenario.document.name)
            lines.append("  " + scenario.document.conditions.joined(separator: "; "))
            let width = scenario.figures.map(\.what.count).max() ?? 0
            lines += scenario.figures.map { "  \($0.what.padded(to: width))  \($0.value)" }
            lines += scenario.remarks.map { "  \($0)" }
            lines.append("")
        }
        return lines.joined(separator: "\n")
    }
}
