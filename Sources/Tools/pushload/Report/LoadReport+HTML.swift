extension LoadReport {
    /// A self-contained page without scripts or external resources. It is also well-formed XML.
    package var html: String {
        let contents = scenarios.enumerated().map { number, scenario in
            "<li><a href=\"#s\(number + 1)\">\(LinePlot.escaped(scenario.document.name))</a></li>"
        }
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8"/>
            <meta name="viewport" content="width=device-width, initial-scale=1"/>
            <meta name="color-scheme" content="light dark"/>
            <title>Load report</title>
            <style>
            \(LoadReportStyle.text)
            </style>
            </head>
            <body>
            <header>
            <h1>Load report</h1>
            <p class="machine">\(LinePlot.escaped(machine))</p>
            \(contents.count > 1 ? "<nav><ol>\(contents.joined())</ol></nav>" : "")
            </header>
            <main>
            \(scenarios.enumerated().map { $1.section(number: $0 + 1) }.joined(separator: "\n"))
            </main>
            <footer><p>Latency is the time in milliseconds from the moment when a delivery was due until the \
            engine recorded
            that a message of the delivery had ended. CPU is in cores: 1 is one core in use. How to read \
            this report: Docs/Inside/LoadReports.md.</p></footer>
            </body>
            </html>

            """
    }
}

extension ScenarioReport {
    fileprivate func section(number: Int) -> String {
        let conditions = document.conditions.map { "<li>\(LinePlot.escaped($0))</li>" }.joined()
        let rows = figures.map {
            "<div><dt>\(LinePlot.escaped($0.what))</dt><dd>\(LinePlot.escaped($0.value))</dd></div>"
        }
        let told = remarks.map { "<p class=\"remark\">\(LinePlot.escaped($0))</p>" }.joined(separator: "\n")
        return """
            <section id="s\(number)">
            <div class="summary">
            <h2>\(LinePlot.escaped(document.name))</h2>
            <ul class="conditions">\(conditions)</ul>
            \(told)
            <div class="tiles">\(tiles)</div>
            </div>
            <div class="plots">
            \(plots.map(\.html).joined())
            </div>
            <details open="open"><summary>All figures</summary>
            <dl>
            \(rows.joined(separator: "\n"))
            </dl>
            </details>
            </section>
            """
    }

    /// The figures that a reader looks for first.
    private var tiles: String {
        let latency = series.latency
        func at(_ percent: Double) -> String {
            latency.isEmpty ? "-" : "\(latency.percentile(percent)) ms"
        }
        let first = [
            ("ended a second", perSecond.fixed(0)), ("latency p50", at(50)), ("latency p99", at(99)),
            ("engine CPU per message", engineMicroseconds.map { "\($0.fixed(2)) µs" } ?? "-"),
            ("sent", "\(sent)"), ("failed", "\(failed)"),
        ]
        return first.map { "<div><b>\($0.1)</b><span>\($0.0)</span></div>" }.joined()
    }

    /// The plots. Each of them shows values over time.
    package var plots: [LinePlot] {
        var plots = [
            LinePlot("Throughput", unit: "a second", throughput),
            LinePlot(
                "Waiting", unit: "messages not yet ended",
                [line("waiting") { Double($0.waiting) }]),
            LinePlot("Latency", unit: "ms from due to end", percentiles(\.latency)),
        ]
        if isInFlightSeen {
            plots.insert(
                LinePlot(
                    "In flight", unit: "messages, sampled once a second",
                    [line("in flight") { Double($0.inFlight) }]), at: 2)
        }
        if series.registered > 0 {
            plots.append(
                LinePlot(
                    "Registrations", unit: "ms from due to answer", percentiles(\.registrationLatency)))
        }
        // Processes are in the same order in both plots, so each process has the same colour in both.
        let processes = Set(series.cpu.keys.map(\.process)).union(series.peakMemory.keys).sorted()
        plots += [
            LinePlot(
                "CPU by process", unit: "cores",
                processes.map { name in line(name) { $0.coresByProcess[name] ?? 0 } }),
            LinePlot("CPU by stage", unit: "cores, the busiest threads", stages),
            LinePlot(
                "Memory", unit: "MB resident",
                processes.map { name in line(name) { Double($0.memory[name] ?? 0) / 1e6 } }),
            LinePlot("Store", unit: "MB on disk", [line("store") { Double($0.storeBytes) / 1e6 }]),
        ]
        return plots.map { plot in
            var plot = plot
            plot.end = series.samples.last?.end ?? 0
            return plot
        }
    }

    /// One line for each stage, the busiest stage first. The stages of this harness are left out, because the
    /// harness is not part of the measurement.
    private var stages: [LinePlot.Line] {
        let used = series.cpu.filter { $0.key.process != "pushload" }
        let all = used.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
        let shown = Array(all.prefix(all.count > LinePlot.maxLines ? LinePlot.maxLines - 1 : all.count))
        func cores(_ sample: Sample, _ stages: some Sequence<Sample.Stage>) -> Double {
            stages.reduce(0) { $0 + (sample.cpu[$1] ?? 0) } / max(sample.seconds, 0.001)
        }
        var lines = shown.map { stage in
            line("\(stage.process): \(stage.thread)") { cores($0, [stage]) }
        }
        let others = all.dropFirst(shown.count)
        if !others.isEmpty { lines.append(line("\(others.count) others") { cores($0, others) }) }
        return lines
    }

    private var throughput: [LinePlot.Line] {
        var lines = [line("messages ended") { $0.endedPerSecond }]
        if series.retried > 0 {
            lines.append(line("tried again later") { $0.seconds > 0 ? Double($0.retried) / $0.seconds : 0 })
        }
        if series.registered > 0 { lines.append(line("registrations") { $0.registeredPerSecond }) }
        return lines
    }

    private func percentiles(_ histogram: (Sample) -> Histogram) -> [LinePlot.Line] {
        let told = series.samples.filter { !histogram($0).isEmpty }
        return Self.percents.reversed().map { name, percent in
            LinePlot.Line(name, told.map { .init($0.end, Double(histogram($0).percentile(percent))) })
        }
    }

    private func line(_ name: String, _ value: (Sample) -> Double) -> LinePlot.Line {
        LinePlot.Line(name, series.samples.map { .init($0.end, value($0)) })
    }
}
