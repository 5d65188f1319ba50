import PushMaster
import PushModel
import PushSchedule
import PushStore
import PushSystem
import Synchronization
import Testing

/// Tests the reading thread of one host among several: it claims parts before it reads them.
@Suite struct StoreReaderSharingTests {
    /// Provides the given number of small parts from one delivery, and the other objects that a test needs.
    private func withParts(
        _ count: Int, _ story: (MasterFixture, StandInLeases, StoreReaderRunner, [Part]) throws -> Void
    ) throws {
        try MasterFixture.with { fixture in
            let apps = try (0..<count).map { try fixture.app("app \($0)", subscribers: 3) }
            let parts = try fixture.prepare(try fixture.submit(apps))
            #expect(parts.count == count)
            let leases = StandInLeases()
            let runner = try StoreReaderRunner(fixture, leases: leases)
            _ = try runner.findParts()
            try story(fixture, leases, runner, parts)
            runner.stop()
        }
    }

    @Test func `a part is claimed once before it is read, together with the next parts`() throws {
        try withParts(3) { _, leases, runner, parts in
            let first = try runner.read(.range(parts[0].id, parts[0].messages))
            #expect(first.messages == parts[0].ids)
            #expect(leases.asked == [parts.map(\.id)], "all three are few")
            for part in parts {
                let again = try runner.read(.range(part.id, part.messages))
                #expect(again.messages == part.ids)
            }
            #expect(leases.asked.count == 1)
        }
    }

    @Test func `a part that another host has claimed is not read, and is forgotten`() throws {
        try withParts(3) { _, leases, runner, parts in
            leases.refused = [parts[1].id]
            let first = try runner.read(.range(parts[0].id, parts[0].messages))
            #expect(first.count == 3)
            #expect(try runner.read(.range(parts[1].id, parts[1].messages)).count == 0)
            #expect(leases.asked.count == 2, "a second request for it is refused again")
            #expect(try runner.read(.range(parts[2].id, parts[2].messages)).count == 3)
            // A part that is found again is claimed again.
            leases.refused = []
            _ = try runner.findParts()
            #expect(try runner.read(.range(parts[1].id, parts[1].messages)).count == 3)
            #expect(leases.asked.count == 3)
        }
    }

    @Test func `if the owner of a part cannot be determined, nothing is read, and the query is repeated`()
        throws
    {
        try withParts(1) { _, leases, runner, parts in
            leases.isAway = true
            let first = try runner.read(.range(parts[0].id, parts[0].messages))
            #expect(first.count == -1)
            leases.isAway = false
            #expect(try runner.read(.range(parts[0].id, parts[0].messages)).count == 3)
        }
    }

    @Test
    func `each search for retries claims and returns parts, and some searches also look for ends`() throws {
        try withParts(1) { fixture, leases, runner, parts in
            // The reader knows the delivery from the messages that were granted.
            let granted = try runner.read(.range(parts[0].id, parts[0].messages))
            #expect(granted.count == 3)
            for look in 1...4 {
                _ = try runner.dueApps()
                #expect(leases.looks == look)
            }
            #expect(leases.lookedForEnds == [])
            leases.haveEnded = true
            runner.mailbox.send(.findRetries)
            let finished = try fixture.next("finished") { $0.finished }
            #expect(finished == [parts[0].delivery])
            #expect(leases.lookedForEnds == [[parts[0].delivery]])
        }
    }

    @Test func `if leases cannot be read, the search for retries happens the next time`() throws {
        try withParts(1) { fixture, leases, runner, parts in
            try fixture.makeRetrying(parts[0].ids, of: parts[0].delivery)
            leases.isAway = true
            #expect(try runner.dueApps() == [])
            leases.isAway = false
            #expect(try runner.dueApps() == [parts[0].app])
        }
    }
}

/// A host's leases, which the test controls: all parts belong to the host, except those that are refused.
private final class StandInLeases: PartLeases {
    private struct State {
        var asked: [[PartID]] = []
        var refused: Set<PartID> = []
        var isAway = false
        var looks = 0
        var haveEnded = false
        var lookedForEnds: [[DeliveryID]] = []
    }
    private let state = Mutex(State())

    var asked: [[PartID]] { state.withLock(\.asked) }
    var looks: Int { state.withLock(\.looks) }
    var lookedForEnds: [[DeliveryID]] { state.withLock(\.lookedForEnds) }
    var refused: Set<PartID> {
        get { state.withLock(\.refused) }
        set { state.withLock { $0.refused = newValue } }
    }
    var isAway: Bool {
        get { state.withLock(\.isAway) }
        set { state.withLock { $0.isAway = newValue } }
    }
    var haveEnded: Bool {
        get { state.withLock(\.haveEnded) }
        set { state.withLock { $0.haveEnded = newValue } }
    }

    private func throwIfAway() throws(StoreError) {
        if isAway { throw StoreError(.unreachable(why: "a test"), path: "nowhere") }
    }

    func take(_ parts: [PartID]) throws(StoreError) -> Set<PartID> {
        try throwIfAway()
        return state.withLock { state in
            state.asked.append(parts)
            return Set(parts).subtracting(state.refused)
        }
    }

    func giveBack(of apps: [AppID]) throws(StoreError) { try throwIfAway() }

    func holders(ofDeliveries deliveries: [DeliveryID]) throws(StoreError) -> [DeliveryID: Set<Int64>] { [:] }
    func holders(ofApps apps: [AppID]) throws(StoreError) -> [AppID: Set<Int64>] { [:] }
    var ownTerm: Int64 { 1 }

    func takeDue(by now: WallTime, except none: [AppID], oneOf few: [AppID]) throws(StoreError) {
        try throwIfAway()
        state.withLock { $0.looks += 1 }
    }

    func giveBack(unlessDueBy moment: WallTime) throws(StoreError) {
        try throwIfAway()
        #expect(moment > Clocks.wall(), "what is due in a minute is kept")
    }

    func ended(among deliveries: [DeliveryID]) throws(StoreError) -> [DeliveryID] {
        try throwIfAway()
        return state.withLock { state in
            state.lookedForEnds.append(deliveries)
            return state.haveEnded ? deliveries : []
        }
    }
}
