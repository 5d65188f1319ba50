/// The whole circle, closed: devices register over HTTP, get their notifications from the gateways, and report and
/// click by a script with chance, while the service is killed; in the end what the API shows is held against what
/// the devices know themselves.
///
/// Half of the devices are of iOS, half of Android; the ids of one app are UUIDs, those of the other integers, by the
/// seed. What is not answered as it should be is asked again, until it is.
/// **Promises.** Moments are counted in answers and not in time. **Neighbours.** ``FleetRun`` tells it,
/// ``FleetDevice`` is the script, ``FleetReport`` the judge.
package struct FleetScenario: Sendable {
    package var seed: UInt64
    package var devices: Int
    /// `kill -9` of the service, by turns while devices register, while it sends, and while they report.
    package var kills: Int
    /// Kept open by all devices together.
    package var connections = 64

    static let capacity = 250
    static let children = 2
    static let apps = [Testbed.app, Testbed.androidApp]

    package init(seed: UInt64, devices: Int, kills: Int) {
        self.seed = seed
        self.devices = devices
        self.kills = kills
    }

    package var settings: TestbedSettings {
        var settings = TestbedSettings()
        settings.web = true
        settings.keepsWebPort = true
        settings.messageIDFormat = messageIDFormat(isAndroid: false)
        settings.children = Self.children
        settings.childrenAtStart = Self.children
        settings.capacity = Self.capacity
        settings.parallelRequests = 50
        settings.retry = TestbedSettings.Retry(count: 1_000, period: "1s", minimumDelays: false)
        settings.gateway.streams = 100
        settings.gateway.delayMilliseconds = 10
        settings.gateway.rules = "\(FleetDevice.leftPrefix)* status 410 Unregistered\n"
        var fcm = TestbedSettings.Gateway.FCM()
        fcm.delayMilliseconds = 10
        fcm.rules = "\(FleetDevice.leftPrefix)* fcm UNREGISTERED\n"
        settings.gateway.fcm = fcm
        settings.gateway.stopsAfter = moments(of: .sending, in: devices / 2)
        return settings
    }

    func messageIDFormat(isAndroid: Bool) -> String { (seed % 2 == 1) == isAndroid ? "uuid" : "integer" }

    func device(_ index: Int) -> FleetDevice { FleetDevice(index, seed: seed) }

    static func app(isAndroid: Bool) -> String { apps[isAndroid ? 1 : 0] }

    // MARK: When it is killed

    enum Phase: Int, CaseIterable { case registering, sending, reporting }

    /// After how many of `all` something is killed, in order.
    func moments(of phase: Phase, in all: Int) -> [Int] {
        let count = (0..<kills).count { $0 % Phase.allCases.count == phase.rawValue }
        var chance = Chance(seed: seed &+ UInt64(phase.rawValue) &* 0x9E37_79B9)
        var moments: Set<Int> = []
        let range = max(all / 20, 1)...max(all * 4 / 5, count + 1)
        while moments.count < min(count, range.count) { moments.insert(.random(in: range, using: &chance)) }
        return moments.sorted()
    }

    /// Devices that get a message of their own, too, in any order.
    var chosen: [Int] {
        var chance = Chance(seed: seed)
        return stride(from: 0, to: devices, by: max(devices / 1_000, 9) | 1).shuffled(using: &chance)
    }

    package func run(in testbed: Testbed, say: @escaping (String) -> Void = { _ in }) async throws
        -> FleetReport
    {
        // A child that is killed with its master as soon as it is spawned says nothing about the installation.
        testbed.expectedComplaints.append("a child ended before it was of any use")
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
        try await testbed.stopEngine()
        try await testbed.stopGateway()
        try run.closeTheBooks()
        return run.report
    }
}
