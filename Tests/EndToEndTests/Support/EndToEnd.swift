import Synchronization
import Testing
import pushload

/// Real processes over real TLS. Each file contains one scenario, which states the whole audit that it
/// expects.
///
/// The scenarios of a group run one after the other, because each has its own gateway, master and children.
/// The groups run in parallel, because most of a scenario's time is spent waiting for a time-out or a
/// back-off of the product. The environment variable PUSHMTA_STORE names the engine of their stores.
@Suite(
    .timeLimit(.minutes(15)),
    .compactMapIssues { issue in
        ScenarioIssues.current?.count.add(1, ordering: .relaxed)
        return issue
    })
enum EndToEnd {
    /// Tests how an answer, or the lack of an answer, affects a message.
    @Suite(.serialized) struct Answers {}
    /// Apple's discontinued binary protocol and its feedback service.
    @Suite(.serialized) struct Binary {}
    /// Processes that end, whether in order or not.
    @Suite(.serialized) struct Crashes {}
    /// Trouble with the store and with other resources of the machine.
    @Suite(.serialized) struct Stores {}
    /// Credentials, connections, and accounts on hold.
    @Suite(.serialized) struct Accounts {}
    /// The content of a delivery and its result; storms; quarantine.
    @Suite(.serialized) struct Deliveries {}
    /// Several hosts on one database.
    @Suite(.serialized) struct Hosts {}
    /// The output of the web module while other processes send.
    @Suite(.serialized) struct Metrics {}
    /// Requests that devices send over HTTP, in their original form.
    @Suite(.serialized) struct Devices {}
    /// Random combinations of everything, determined by a seed.
    @Suite(.serialized) struct Chaos {}
}

/// The number of failed expectations of the running scenario. Other groups have their own counter.
private final class ScenarioIssues: Sendable {
    @TaskLocal static var current: ScenarioIssues?
    let count = Atomic(0)
}

/// Provides a testbed for one scenario. If an expectation fails, its folder with all logs is kept, and
/// standard error names it.
func withTestbed(
    _ settings: TestbedSettings = TestbedSettings(), _ scenario: (Testbed) async throws -> Void
) async throws {
    let issues = ScenarioIssues()
    try await ScenarioIssues.$current.withValue(issues) {
        try await Testbed.use(settings, keepsFolder: { issues.count.load(ordering: .relaxed) > 0 }, scenario)
    }
}

/// Provides a testbed whose store is a file, regardless of PUSHMTA_STORE, because the scenario changes that
/// file.
func withTestbedInAFile(
    _ settings: TestbedSettings = TestbedSettings(), _ scenario: (Testbed) async throws -> Void
) async throws {
    var settings = settings
    settings.store = .sqlite
    try await withTestbed(settings, scenario)
}

/// Runs a scenario of `pushload`, and expects that all of its conditions are met.
func expectThatAllHolds<Told: Scenario>(
    in scenario: Told, _ more: (Told.Outcome) throws -> Void = { _ in }
) async throws {
    try await withTestbed(scenario.settings) { testbed in
        let outcome = try await scenario.run(in: testbed)
        for finding in scenario.verdict(on: outcome).findings {
            #expect(finding.holds, "\(scenario.commandLine): \(finding)")
        }
        try more(outcome)
    }
}

extension DeliveryAudit {
    func with(_ change: (inout DeliveryAudit) -> Void) -> DeliveryAudit {
        var audit = self
        change(&audit)
        return audit
    }
}
