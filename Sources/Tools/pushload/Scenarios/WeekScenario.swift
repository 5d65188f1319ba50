package import ArgumentParser

/// Deliveries of the same size whose messages are removed after a day. A day lasts some seconds.
///
/// The connector is `stub` (`verifyMode`), because only the remaining data matters. The record of a delivery,
/// which consists of its row, content and tally, is kept permanently.
package struct WeekScenario: Scenario {
    package static let configuration = CommandConfiguration(
        commandName: "week",
        abstract:
            "Send a week's deliveries within minutes, with retention, and check whether anything grows.",
        discussion: """
            Messages are kept for one day. --day-seconds sets the length of a day. Exit status 0: after the \
            second evening, neither the store nor the master grew by more than the records of the \
            deliveries.

            Example: pushload week --deliveries 700 --devices 1000
            """)

    @Option(help: .count("The number of deliveries of the week.")) package var deliveries = 2_000
    @Option(help: .count("The number of messages of each delivery.")) package var devices = 5_000
    @Option(help: .seconds("The minimum length of a day. A day is longer if its deliveries take longer."))
    package var daySeconds = 5
    @Option(help: .store) package var store = TestbedSettings.usualStore

    package var days = 7

    package init() {}

    package var limits: KeyValuePairs<String, ClosedRange<Int>> {
        ["deliveries": 7...100_000, "devices": 1...1_000_000, "day-seconds": 1...3_600]
    }

    package var settings: TestbedSettings {
        TestbedSettings(store: store) {
            $0.verifyMode = true
            $0.retentionDays = 1
            $0.retentionDaySeconds = daySeconds
            // The lower level omits the log line for each delivery.
            $0.logLevel = 1
        }
    }

    /// The state of the engine at the end of a day, when the messages of the previous day have been removed.
    package struct DailySample: Sendable {
        /// The number of deliveries so far.
        var deliveries: Int
        /// The size of the database and its log.
        var storeBytes: Int
        /// The part of `storeBytes` that contains data.
        var usedBytes: Int
        var masterMegabytes: Double
    }

    /// The maximum size of a delivery's record: row, content, tally, and their index entries.
    private static let bytesARecord = 2_000
    /// The amount by which the size may vary: pages that are being filled, and SQLite's log between two
    /// checkpoints.
    private static let slackBytes = 6 << 20
    private static let slackMegabytes = 12.0

    package func verdict(on dailySamples: [DailySample]) -> Verdict {
        // The number of stored messages has reached its maximum by the second evening.
        guard let first = dailySamples.dropFirst().first, let last = dailySamples.last else {
            return Verdict()
        }
        let later = last.deliveries - first.deliveries
        let growth = last.storeBytes - first.storeBytes
        let allowed = later * Self.bytesARecord + Self.slackBytes
        let megabytes = last.masterMegabytes - first.masterMegabytes
        return Verdict(
            figures: [
                "\(last.deliveries * devices) messages; each delivery left "
                    + "\((last.usedBytes - first.usedBytes) / max(later, 1)) bytes; since the second evening "
                    + "the store grew by \(growth / 1024) KiB, the master by \(megabytes.fixed(1)) MiB"
            ],
            [
                Finding(
                    "the store does not grow by more than the records of the deliveries", growth <= allowed,
                    "\(growth) bytes, maximum \(allowed)"),
                Finding(
                    "the master does not grow", megabytes <= Self.slackMegabytes,
                    "by \(megabytes.fixed(1)) MiB"),
            ])
    }

    package func run(in testbed: Testbed, say: @escaping (String) -> Void) async throws -> [DailySample] {
        // PostgreSQL only: the server's own vacuum must keep pace with days that last seconds.
        try testbed.databaseServer?.query("ALTER SYSTEM SET autovacuum_naptime = '1s'")
        try testbed.databaseServer?.query("SELECT pg_reload_conf()")
        try await testbed.begin([(.ios, .init(devices))])
        var dailySamples: [DailySample] = []
        var last = 0
        for day in 1...days {
            let end = ContinuousClock.now + .seconds(daySeconds)
            let before = last
            while last < deliveries * day / days {
                last = try await testbed.submit()
            }
            try await testbed.settle(last)
            // The messages of a day's deliveries are removed exactly one day later.
            if before > 0 {
                try await testbed.wait(
                    for: before, "the messages of delivery \(before) to be removed",
                    maxPollInterval: Waiting.maxCommandInterval
                ) { $0.messagesRemovedAt != nil }
            }
            try await Task.sleep(until: end)
            let sample = try await sample(after: last, testbed)
            say(
                "day \(day): \(last) deliveries, store \(sample.storeBytes / 1024) KiB, in use "
                    + "\(sample.usedBytes / 1024) KiB, master \(sample.masterMegabytes.fixed(1)) MiB")
            dailySamples.append(sample)
        }
        let (kept, counts) = (try await testbed.show(last), try await testbed.show(1))
        guard kept.counts.sent == devices, counts.counts.sent == devices else {
            throw LoadError(
                "delivery 1 sent \(counts.counts.sent), delivery \(last) sent \(kept.counts.sent)")
        }
        let log = try await testbed.pushmta(["delivery", "log", "1"])
        guard log.ending.status == 1, log.complaints.contains("were removed on"), log.output.isEmpty else {
            throw LoadError("the log of delivery 1 reports '\(log.complaints)' and ended with \(log.ending)")
        }
        return dailySamples
    }

    private func sample(after deliveries: Int, _ testbed: Testbed) async throws -> DailySample {
        let status = try await testbed.status()
        guard let size = status.size, let master = status.master, let figures = ProcessFigures(of: master.pid)
        else { throw LoadError("there is no master, or the size of the store is unknown") }
        return DailySample(
            deliveries: deliveries, storeBytes: size.bytes + size.logBytes,
            usedBytes: size.bytes - (size.freeBytes ?? 0), masterMegabytes: figures.residentMegabytes)
    }
}
