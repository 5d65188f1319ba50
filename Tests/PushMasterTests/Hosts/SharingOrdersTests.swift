import PushConfig
import PushMaster
import PushModel
import PushSchedule
import PushStore
import PushWire
import TestSupport
import Testing

/// Tests how the master reacts to other hosts that send from the same store.
@Suite struct SharingOrdersTests {
    /// A machine without children, advanced second by second.
    private struct World {
        private var machine: MasterMachine
        private var moment = MasterMachine.Timestamps(
            monotonic: MonotonicTime(nanoseconds: 1_000_000_000),
            wall: WallTime(secondsSince1970: 1_800_000_000))
        /// The results of searches.
        var stored: [FoundPart] = []
        private(set) var firstSearches: [Int64] = []

        init(isShared: Bool = true) {
            let settings = MasterSettings(
                ServerConfiguration(), childOrder: ChildProcess.Order(executable: "/nowhere", arguments: []))
            machine = MasterMachine(
                settings: settings, storePath: "/nowhere", processID: 1, at: moment,
                lease: isShared ? MonotonicTime(nanoseconds: .max) : nil, chance: { $0.lowerBound })
            let definition = AccountDefinition(
                name: "account 1", mark: AccountKey(rawValue: "account 1"), terms: AccountLimits(),
                order: AccountOrder(
                    account: 1, connector: .stub, environment: .production,
                    credential: OpaqueCredential(bytes: []), gateway: GatewayOrder()))
            // The machine searches for parts on its first event.
            firstSearches = carryOut(process(.account(1, definition)))
        }

        var waitingRanges: Int { machine.ledger.waitingRanges }

        mutating func process(_ event: LoopEvent) -> [MasterMachine.Action] {
            machine.handle(.threadEvent(event), at: moment)
        }

        /// Advances time by one second. - Returns: The parts after which searches began; 0 means from the
        /// first part.
        mutating func second() -> [Int64] {
            moment.monotonic = moment.monotonic.advanced(bySeconds: 1)
            return carryOut(machine.handle(.second(MasterMachine.PeriodicFacts()), at: moment))
        }

        private mutating func carryOut(_ orders: [MasterMachine.Action]) -> [Int64] {
            var searches: [Int64] = []
            var actions = orders
            while !actions.isEmpty {
                guard case .read(.findParts(let last)) = actions.removeFirst() else { continue }
                searches.append(last?.rawValue ?? 0)
                let found = stored.filter { $0.part.id.rawValue > last?.rawValue ?? 0 }
                actions += process(.parts(found, last: found.last?.part.id, hasMore: false))
            }
            return searches
        }
    }

    private static func part(_ first: Int64) -> FoundPart {
        let part = Part(
            id: PartID(rawValue: first), delivery: DeliveryID(rawValue: 1), app: AppID(rawValue: 1),
            messages: MessageID(rawValue: first)...MessageID(rawValue: first + 9), firstOrdinal: 1)
        return FoundPart(part: part, account: 1, priority: .normal)
    }

    @Test func `quotas are divided only when the number of hosts changes`() {
        var world = World()
        let first = world.process(.hosts(live: 2, asOf: 5))
        #expect(first.shares == [2] && first.lookedAround == [5])
        #expect(first.lines == ["2 hosts share the store: each uses 1/2 of quotas and rates"])
        let second = world.process(.hosts(live: 2, asOf: 6))
        #expect(second.shares == [] && second.lines == [] && second.lookedAround == [6])
        let third = world.process(.hosts(live: 1, asOf: 7))
        #expect(third.shares == [1] && third.lookedAround == [7])
    }

    @Test func `a host that was alone reads the deliveries of other hosts as soon as there are other hosts`()
    {
        var world = World()
        let looks = [1, 2, 2, 1].map { live in
            world.process(.hosts(live: live, asOf: 5)).contains {
                if case .write(.look) = $0 { true } else { false }
            }
        }
        #expect(looks == [false, true, false, true])
    }

    @Test func `a leading host begins the tasks that only one host performs`() {
        var world = World()
        let actions = world.process(.leads)
        #expect(
            actions.contains { if case .lead = $0 { true } else { false } }
                && actions.contains { if case .write(.look) = $0 { true } else { false } })
    }

    @Test
    func `orders that a read of the store finds count as obeyed immediately if no delivery is being stopped`()
    {
        var world = World()
        #expect(world.process(.lookedAround(asOf: 70)).obeyed == [70])
        #expect(world.process(.lookedAround(asOf: 60)).obeyed == [60])
    }

    @Test func `the host searches once per second for parts that other hosts prepared`() {
        var world = World()
        for _ in 0..<4 { #expect(world.second() == [0], "nothing waits: from the first part on") }
        world.stored = [Self.part(100)]
        #expect(world.second() == [0])
        #expect(world.waitingRanges == 1)
        for _ in 0..<4 { #expect(world.second() == [100], "something waits: what is new") }
    }

    @Test func `if the store has a single host, the host does not search it repeatedly`() {
        var world = World(isShared: false)
        var searches = world.firstSearches
        for _ in 0..<5 { searches += world.second() }
        #expect(searches == [0])
    }

    @Test func `parts from a departed host are searched for, even if other parts are waiting on this host`() {
        var world = World()
        _ = world.process(.hosts(live: 2, asOf: 1))
        world.stored = [Self.part(100)]
        #expect(world.second() == [0])
        #expect(world.second() == [100])
        _ = world.process(.hosts(live: 1, asOf: 2))
        var searches: [Int64] = []
        for _ in 0..<5 { searches += world.second() }
        #expect(searches.filter { $0 == 0 }.count == 1, "\(searches)")
        #expect(world.waitingRanges == 1)
    }
}

extension [MasterMachine.Action] {
    fileprivate var shares: [Int] { compactMap { if case .sharing(let hosts) = $0 { hosts } else { nil } } }
    fileprivate var obeyed: [Int64] {
        compactMap { if case .obeyed(let moment) = $0 { moment } else { nil } }
    }
    fileprivate var lookedAround: [Int64] {
        compactMap { if case .write(.lookAround(let moment)) = $0 { moment } else { nil } }
    }
    fileprivate var lines: [String] { compactMap { if case .log(_, let line, _) = $0 { line } else { nil } } }
}
