import Dispatch
import Foundation
import Logging
import PushMaster
import PushModel
import PushStore
import Synchronization
import TestSupport
import Testing

/// Tests what a host does until it may send, depending on the store's answers.
@Suite struct HostKeeperTests {
    private func host(_ name: String, word: Int64, shares: Int, leads: Bool = false) -> LiveHost {
        LiveHost(
            SeenHost(host: name, name: name, session: name, generation: 1, word: word), leads: leads,
            shares: shares)
    }

    private static let logger = Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }

    /// Starts the host, and gives up after a hundred turns.
    private func begins(_ register: StandInRegister, _ role: HostRole) throws -> Bool {
        let keeper = HostCoordinator(
            register, HostOptions(name: "a", release: "1"), role, loop: try Mailbox(),
            announcing: Announcements(), Self.logger)
        var turns = 0
        return try keeper.begin(
            HostCoordinator.StartControl(
                shouldEnd: { _ in
                    turns += 1
                    return turns > 100
                }, waiting: { _ in }))
    }

    @Test func `a host without other hosts leads and has the whole of every quota`() throws {
        let role = HostRole(isShared: true)
        let register = StandInRegister { _ in [] }
        #expect(try begins(register, role))
        #expect(role.leads && role.others == 0 && role.figures.shares == 1)
        #expect(register.entries == 1 && register.takeOvers == 1)
    }

    @Test func `a host waits until the leader has reduced its share`() throws {
        let role = HostRole(isShared: true)
        let register = StandInRegister { look in
            [host("b", word: Int64(look), shares: look < 6 ? 1 : 2, leads: true)]
        }
        #expect(try begins(register, role))
        #expect(!role.leads && role.others == 1 && role.figures.shares == 2)
        #expect(register.looks == 6 && register.takeOvers == 0)
    }

    @Test func `a host that is stopped before its share is free does not begin`() throws {
        let role = HostRole(isShared: true)
        let register = StandInRegister { look in [host("b", word: Int64(look), shares: 1, leads: true)] }
        #expect(try !begins(register, role))
        #expect(role.figures.shares == 0)
    }

    @Test func `a leader continues to lead even if its next step has failed`() throws {
        let role = HostRole(isShared: true)
        let register = StandInRegister { _ in [] }
        register.failures = 1
        #expect(try begins(register, role))
        #expect(role.leads && register.takeOvers == 1)
    }

    @Test func `a host that lost its place during a wait stops leading and begins again`() throws {
        let role = HostRole(isShared: true)
        // At first no host leads, and the other host does not reduce its share. Then the other host leads.
        let register = StandInRegister { look in
            look == 1
                ? [host("b", word: 1, shares: 1)]
                : [host("b", word: Int64(look), shares: 2, leads: true)]
        }
        register.losesPlace = true
        #expect(try begins(register, role))
        #expect(register.entries == 2 && register.takeOvers == 1)
        #expect(!role.leads && role.figures.shares == 2)
        #expect(register.claims == 0, "the lock is given back")
    }

    @Test func `a host that is drained before it sends waits and does not lead`() throws {
        let role = HostRole(isShared: true)
        // The other host does not reduce its share, and an operator drains this host. At the end this host
        // may send.
        let register = StandInRegister { look in [host("b", word: Int64(look), shares: look < 20 ? 1 : 2)] }
        register.isDrained = { (5..<15).contains($0) }
        #expect(try begins(register, role))
        #expect(register.stepsDown == 1 && register.entries == 1 && register.takeOvers == 2)
        #expect(role.leads)
    }

    @Test func `while another host is leading, a host with a wrong clock waits until its clock is right`()
        throws
    {
        let role = HostRole(isShared: true)
        let register = StandInRegister { look in [host("b", word: Int64(look), shares: 2, leads: true)] }
        register.clockBehindSeconds = { $0 < 30 ? 40 : 0 }
        #expect(try begins(register, role))
        #expect(register.looks == 30 && register.takeOvers == 0 && !role.leads)
    }

    @Test
    func `a host with a wrong clock does not lead while another host is sending, but leads if it is alone`()
        throws
    {
        let alongside = StandInRegister { look in [host("b", word: Int64(look), shares: 2)] }
        alongside.clockBehindSeconds = { _ in -3_600 }
        #expect(try !begins(alongside, HostRole(isShared: true)))
        #expect(alongside.takeOvers == 0)
        let alone = StandInRegister { _ in [] }
        alone.clockBehindSeconds = { _ in -3_600 }
        #expect(try begins(alone, HostRole(isShared: true)))
        #expect(alone.takeOvers == 1)
    }

    @Test func `a host announces its changes, even while it is waiting for its place`() throws {
        let announcements = Announcements()
        let loop = try Mailbox<LoopEvent>()
        // The other host never reduces its share.
        let register = StandInRegister { look in [host("b", word: Int64(look), shares: 1, leads: true)] }
        let keeper = HostCoordinator(
            register, HostOptions(name: "a", release: "1"), HostRole(isShared: true), loop: loop,
            announcing: announcements, Self.logger)
        var turns = 0
        let begun = try keeper.begin(
            HostCoordinator.StartControl(
                shouldEnd: { _ in
                    turns += 1
                    // Several announcements that arrive before the host processes them count as one.
                    for _ in 0..<(turns == 3 ? 5 : 0) { announcements.add() }
                    return turns > 20
                }, waiting: { _ in }))
        #expect(!begun && register.announcements == 1)
    }

    @Test
    func `if a newer release has changed the tables, a waiting host ends, and a sending host ends in order`()
        throws
    {
        let register = StandInRegister { _ in [] }
        register.hasLaterTables = true
        #expect {
            try begins(register, HostRole(isShared: true))
        } throws: { error in
            if case .newerVersion? = (error as? StoreError)?.cause { true } else { false }
        }
        register.hasLaterTables = false
        let loop = try Mailbox<LoopEvent>()
        let keeper = HostCoordinator(
            register, HostOptions(name: "a", release: "1"), HostRole(isShared: true), loop: loop,
            announcing: Announcements(), Self.logger)
        #expect(try keeper.begin(HostCoordinator.StartControl(shouldEnd: { _ in false }, waiting: { _ in })))
        register.hasLaterTables = true
        try keeper.startRenewing()
        defer { keeper.stop(saysGoodbye: false) }
        eventually("it is requested to send nothing") {
            loop.take().contains { if case .drained = $0 { true } else { false } }
        }
    }

    @Test
    func `a sending host announces changes immediately, and reads the store when others announce changes`()
        throws
    {
        let announcements = Announcements()
        let loop = try Mailbox<LoopEvent>()
        let register = StandInRegister { _ in [] }
        // With its timer alone, the host would do nothing for an hour.
        var terms = HostOptions(name: "a", release: "1")
        terms.times.renewalMilliseconds = 3_600_000
        let keeper = HostCoordinator(
            register, terms, HostRole(isShared: true), loop: loop, announcing: announcements, Self.logger)
        #expect(
            try keeper.begin(HostCoordinator.StartControl(shouldEnd: { _ in false }, waiting: { _ in })))
        try keeper.startRenewing()
        defer { keeper.stop(saysGoodbye: false) }
        announcements.add()
        eventually("it is announced") { register.announcements == 1 }
        let looks = register.looks
        register.receive()
        var events: [LoopEvent] = []
        eventually("the loop is wokenUp, and what others paused is looked at") {
            events += loop.take()
            let isWokenUp = events.contains { if case .wakeUp = $0 { true } else { false } }
            return isWokenUp && register.looks > looks
        }
    }
}

/// A list of hosts that the test controls.
private final class StandInRegister: HostRegister {
    private struct State {
        var entries = 0
        var looks = 0
        var takeOvers = 0
        var failures = 0
        var losesPlace = false
        var announcements = 0
        var isNotified = false
        var hasLaterTables = false
        var stepsDown = 0
        var isDrained: @Sendable (_ look: Int) -> Bool = { _ in false }
        var clockBehindSeconds: @Sendable (_ look: Int) -> Int64 = { _ in 0 }
    }
    private final class Claim: StoreClaim {
        private let register: StandInRegister
        init(_ register: StandInRegister) {
            self.register = register
            register.held.withLock { $0 += 1 }
        }
        deinit { register.held.withLock { $0 -= 1 } }
    }

    let host = "a"
    private let others: @Sendable (_ look: Int) -> [LiveHost]
    private let state = Mutex(State())
    fileprivate let held = Mutex(0)

    /// - Parameter others: Returns the result of a query, given its number from 1.
    init(others: @escaping @Sendable (_ look: Int) -> [LiveHost]) { self.others = others }

    var entries: Int { state.withLock(\.entries) }
    var looks: Int { state.withLock(\.looks) }
    var takeOvers: Int { state.withLock(\.takeOvers) }
    var claims: Int { held.withLock(\.self) }
    /// The number of times that releasing parts fails.
    var failures: Int {
        get { state.withLock(\.failures) }
        set { state.withLock { $0.failures = newValue } }
    }
    /// Whether the host's first renewal finds that another host has taken its place.
    var losesPlace: Bool {
        get { state.withLock(\.losesPlace) }
        set { state.withLock { $0.losesPlace = newValue } }
    }

    var stepsDown: Int { state.withLock(\.stepsDown) }
    /// Whether an operator has drained the host, for the number of a query.
    var isDrained: @Sendable (_ look: Int) -> Bool {
        get { state.withLock(\.isDrained) }
        set { state.withLock { $0.isDrained = newValue } }
    }

    /// The number of seconds by which the store's clock is behind this machine's clock, for the number of a
    /// query.
    var clockBehindSeconds: @Sendable (_ look: Int) -> Int64 {
        get { state.withLock(\.clockBehindSeconds) }
        set { state.withLock { $0.clockBehindSeconds = newValue } }
    }

    /// Whether a later release has migrated the store.
    var hasLaterTables: Bool {
        get { state.withLock(\.hasLaterTables) }
        set { state.withLock { $0.hasLaterTables = newValue } }
    }

    func enter(name: String, release: String, replacing session: String?) throws(StoreError) -> HostEntry {
        state.withLock { $0.entries += 1 }
        return .entered
    }

    func look(saying word: HostReport) throws(StoreError) -> HostUpdate {
        if hasLaterTables { throw StoreError(.newerVersion(unknown: "version 99"), path: "nowhere") }
        let look = state.withLock { state in
            state.looks += 1
            return state.looks
        }
        var news = HostUpdate(hasPlace: true, others: others(look))
        news.isDrained = isDrained(look)
        news.storeMilliseconds =
            Int64(Date().timeIntervalSince1970 * 1_000) - clockBehindSeconds(look) * 1_000
        return news
    }

    func takeOver(
        from seen: SeenHost?, afterMilliseconds: Int64
    ) throws(StoreError) -> (generation: Int64, claim: any StoreClaim)? {
        state.withLock { $0.takeOvers += 1 }
        return (generation: 1, claim: Claim(self))
    }

    func renew(
        generation: Int64, forMilliseconds: Int64, saying word: HostReport
    ) throws(StoreError) -> HostUpdate {
        if losesPlace { return HostUpdate(hasPlace: false) }
        return try look(saying: word)
    }

    func end(_ silent: [SeenHost], afterMilliseconds: Int64) throws(StoreError) -> [SeenHost] { [] }

    func freeParts() throws(StoreError) {
        let fails = state.withLock { state in
            state.failures -= 1
            return state.failures >= 0
        }
        if fails { throw StoreError(.unreachable(why: "a test"), path: "nowhere") }
    }

    func leave() throws(StoreError) {}
    func stepDown() throws(StoreError) { state.withLock { $0.stepsDown += 1 } }
    func drain(_ id: String, _ isWanted: Bool, noting note: AuditNote?) throws(StoreError) -> Bool { false }

    private let awake = DispatchSemaphore(value: 0)
    var announcements: Int { state.withLock(\.announcements) }
    func announce() throws(StoreError) { state.withLock { $0.announcements += 1 } }
    func waitForAnnouncement(atMostMilliseconds limit: Int32) -> Bool {
        _ = awake.wait(timeout: .now() + .milliseconds(Int(limit)))
        return state.withLock { state in
            defer { state.isNotified = false }
            return state.isNotified
        }
    }
    func wake() { awake.signal() }
    /// Another host announces a change.
    func receive() {
        state.withLock { $0.isNotified = true }
        wake()
    }

    func leases() -> any PartLeases { NoLeases() }
}

private final class NoLeases: PartLeases {
    func take(_ parts: [PartID]) throws(StoreError) -> Set<PartID> { [] }
    func takeDue(by now: WallTime, except none: [AppID], oneOf few: [AppID]) throws(StoreError) {}
    func giveBack(of apps: [AppID]) throws(StoreError) {}
    func holders(ofDeliveries deliveries: [DeliveryID]) throws(StoreError) -> [DeliveryID: Set<Int64>] { [:] }
    func holders(ofApps apps: [AppID]) throws(StoreError) -> [AppID: Set<Int64>] { [:] }
    var ownTerm: Int64 { 1 }
    func giveBack(unlessDueBy moment: WallTime) throws(StoreError) {}
    func ended(among deliveries: [DeliveryID]) throws(StoreError) -> [DeliveryID] { [] }
}
