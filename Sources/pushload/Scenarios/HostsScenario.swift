/// Several hosts on one PostgreSQL, each of which is harmed in turn while deliveries are under way: killed, frozen,
/// cut off from the database; the database's server crashes, and a host ends in order.
///
/// Two deliveries at least are always under way, to APNs and FCM, one of them with a rate of its own. Whoever ends is
/// started again, as a service manager would.
/// **Promises.** The same seed harms the same hosts in the same order. **Neighbours.** ``HostsRun`` does it,
/// ``HostsReport`` is the judge.
package struct HostsScenario: Sendable {
    package enum Fault: String, Sendable, CaseIterable {
        /// `kill -9` of a host's master: its children follow.
        case kill
        /// `kill -9` of all children of a host.
        case children
        /// SIGSTOP of a host's master, and SIGCONT.
        case freeze
        /// The same of its children too.
        case coma
        /// The server of the database crashes and comes back.
        case database
        /// Nothing passes between a host and the database.
        case cut
        /// An orderly end.
        case end
        /// The same of a host that began with ``HostsScenario/earlier``; it goes on with the program of this release.
        case upgrade

        /// What befalls hosts of one release.
        package static let usual = allCases.filter { $0 != .upgrade }
    }

    package var seed: UInt64
    /// Of each of the two apps.
    package var devices: Int
    package var faults = Fault.usual
    package var hosts = 3
    /// The program of an earlier release, with which all hosts begin; each is upgraded in its turn. nil: they have this
    /// release's from the first.
    package var earlier: String?
    package var freezeSeconds = 60
    /// nil: the product's own.
    package var takeOverMilliseconds: Int?
    /// One device in so many has a dead token: far from what would look like a storm.
    package var deadOneIn = 50

    /// So much that a host which is cut off has more in hand than it can send before it must stop.
    static let capacity = 2_000
    static let children = 2
    static let platforms = [Testbed.Platform.ios, .android]
    static let gatewayDelayMilliseconds = 200
    /// To FCM, by its quota; to APNs about as many, by what the gateway can do.
    static let messagesPerSecond = 300
    /// Of every second delivery, which goes to Android alone.
    static let deliveryRate = 150

    package init(seed: UInt64, devices: Int) {
        self.seed = seed
        self.devices = devices
    }

    /// Each app has other devices.
    package func subscribers(of platform: Testbed.Platform) -> SyntheticSubscribers {
        let number: UInt64 = platform == .android ? 1 : 0
        return SyntheticSubscribers(devices, seed: seed &* 8 &+ number, isAndroid: platform == .android)
    }

    /// All that befalls hosts.
    var steps: [Fault] { faults + (earlier == nil ? [] : Array(repeating: .upgrade, count: hosts)) }

    package var dead: Set<String> { Set(Self.platforms.flatMap(dead(of:))) }

    private func dead(of platform: Testbed.Platform) -> [String] {
        subscribers(of: platform).oneInEvery(deadOneIn)
    }

    /// Messages of a delivery to both.
    package var targeted: Int { devices * Self.platforms.count }

    package var silenceMilliseconds: Int { takeOverMilliseconds ?? 20_000 }
    /// After the last word, until when a request may begin.
    package var sendingMilliseconds: Int { silenceMilliseconds / 4 * 3 }

    /// From a death until others take over.
    package var takeOverLimitMilliseconds: Int { silenceMilliseconds / 4 * 5 }
    /// What is at once: whoever takes over looks each second.
    static let atOnceMilliseconds = 3_000

    package var settings: TestbedSettings {
        var settings = TestbedSettings()
        settings.store = .postgresql
        settings.children = Self.children
        settings.childrenAtStart = Self.children
        settings.capacity = Self.capacity
        settings.parallelRequests = 40
        settings.messagesPerMinute = Self.messagesPerSecond * 60
        settings.takeOverMilliseconds = takeOverMilliseconds
        settings.retry = TestbedSettings.Retry(count: 1_000, period: "1s", minimumDelays: false)
        // So few at a time that a delivery takes its time.
        settings.gateway.streams =
            Self.messagesPerSecond * Self.gatewayDelayMilliseconds / 1_000 / hosts / Self.children
        settings.gateway.delayMilliseconds = Self.gatewayDelayMilliseconds
        settings.gateway.rules = dead(of: .ios).map { "\($0) status 410 Unregistered\n" }.joined()
        var fcm = TestbedSettings.Gateway.FCM()
        fcm.delayMilliseconds = Self.gatewayDelayMilliseconds
        fcm.rules = dead(of: .android).map { "\($0) fcm UNREGISTERED\n" }.joined()
        settings.gateway.fcm = fcm
        return settings
    }

    package func run(in testbed: Testbed, say: @escaping (String) -> Void = { _ in }) async throws
        -> HostsReport
    {
        var run = HostsRun(self, in: testbed, say: say)
        try await run.begin()
        var chance = Chance(seed: seed)
        for fault in steps.shuffled(using: &chance) { try await run.suffer(fault, &chance) }
        return try await run.end()
    }
}
