import Synchronization
import Testing
import pushload

/// Real processes over real TLS: one scenario a file, each of which states the whole ledger that it expects.
///
/// One at a time, because each has a gateway, a master and children of its own on the same few cores. PUSHMTA_STORE in the
/// environment names the engine of their stores.
@Suite(.serialized, .timeLimit(.minutes(3)), .compactMapIssues { issue in
    issuesSoFar.add(1, ordering: .relaxed)
    return issue
})
struct EndToEnd {}

private let issuesSoFar = Atomic(0)

/// A house for one scenario. Its folder, with all logs, stays where an expectation failed; standard error says where.
func withHouse(
    _ settings: HouseSettings = HouseSettings(), _ scenario: (House) async throws -> Void
) async throws {
    let before = issuesSoFar.load(ordering: .relaxed)
    try await House.use(
        settings, keepsFolder: { issuesSoFar.load(ordering: .relaxed) > before }, scenario)
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
