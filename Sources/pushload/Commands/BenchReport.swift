/// The figures of a measurement as Docs/Measurements.md has them.
struct BenchReport {
    var command: String
    var messages: Int
    var figures: Measurement.Figures

    var lines: [String] {
        let count = Double(messages)
        func each(_ seconds: Double) -> String { "\((seconds / count * 1e6).fixed(2)) µs" }
        func rate(_ seconds: Double) -> String {
            "\((count / max(seconds, 0.001)).fixed(0))/s (\(seconds.fixed(2)) s)"
        }
        var rows: [(String, String)] = [
            ("import, by the command line", rate(figures.importSeconds)),
            ("import, CPU a row", each(figures.importCPUSeconds)),
            ("import, peak memory", "\(figures.importPeakMegabytes.fixed(0)) MB"),
            ("sent, startedAt to finishedAt", rate(figures.deliverySeconds)),
            ("sent, submitted to seen finished", rate(figures.waitedSeconds)),
            ("CPU a notification, engine", each(figures.engineCPUSeconds)),
            ("… master", each(figures.masterCPUSeconds)),
        ]
        for (index, seconds) in figures.childrenCPUSeconds.enumerated() {
            rows.append(("… child \(index + 1)", each(seconds)))
        }
        if figures.endedChildrenCPUSeconds > 0 {
            rows.append(("… children that ended", each(figures.endedChildrenCPUSeconds)))
        }
        rows.append(("CPU a notification, pushsink", each(figures.sinkCPUSeconds)))
        if let seconds = figures.databaseCPUSeconds {
            rows.append(("CPU a notification, PostgreSQL", each(seconds)))
        }
        if figures.parallelRequests > 0 {
            rows.append(("parallel requests at most", "\(figures.parallelRequests)"))
        }
        rows.append(("peak memory, master", "\(figures.masterPeakMegabytes.fixed(0)) MB"))
        for (index, megabytes) in figures.childrenPeakMegabytes.enumerated() {
            rows.append(("peak memory, child \(index + 1)", "\(megabytes.fixed(0)) MB"))
        }
        let head = [
            "`\(command)`", "",
            "\(Machine.cores) cores of \(Machine.processor), \(Machine.memoryGigabytes) GB, \(Machine.system); "
                + "engine and sink on the same cores.", "",
        ]
        return head + Self.table(["what", "measured"], rows)
    }

    private static func table(_ head: [String], _ rows: [(String, String)]) -> [String] {
        let all = [(head[0], head[1])] + rows
        let first = all.map(\.0.count).max() ?? 0
        let second = all.map(\.1.count).max() ?? 0
        func padded(_ text: String, _ width: Int) -> String {
            text + String(repeating: " ", count: width - text.count)
        }
        let body = all.map { "| \(padded($0.0, first)) | \(padded($0.1, second)) |" }
        let rule =
            "|\(String(repeating: "-", count: first + 2))|\(String(repeating: "-", count: second + 1)):|"
        return [body[0], rule] + body.dropFirst()
    }
}
