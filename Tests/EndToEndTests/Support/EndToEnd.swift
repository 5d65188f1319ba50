import Synchronization
import Testing
import pushload

/// Real processes over real TLS: one scenario a file, each of which states the whole ledger that it expects.
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
    /// Everything at once, by a seed.
    @Suite(.serialized) struct Chaos {}
}

/// How many expectations of the scenario that runs have failed; other groups have theirs.
private final class ScenarioIssues: Sendable {
    @TaskLocal static var current: ScenarioIssues?
    let count = Atomic(0)
}

/// A house for one scenario. Its folder, with all logs, stays where an expectation failed; standard error
/// says where.
func withHouse(
    _ settings: HouseSettings = HouseSettings(), _ scenario: (House) async throws -> Void
) async throws {
    let issues = ScenarioIssues()
    try await ScenarioIssues.$current.withValue(issues) {
        try await House.use(settings, keepsFolder: { issues.count.load(ordering: .relaxed) > 0 }, scenario)
    }
}

/// One whose store is a file, whatever the others' is: the scenario does something to that.
func withHouseInAFile(
    _ settings: HouseSettings = HouseSettings(), _ scenario: (House) async throws -> Void
) async throws {
    var settings = settings
    settings.store = .sqlite
    try await withHouse(settings, scenario)
}

extension DeliveryLedger {
    /// Everybody reached once, and nothing else happened.
    static func everyoneOnce(_ count: Int) -> DeliveryLedger {
        var ledger = DeliveryLedger()
        ledger.targeted = count
        ledger.sent = count
        ledger.reached = count
        return ledger
    }

    func with(_ change: (inout DeliveryLedger) -> Void) -> DeliveryLedger {
        var ledger = self
        change(&ledger)
        return ledger
    }
}
