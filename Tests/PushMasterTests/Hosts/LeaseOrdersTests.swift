import PushConfig
import PushMaster
import PushModel
import PushStore
import PushWire
import Testing

/// Tests the master's reaction to its host's lease.
@Suite struct LeaseOrdersTests {
    private static let moment = MasterMachine.Timestamps(
        monotonic: MonotonicTime(nanoseconds: 1_000_000_000),
        wall: WallTime(secondsSince1970: 1_800_000_000))
    private let end = MonotonicTime(nanoseconds: 5_000_000_000)

    private func machine(lease: MonotonicTime?) -> MasterMachine {
        let settings = MasterSettings(
            ServerConfiguration(), childOrder: ChildProcess.Order(executable: "/nowhere", arguments: []))
        return MasterMachine(
            settings: settings, storePath: "/nowhere", processID: 1, at: Self.moment, lease: lease,
            chance: { $0.lowerBound })
    }

    /// Returns the orders to the child since it was spawned.
    private func orders(_ machine: inout MasterMachine, _ event: MasterMachine.Event) -> [LinkOrder] {
        machine.handle(event, at: Self.moment).compactMap {
            if case .send(_, let order) = $0 { order } else { nil }
        }
    }

    private let child = ChildID(rawValue: 1)

    @Test func `a child receives the lease with the welcome message, and then each renewal`() {
        var machine = machine(lease: end)
        let welcome = orders(&machine, .spawned(child, processID: 7))
        guard case .welcome(let order)? = welcome.first else {
            Issue.record("no welcome: \(welcome)")
            return
        }
        #expect(order.lease == end)
        let later = end.advanced(bySeconds: 1)
        #expect(orders(&machine, .threadEvent(.leaseRenewed(until: later))) == [.lease(until: later)])
        let next = orders(&machine, .spawned(ChildID(rawValue: 2), processID: 8))
        guard case .welcome(let second)? = next.first else {
            Issue.record("no welcome: \(next)")
            return
        }
        #expect(second.lease == later)
    }

    @Test func `if the store has a single host, no child receives a lease`() {
        var machine = machine(lease: nil)
        guard case .welcome(let order)? = orders(&machine, .spawned(child, processID: 7)).first else {
            Issue.record("no welcome")
            return
        }
        #expect(order.lease == nil)
    }

    @Test func `a host that lost its place immediately ends all children and records nothing more`() {
        var machine = machine(lease: end)
        _ = machine.handle(.spawned(child, processID: 7), at: Self.moment)
        let actions = machine.handle(.threadEvent(.leaseLost), at: Self.moment)
        #expect(
            actions.contains { if case .endAll = $0 { true } else { false } }
                && actions.contains { if case .write(.abandon) = $0 { true } else { false } })
        #expect(machine.ending(at: Self.moment.monotonic) == .orderly)
    }
}
