internal import FoundationEssentials

extension LoadReport {
    /// The report for programs: figures, and a row for each interval. Times are in seconds, latencies in
    /// milliseconds and memory in bytes.
    package var json: String {
        get throws(LoadError) {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
            do { return String(decoding: try encoder.encode(JSONForm(self)), as: UTF8.self) + "\n" } catch {
                throw LoadError("cannot write the report as JSON: \(error)")
            }
        }
    }
}

/// The members of report.json.
private struct JSONForm: Encodable {
    let machine: String
    let scenarios: [Scenario]

    init(_ report: LoadReport) {
        machine = report.machine
        scenarios = report.scenarios.map(Scenario.init)
    }

    struct Scenario: Encodable {
        let name, platform, loop: String
        let seed, messages, accounts, deliveries, hosts: Int
        let sent, failed, attemptsAgain, registered, waitingAtMost: Int
        /// The maximum number of messages in flight; absent if no number was observed during the run.
        let inFlightAtMost: Int?
        let seconds, endedPerSecond: Double
        let engineMicrosecondsPerMessage: Double?
        let cpuSeconds: [String: Double]
        let memoryBytesAtMost: [String: Int]
        let latency, registrationLatency: Latency
        let remarks: [String]
        let samples: [Row]

        init(_ report: ScenarioReport) {
            let (document, series) = (report.document, report.series)
            (name, seed, messages) = (document.name, document.seed, document.messages)
            (accounts, deliveries, hosts) = (document.accounts, document.deliveries, document.hosts)
            platform = document.isAndroid ? "android" : "ios"
            loop = document.isOpenLoop ? "open" : "closed"
            (sent, failed, remarks) = (report.sent, report.failed, report.remarks)
            (attemptsAgain, registered) = (series.retried, series.registered)
            (seconds, endedPerSecond) = (rounded(report.sendingSeconds), rounded(report.perSecond))
            waitingAtMost = series.maxWaiting
            inFlightAtMost = report.isInFlightSeen ? series.maxInFlight : nil
            engineMicrosecondsPerMessage = report.engineMicroseconds.map(rounded)
            cpuSeconds = named(series.cpu)
            memoryBytesAtMost = series.peakMemory
            (latency, registrationLatency) = (Latency(series.latency), Latency(series.registrationLatency))
            samples = series.samples.map(Row.init)
        }
    }

    struct Row: Encodable {
        let begin, end: Double
        let ended, retried, registered, waiting, inFlight, storeBytes: Int
        let cpuSeconds: [String: Double]
        let memoryBytes: [String: Int]
        let latency, registrationLatency: Latency

        init(_ sample: Sample) {
            (begin, end) = (rounded(sample.begin), rounded(sample.end))
            (ended, retried, registered) = (sample.ended, sample.retried, sample.registered)
            (inFlight, storeBytes) = (sample.inFlight, sample.storeBytes)
            waiting = sample.waiting
            (cpuSeconds, memoryBytes) = (named(sample.cpu), sample.memory)
            (latency, registrationLatency) = (
                Latency(sample.latency), Latency(sample.registrationLatency)
            )
        }
    }

    struct Latency: Encodable {
        let count, p50, p90, p99, p999, max: Int

        init(_ histogram: Histogram) {
            count = histogram.count
            (p50, p90) = (histogram.percentile(50), histogram.percentile(90))
            (p99, p999) = (histogram.percentile(99), histogram.percentile(99.9))
            max = histogram.maximum
        }
    }
}

/// Returns the CPU times keyed by names such as `master/store writer`.
private func named(_ cpu: [Sample.Stage: Double]) -> [String: Double] {
    Dictionary(
        cpu.map { ("\($0.key.process)/\($0.key.thread)", rounded($0.value)) }, uniquingKeysWith: +)
}

/// Rounds to a thousandth. Further digits have no meaning.
private func rounded(_ number: Double) -> Double { (number * 1_000).rounded() / 1_000 }
