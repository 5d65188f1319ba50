import Synchronization
import Testing
import pushload

/// Real processes over real TLS: one scenario a file, each of which states the whole audit that it expects.
///
/// In each group one after the other, because a scenario has a gateway, a master and children of its own; the
/// groups run side by side, because most of a scenario is waiting for a time-out or a back-off of the
/// product. PUSHMTA_STORE in the environment names the engine of their stores.
@Suite(
    .timeLimit(.minutes(15)),
    .compactMapIssues { issue in
        ScenarioIssues.current?.count.add(1, ordering: .relaxed)
        return issue
    })
enum EndToEnd {
    /// What an answer, or none, makes of a message.
    @Suite(.serialized) struct Answers {}
    /// Apple's ended binary protocol and its feedback service.
    @Suite(.serialized) struct Binary {}
    /// Processes that end, in order or not.
    @Suite(.serialized) struct Crashes {}
    /// Trouble with the store and with what else the machine gives.
    @Suite(.serialized) struct Stores {}
    /// Credentials, connections, and accounts that are held.
    @Suite(.serialized) struct Accounts {}
    /// What a delivery says and what becomes of it; storms; quarantine.
    @Suite(.serialized) struct Deliveries {}
    /// Several hosts on one database.
    @Suite(.serialized) struct Hosts {}
    /// What the web module says while others send.
    @Suite(.serialized) struct Metrics {}
    /// What devices send over HTTP, as they send it.
    @Suite(.serialized) struct Devices {}
    /// Everything at once, by a seed.
    @Suite(.serialized) struct Chaos {}
}

/// How many expectations of the scenario that runs have failed; other groups have theirs.
private final class ScenarioIssues: Sendable {
    @TaskLocal static var current: ScenarioIssues?
    let count = Atomic(0)
}

/// A testbed for one scenario. Its folder, with all logs, stays where an expectation failed; standard error
/// says where.
func withTestbed(
    _ settings: TestbedSettings = TestbedSettings(), _ scenario: (Testbed) async throws -> Void
) async throws {
    let issues = ScenarioIssues()
    try await ScenarioIssues.$current.withValue(issues) {
        try await Testbed.use(settings, keepsFolder: { issues.count.load(ordering: .relaxed) > 0 }, scenario)
    }
}

/// One whose store is a file, whatever the others' is: the scenario does something to that.
func withTestbedInAFile(
    _ settings: TestbedSettings = TestbedSettings(), _ scenario: (Testbed) async throws -> Void
) async throws {
    var settings = settings
    settings.store = .sqlite
    try await withTestbed(settings, scenario)
}

/// Runs a scenario of `pushload`, and expects all that must be true of it.
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
