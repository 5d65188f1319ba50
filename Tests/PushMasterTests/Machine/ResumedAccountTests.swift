import PushConfig
import PushMaster
import PushModel
import PushSchedule
import PushStore
import PushWire
import TestSupport
import Testing

/// Tests orders that end an account's wait, from an operator on this host and from the store.
struct ResumedAccountTests {
    private static let moment = MasterMachine.Timestamps(
        monotonic: MonotonicTime(nanoseconds: 1_000_000_000), wall: WallTime(secondsSince1970: 1_800_000_000))
    private let mark = AccountKey(rawValue: "account 1 #1")

    private func machine() -> MasterMachine {
        let settings = MasterSettings(
            ServerConfiguration(), childOrder: ChildProcess.Order(executable: "/nowhere", arguments: []))
        var machine = MasterMachine(
            settings: settings, storePath: "/nowhere", processID: 1, at: Self.moment,
            chance: { $0.lowerBound })
        let definition = AccountDefinition(
            name: "account 1", mark: mark, terms: AccountLimits(),
            order: AccountOrder(
                account: 1, connector: .stub, environment: .production,
                credential: OpaqueCredential(bytes: []), gateway: GatewayOrder()))
        _ = machine.handle(.threadEvent(.account(1, definition)), at: Self.moment)
        return machine
    }

    /// Returns how often the machine carries out the order.
    private func obeyed(_ event: LoopEvent, by machine: inout MasterMachine) -> Int {
        machine.handle(.threadEvent(event), at: Self.moment).count { action in
            if case .log(_, let line, _) = action {
                line.contains("which was waiting")
            } else {
                false
            }
        }
    }

    @Test func `an order takes effect once, whether the operator or the store brings it first`() {
        var machine = machine()
        let order = ResumeOrder(number: 7, account: "account 1")
        #expect(obeyed(.accountResumed(mark, order: 7), by: &machine) == 1)
        #expect(obeyed(.accountResumed(mark, order: 7), by: &machine) == 0)
        #expect(obeyed(.accountsResumed([order]), by: &machine) == 0)
        // If the account is working, the store's order changes nothing and counts as obeyed.
        #expect(obeyed(.accountsResumed([ResumeOrder(number: 8, account: "account 1")]), by: &machine) == 0)
        #expect(obeyed(.accountResumed(mark, order: 8), by: &machine) == 0)
        // An order that is not in the store always counts as new.
        for _ in 0..<2 { #expect(obeyed(.accountResumed(mark, order: nil), by: &machine) == 1) }
        #expect(obeyed(.accountResumed(AccountKey(rawValue: "another"), order: 9), by: &machine) == 0)
    }
}
