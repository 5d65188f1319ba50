package import ArgumentParser
internal import Glibc

/// Several hosts on one PostgreSQL, each of which is harmed in turn while deliveries are under way.
///
/// One delivery of two has a rate of its own. A host that ends is started again, as a service manager would.
/// **Promises.** The same seed harms the same hosts in the same order.
package struct HostsScenario: Scenario, HasDeadDevices {
    package static let configuration = CommandConfiguration(
        commandName: "hosts",
        abstract: "Harm hosts that share a PostgreSQL database, and hold the two ends against each other.",
        discussion: """
            Three hosts send two deliveries at a time to APNs and FCM. In mid-delivery hosts are killed, frozen and cut \
            off from the database, its server crashes, and one ends in order, all by a seed. Every assertion is printed \
            with its numbers. Exit status 0: all of them hold.
            """)

    package enum Fault: String, LosslessStringConvertible, Sendable, CaseIterable {
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

        package var description: String { rawValue }
        package init?(_ name: String) {
            guard let fault = Self.usual.first(where: { $0.rawValue == name }) else { return nil }
            self = fault
        }
    }

    @Option(help: .seed) package var seed = Seed()
    @Option(help: .count("So many runs, with this seed and those that follow.")) var seeds = 1
    @Option(help: .count("Runs at a time.")) var atOnce = 1
    @Option(help: .count("Devices of each of the two apps.")) package var devices = 12_000
    @Option(help: .seconds("For how long a host is frozen.")) package var freezeSeconds = 60
    @Option(help: "What befalls hosts, with commas: kill, children, freeze, coma, database, cut, end.")
    package var faults = Listed(Fault.usual, named: "all")
    @Option(
        help: ArgumentHelp(
            "pushmta of an earlier release, whose store has the same schema: all hosts begin with it, and each is "
                + "upgraded between two other faults.", valueName: "program"))
    var earlier: String?

    static let hosts = 3
    /// nil: the product's own.
    package var takeOverMilliseconds: Int?
    /// Other programs share the machine: hosts that have to wait for a processor are later, and a gateway that does
    /// counts within one window what was sent in another.
    package var isBusy = false
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

    package init() {}

    package var limits: KeyValuePairs<String, ClosedRange<Int>> {
        ["devices": 500...1_000_000, "seeds": 1...10_000, "at-once": 1...100, "freeze-seconds": 1...3_600]
    }

    package func checkOptions() throws {
        if let earlier, unsafe access(earlier, X_OK) != 0 {
            throw ValidationError("--earlier: there is no program \(earlier).")
        }
        guard !faults.elements.isEmpty else { throw ValidationError("--faults takes one fault or more.") }
    }

    package var parts: [Self] {
        seed.followed(by: seeds).map { seed in
            with { ($0.seed, $0.seeds, $0.atOnce) = (seed, 1, 1) }
        }
    }

    package var partsAtOnce: Int { atOnce }

    package func verdict(on report: HostsReport) -> Verdict { Verdict(report.findings) }

    /// All that befalls hosts.
    var steps: [Fault] {
        faults.elements + (earlier == nil ? [] : Array(repeating: .upgrade, count: Self.hosts))
    }

    package var dead: Set<String> { Set(Self.platforms.flatMap(dead(of:))) }

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
        TestbedSettings(store: .postgresql, children: Self.children) {
            $0.capacity = Self.capacity
            $0.parallelRequests = 40
            $0.messagesPerMinute = Self.messagesPerSecond * 60
            $0.takeOverMilliseconds = takeOverMilliseconds
            $0.retry = .eachSecond
            // So few at a time that a delivery takes its time.
            $0.gateway.streams =
                Self.messagesPerSecond * Self.gatewayDelayMilliseconds / 1_000 / Self.hosts / Self.children
            $0.gateway.delayMilliseconds = Self.gatewayDelayMilliseconds
            $0.gateway.rules = rulesOfDead(of: .ios)
            $0.gateway.fcm = .init(
                delayMilliseconds: Self.gatewayDelayMilliseconds, rules: rulesOfDead(of: .android))
        }
    }

    package func run(in testbed: Testbed, say: @escaping (String) -> Void) async throws -> HostsReport {
        var run = HostsRun(self, in: testbed, say: say)
        try await run.begin()
        for fault in steps.shuffled(using: &run.chance) { try await run.suffer(fault) }
        return try await run.end()
    }
}
