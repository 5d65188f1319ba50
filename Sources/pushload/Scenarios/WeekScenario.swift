internal import FoundationEssentials

/// A week's deliveries with retention on, each of the same size: whether store and master stay as large as they
/// were after the first days.
///
/// The engine is real, and its connector is `stub` (`verifyMode`): what is looked at is what stays behind. A
/// day of retention lasts some seconds (`run --retention-day-seconds`); messages are kept for one of them. What
/// a delivery leaves for good is its record: row, content, tally.
package struct WeekScenario: Sendable {
    package var days = 7
    package var deliveries: Int
    /// Messages of each.
    package var devices: Int
    package var daySeconds: Int

    package init(deliveries: Int, devices: Int, daySeconds: Int) {
        self.deliveries = deliveries
        self.devices = devices
        self.daySeconds = daySeconds
    }

    package var settings: TestbedSettings {
        var settings = TestbedSettings()
        settings.verifyMode = true
        settings.retentionDays = 1
        settings.retentionDaySeconds = daySeconds
        // A line a delivery is not what is looked at.
        settings.logLevel = 1
        return settings
    }

    /// The engine at the end of a day, when the messages of the day before are gone.
    package struct Evening: Sendable {
        package var day: Int
        /// Deliveries so far.
        package var deliveries: Int
        /// Of the database and its log.
        package var storeBytes: Int
        /// Of these, what holds something.
        package var usedBytes: Int
        package var masterMegabytes: Double
    }

    package struct Report: Sendable {
        package var evenings: [Evening] = []
        package var messages = 0
        package var seconds = 0.0
        /// What each delivery of the later days left in the database.
        package var bytesADelivery: Int {
            guard let first = settled.first, let last = settled.last, last.deliveries > first.deliveries
            else { return 0 }
            return (last.usedBytes - first.usedBytes) / (last.deliveries - first.deliveries)
        }
        /// By the second evening as many messages are kept as ever will be.
        package var settled: ArraySlice<Evening> { evenings.dropFirst() }
        package var storeGrowth: Int { (settled.last?.storeBytes ?? 0) - (settled.first?.storeBytes ?? 0) }
        package var masterGrowth: Double {
            (settled.last?.masterMegabytes ?? 0) - (settled.first?.masterMegabytes ?? 0)
        }
        package var laterDeliveries: Int {
            (settled.last?.deliveries ?? 0) - (settled.first?.deliveries ?? 0)
        }
    }

    /// What a delivery's record may take: row, content, tally, and their entries in indexes.
    package static let bytesARecord = 2_000
    /// What may come and go beside it: pages that are being filled, and SQLite's log between two checkpoints.
    package static let slackBytes = 6 << 20
    package static let slackMegabytes = 12.0

    package func run(in testbed: Testbed, say: (String) -> Void = { _ in }) async throws -> Report {
        let begin = ContinuousClock.now
        // Of a server: its own vacuum has to keep pace with days of seconds.
        try testbed.databaseServer?.query("ALTER SYSTEM SET autovacuum_naptime = '1s'")
        try testbed.databaseServer?.query("SELECT pg_reload_conf()")
        try await testbed.createApp()
        try await testbed.importSubscribers(.init(devices))
        try await testbed.startEngine()
        let document = try testbed.prepare(DeliveryText())
        var report = Report()
        var last = 0
        for day in 1...days {
            let end = ContinuousClock.now + .seconds(daySeconds)
            let before = last
            while last < deliveries * day / days {
                let submitted = try await testbed.succeed(["delivery", "submit", document])
                guard let id = Int(submitted.output.trimmingNewlines) else {
                    throw LoadError(.wrong("delivery submit printed '\(submitted.output)'"))
                }
                last = id
            }
            try await testbed.settle(last)
            // Deliveries of one day may go a day later, to the second.
            if before > 0 { try await removed(before, testbed) }
            try await Task.sleep(until: end)
            let evening = try await evening(day, last, testbed)
            say(
                "day \(day): \(last) deliveries, store \(evening.storeBytes / 1024) KiB, in use "
                    + "\(evening.usedBytes / 1024) KiB, master \(evening.masterMegabytes.fixed(1)) MiB")
            report.evenings.append(evening)
        }
        let (kept, counts) = (try await testbed.show(last), try await testbed.show(1))
        guard kept.counts.sent == devices, counts.counts.sent == devices else {
            throw LoadError(
                .wrong("delivery 1 has sent \(counts.counts.sent), delivery \(last) \(kept.counts.sent)"))
        }
        let log = try await testbed.pushmta(["delivery", "log", "1"])
        guard log.ending.status == 1, log.complaints.contains("were removed on"), log.output.isEmpty else {
            throw LoadError(.wrong("the log of delivery 1 says '\(log.complaints)' with \(log.ending)"))
        }
        report.messages = last * devices
        report.seconds = (ContinuousClock.now - begin).inSeconds
        return report
    }

    private func removed(_ delivery: Int, _ testbed: Testbed) async throws {
        try await testbed.wait(
            for: delivery, "the messages of delivery \(delivery) to be removed",
            longestNap: Waiting.longestNapBetweenCommands
        ) { $0.messagesRemovedAt != nil }
    }

    private func evening(_ day: Int, _ deliveries: Int, _ testbed: Testbed) async throws -> Evening {
        let status = try await testbed.status()
        guard let size = status.size, let master = status.master,
            let figures = ProcessFigures(of: master.pid)
        else { throw LoadError(.wrong("there is no master, or no size of the store")) }
        return Evening(
            day: day, deliveries: deliveries, storeBytes: size.bytes + size.logBytes,
            usedBytes: size.bytes - (size.freeBytes ?? 0), masterMegabytes: figures.residentMegabytes)
    }
}

extension String {
    fileprivate var trimmingNewlines: String { filter { !$0.isNewline } }
}

extension WeekScenario.Report {
    /// What grew that is not to grow; nil: nothing.
    package var trouble: String? {
        let allowed = laterDeliveries * WeekScenario.bytesARecord + WeekScenario.slackBytes
        if storeGrowth > allowed { return "the store grew by \(storeGrowth) bytes, \(allowed) are allowed" }
        if masterGrowth > WeekScenario.slackMegabytes {
            return "the master grew by \(masterGrowth.fixed(1)) MiB"
        }
        return nil
    }
}
