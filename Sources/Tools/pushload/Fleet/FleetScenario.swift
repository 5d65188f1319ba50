package import ArgumentParser

/// The complete cycle, from the registration of a device to the statistics of its clicks.
///
/// The message ids of one app are UUIDs and those of the other app are integers. The seed determines which.
/// **Promises.** The moments of kills are defined by numbers of answers, not by time. **Neighbours.**
/// ``FleetRun`` drives the devices, ``FleetDevice`` defines what they do, and ``FleetReport`` evaluates the
/// run.
package struct FleetScenario: Scenario {
    package static let configuration = CommandConfiguration(
        commandName: "fleet",
        abstract: "Let devices register, receive, report and click, and compare their records with the API.",
        discussion: """
            Half of the devices run iOS, half Android. They send the same requests as the SDKs, receive \
            their notifications from the synthetic gateways, and handle them according to a seed. The \
            service is killed in turn while devices register, while it sends and while devices report. \
            Unanswered requests are repeated. Prints every assertion with its numbers. Exit status 0: all \
            assertions hold.

            Example: pushload fleet --devices 10000 --kills 3
            """)

    @Option(help: .seed) package var seed = Seed()
    @Option(help: .count("The total number of devices of both apps.")) package var devices = 100_000
    @Option(help: .count("The number of times that the service is killed.")) package var kills = 0
    @Option(help: .count("The number of connections that all devices share.")) var connections = 64
    @Option(help: .store) package var store = TestbedSettings.usualStore

    static let capacity = 250
    static let children = 2
    static let apps = [Testbed.app, Testbed.androidApp]

    package init() {}

    package var limits: KeyValuePairs<String, ClosedRange<Int>> {
        // The web module accepts 1 000 connections. At this limit, each new connection closes a connection
        // that is waiting for its client.
        ["devices": 100...1_000_000, "kills": 0...100, "connections": 1...900]
    }

    package func checkOptions() throws {
        guard kills <= devices / 20 else {
            throw ValidationError("--kills must be from 0 to 100, and at most a twentieth of the devices.")
        }
    }

    package func verdict(on report: FleetReport) -> Verdict { Verdict(report.findings) }

    package var settings: TestbedSettings {
        TestbedSettings(store: store, children: Self.children) {
            $0.web = true
            $0.keepsWebPort = true
            $0.messageIDFormat = messageIDFormat(isAndroid: false)
            $0.capacity = Self.capacity
            $0.parallelRequests = 50
            $0.retry = .eachSecond
            $0.gateway.streams = 100
            $0.gateway.delayMilliseconds = 10
            $0.gateway.rules = "\(FleetDevice.leftPrefix)* status 410 Unregistered\n"
            $0.gateway.fcm = .init(
                delayMilliseconds: 10, rules: "\(FleetDevice.leftPrefix)* fcm UNREGISTERED\n")
            $0.gateway.stopsAfter = moments(of: .sending, in: devices / 2)
        }
    }

    func messageIDFormat(isAndroid: Bool) -> String {
        (seed.number % 2 == 1) == isAndroid ? "uuid" : "integer"
    }

    func device(_ index: Int) -> FleetDevice { FleetDevice(index, seed: seed.number) }

    // MARK: When it is killed

    enum Phase: Int, CaseIterable { case registering, sending, reporting }

    /// Returns the points at which the service is killed, in ascending order. Each point is a count of
    /// answers received so far, out of `all`.
    func moments(of phase: Phase, in all: Int) -> [Int] {
        let count = (0..<kills).count { $0 % Phase.allCases.count == phase.rawValue }
        var chance = SplitMix64(seed: seed.number &+ UInt64(phase.rawValue) &* 0x9E37_79B9)
        var moments: Set<Int> = []
        let range = max(all / 20, 1)...max(all * 4 / 5, count + 1)
        while moments.count < min(count, range.count) { moments.insert(.random(in: range, using: &chance)) }
        return moments.sorted()
    }

    /// The devices that also get a single message, in random order.
    var chosen: [Int] {
        var chance = SplitMix64(seed: seed.number)
        return stride(from: 0, to: devices, by: max(devices / 1_000, 9) | 1).shuffled(using: &chance)
    }

    package func run(in testbed: Testbed, say: @escaping (String) -> Void) async throws -> FleetReport {
        // If a child is killed together with its master immediately after the child starts, the engine logs
        // the following line, although the installation is not faulty.
        testbed.expectedComplaints.append("a child ended before it did any work")
        try await testbed.createService()
        try await testbed.createApp(for: .ios)
        try await testbed.createAndroidApp(messageIDFormat: messageIDFormat(isAndroid: true))
        try await testbed.startEngine()
        let run = FleetRun(self, in: testbed, say: say)
        try await run.register()
        say("\(run.report.registering.count) registrations in \(run.report.registering.summary)")
        try await run.send()
        say("\(run.report.sending.count) messages reached devices in \(run.report.sending.summary)")
        try await run.finishReporting()
        say("\(run.report.reporting.count) reports in \(run.report.reporting.summary)")
        try await run.compare()
        try await testbed.finish()
        try run.finishReport()
        return run.report
    }
}
