package import ArgumentParser
internal import Glibc

/// Several hosts that share one PostgreSQL server and are struck by faults, one after the other, while
/// deliveries are under way.
///
/// Every second delivery has its own rate. A host that ends is started again, as a service manager would do.
/// **Promises.** The same seed causes faults on the same hosts in the same order.
package struct HostsScenario: Scenario, HasDeadDevices {
    package static let configuration = CommandConfiguration(
        commandName: "hosts",
        abstract:
            "Cause faults on hosts that share a PostgreSQL database, and compare the records at both ends.",
        discussion: """
            Three hosts send two deliveries at a time to APNs and FCM. During the deliveries, according to a \
            seed, hosts are killed, frozen and cut off from the database, the database server crashes, and \
            one host ends in an orderly way. Prints every assertion with its numbers. Exit status 0: all \
            assertions hold.

            Example: pushload hosts --seed 7
            """)

    package enum Fault: String, LosslessStringConvertible, Sendable, CaseIterable {
        /// `kill -9` of a host's master. Its children end, too.
        case kill
        /// `kill -9` of all children of a host.
        case children
        /// SIGSTOP of a host's master, then SIGCONT.
        case freeze
        /// SIGSTOP of a host's master and its children, then SIGCONT.
        case coma
        /// The database server crashes and comes back.
        case database
        /// No byte passes between a host and the database.
        case cut
        /// An orderly end of a host.
        case end
        /// An orderly end of a host that was started with ``HostsScenario/earlier``. The host continues with
        /// the program of this release.
        case upgrade

        /// The faults of a run in which no host is upgraded.
        package static let usual = allCases.filter { $0 != .upgrade }

        package var description: String { rawValue }
        package init?(_ name: String) {
            guard let fault = Self.usual.first(where: { $0.rawValue == name }) else { return nil }
            self = fault
        }
    }

    @Option(help: .seed) package var seed = Seed()
    @Option(help: .count("The number of runs, with this seed and the following seeds.")) var seeds = 1
    @Option(help: .count("The number of simultaneous runs.")) var atOnce = 1
    @Option(help: .count("The number of devices of each of the two apps.")) package var devices = 12_000
    @Option(help: .seconds("The time for which a host is frozen.")) package var freezeSeconds = 60
    @Option(help: "Faults to cause, separated by commas: kill, children, freeze, coma, database, cut, end.")
    package var faults = Listed(Fault.usual, named: "all")
    @Option(
        help: ArgumentHelp(
            "The pushmta program of an earlier release whose store has the same schema. All hosts start with "
                + "this program, and each is "
                + "upgraded between two other faults.", valueName: "program"))
    var earlier: String?

    static let hosts = 3
    /// The time after which other hosts take over a silent host's place; `nil` means the product's default.
    package var takeOverMilliseconds: Int?
    /// Whether other programs share the machine. Processes then also wait for a processor. Hosts act later,
    /// and gateways may count messages in a later window than the window in which they were sent.
    package var isBusy = false
    /// One in this many devices has a dead token. This proportion is far too low to be considered a storm.
    package var deadOneIn = 50

    /// The capacity of a child. It is so high that a host that is cut off has more messages than it can send
    /// before it must stop.
    static let capacity = 2_000
    static let children = 2
    static let platforms = [Testbed.Platform.ios, .android]
    static let gatewayDelayMilliseconds = 200
    /// The maximum rate of messages to FCM, which FCM's quota limits. The gateway limits the rate to APNs to
    /// about the same value.
    static let messagesPerSecond = 300
    /// The rate of every second delivery, which goes to Android only.
    static let deliveryRate = 150

    package init() {}

    package var limits: KeyValuePairs<String, ClosedRange<Int>> {
        ["devices": 500...1_000_000, "seeds": 1...10_000, "at-once": 1...100, "freeze-seconds": 1...3_600]
    }

    package func checkOptions() throws {
        if let earlier, unsafe access(earlier, X_OK) != 0 {
            throw ValidationError("--earlier: the program \(earlier) does not exist.")
        }
        guard !faults.elements.isEmpty else {
            throw ValidationError("--faults must name at least one fault.")
        }
    }

    package var parts: [Self] {
        seed.followed(by: seeds).map { seed in
            with { ($0.seed, $0.seeds, $0.atOnce) = (seed, 1, 1) }
        }
    }

    package var partsAtOnce: Int { atOnce }

    package func verdict(on report: HostsReport) -> Verdict { Verdict(report.findings) }

    /// All faults of the run.
    var steps: [Fault] {
        faults.elements + (earlier == nil ? [] : Array(repeating: .upgrade, count: Self.hosts))
    }

    package var dead: Set<String> { Set(Self.platforms.flatMap(dead(of:))) }

    /// The number of messages of a delivery to both apps.
    package var targeted: Int { devices * Self.platforms.count }

    package var silenceMilliseconds: Int { takeOverMilliseconds ?? 20_000 }
    /// The time for which a host may begin requests after it last wrote its row.
    package var sendingMilliseconds: Int { silenceMilliseconds / 4 * 3 }

    /// The maximum time from the death of a host until other hosts take over.
    package var takeOverLimitMilliseconds: Int { silenceMilliseconds / 4 * 5 }
    /// The maximum time for a change that must be immediate. The hosts check for changes once per second.
    static let atOnceMilliseconds = 3_000

    package var settings: TestbedSettings {
        TestbedSettings(store: .postgresql, children: Self.children) {
            $0.capacity = Self.capacity
            $0.parallelRequests = 40
            $0.messagesPerMinute = Self.messagesPerSecond * 60
            $0.takeOverMilliseconds = takeOverMilliseconds
            $0.retry = .eachSecond
            // The number of streams is so low that a delivery takes a while.
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
        for fault in steps.shuffled(using: &run.chance) { try await run.inject(fault) }
        return try await run.end()
    }
}
