import PushMaster
import PushModel
import PushStore
import TestSupport
import Testing

/// Simulates hosts, their clocks, a server and the network between them, determined by a seed: freezes, late
/// or lost answers, late commits, broken connections and goodbyes. Children of two hosts must never be
/// allowed to begin requests at the same time.
@Suite struct HostLeaseStoryTests {
    @Test(arguments: UInt64(1)...40)
    func `children of two hosts never begin requests at the same time`(seed: UInt64) {
        var story = HostStory(seed: seed)
        story.run(milliseconds: 600_000)
        #expect(story.overlaps == [])
        #expect(story.takeOvers > 1, "nothing happened")
        #expect(story.generations == story.generations.sorted())
        #expect(Set(story.generations).count == story.generations.count)
    }
}

/// The store with its clock, and the hosts that query it. A step is 100 ms of true time.
private struct HostStory {
    /// A request on its way to the server, or its answer on the way back.
    private struct WorkItem {
        enum Kind { case look, renew, takeOver(SeenHost?) }
        var host: Int
        var connection: Int
        var kind: Kind
        var sentAt: MonotonicTime
        /// The times at which the server reads its clock, at which it commits, and at which the host receives
        /// the answer; `nil` if never.
        var reads, commits: Int64
        var received: Int64?
        var word: Int64?
    }

    private struct Host {
        var lease: HostLease
        /// The reading of the host's clock at time zero.
        var offset: Int64
        var frozenUntil: Int64 = 0
        var connection = 0
        var isWaiting = false
        var nextAt: Int64 = 0
        /// The end of the children's lease. The children receive it a little later than the host.
        var childrenMay: MonotonicTime?
        /// The time at which a goodbye is sent or a new process begins.
        var beginsAt: Int64?
    }

    private var random: SeededRandom
    private var hosts: [Host] = []
    private var workItems: [WorkItem] = []
    private var answers: [(at: Int64, host: Int, connection: Int, apply: (inout Host) -> Void)] = []
    private var time: Int64 = 0
    // The server's row.
    private var serving: SeenHost?
    /// The time of the host's last report, by the server's clock.
    private var spoke: Int64 = 0
    private var generation: Int64 = 0
    private var serverOffset: Int64 = 1_000_000_000

    private(set) var overlaps: [Int64] = []
    private(set) var takeOvers = 0
    private(set) var generations: [Int64] = []

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        for number in 0..<3 {
            let offset = Int64(random.below(1_000_000))
            hosts.append(Host(lease: HostLease(host: "\(number)"), offset: offset))
        }
    }

    mutating func run(milliseconds: Int64) {
        while time < milliseconds {
            time += 100
            happen()
            serve()
            receive()
            for host in hosts.indices { act(host) }
            if sending.count > 1 { overlaps.append(time) }
        }
    }

    /// Children use their own clock, and are not frozen with their master.
    private var sending: [Int] {
        hosts.indices.filter { host in hosts[host].childrenMay.map { clock(host) < $0 } ?? false }
    }

    private func clock(_ host: Int) -> MonotonicTime {
        MonotonicTime(nanoseconds: 0).advanced(byMilliseconds: time + hosts[host].offset)
    }

    private mutating func happen() {
        let host = random.below(hosts.count)
        switch random.below(200) {
        case 0: hosts[host].frozenUntil = time + Int64(random.below(90_000))
        case 1...2: breakConnection(host)
        case 3: for host in hosts.indices { breakConnection(host) }
        case 4: serverOffset += Int64(random.below(120_000)) - 60_000
        case 5: sayGoodbye(host)
        default: break
        }
    }

    private mutating func breakConnection(_ host: Int) {
        hosts[host].connection += 1
        hosts[host].isWaiting = false
        hosts[host].lease.lostConnection()
    }

    /// The children have ended before the goodbye is sent. Then another process begins.
    private mutating func sayGoodbye(_ host: Int) {
        guard hosts[host].frozenUntil <= time else { return }
        hosts[host].lease.end()
        hosts[host].childrenMay = nil
        if serving?.host == "\(host)" { serving = nil }
        hosts[host].connection += 1
        hosts[host].isWaiting = false
        hosts[host].beginsAt = time + Int64(random.below(5_000))
    }

    private mutating func act(_ host: Int) {
        guard hosts[host].frozenUntil <= time else { return }
        if let begins = hosts[host].beginsAt {
            guard begins <= time else { return }
            hosts[host].beginsAt = nil
            hosts[host].lease = HostLease(host: "\(host)")
        }
        // Another host took its place: it starts again, and its children have ended.
        if hosts[host].lease.role == .over {
            hosts[host].childrenMay = nil
            hosts[host].beginsAt = time + 500
            return
        }
        guard !hosts[host].isWaiting, hosts[host].nextAt <= time else { return }
        hosts[host].nextAt = time + 1_000
        if case .serving = hosts[host].lease.role { send(.renew, host) } else { send(.look, host) }
    }

    private mutating func send(_ kind: WorkItem.Kind, _ host: Int) {
        hosts[host].isWaiting = true
        let reads = time + delay
        let commits = reads + delay
        workItems.append(
            WorkItem(
                host: host, connection: hosts[host].connection, kind: kind, sentAt: clock(host),
                reads: reads, commits: commits, received: random.one(in: 30) ? nil : commits + delay))
    }

    /// Usually zero, and occasionally longer than any lease.
    private var delay: Int64 {
        mutating get { random.one(in: 40) ? Int64(random.below(40_000)) : Int64(random.below(3)) * 100 }
    }

    private mutating func serve() {
        for index in workItems.indices where workItems[index].word == nil && workItems[index].reads <= time {
            workItems[index].word = time + serverOffset
        }
        let due = workItems.filter { $0.commits <= time && $0.word != nil }
        workItems.removeAll { $0.commits <= time && $0.word != nil }
        for workItem in due { commit(workItem) }
    }

    private mutating func commit(_ workItem: WorkItem) {
        let (host, sentAt, word) = (workItem.host, workItem.sentAt, workItem.word ?? 0)
        let apply: (inout Host) -> Void
        switch workItem.kind {
        case .look:
            let seen = serving
            apply = { _ in }
            guard let received = workItem.received else { return lose(workItem) }
            answers.append(
                (received, host, workItem.connection, apply))
            looks.append((received, host, workItem.connection, seen, sentAt))
            return
        case .renew:
            let own = hosts[host].lease.role
            let isCurrent =
                serving.map { $0.host == "\(host)" && own == .serving(generation: $0.generation) } ?? false
            if isCurrent {
                serving?.word += 1
                spoke = word
            }
            apply = { isCurrent ? $0.lease.renewed(sentAt: sentAt) : $0.lease.end() }
        case .takeOver(let seen):
            let silent = time + serverOffset - spoke
            let isOwn = serving?.host == "\(host)"
            let isTime = serving == nil || isOwn || silent >= 20_000 || silent < 0
            guard serving == seen || serving == nil, isTime else {
                apply = { _ in }
                break
            }
            generation += 1
            takeOvers += 1
            generations.append(generation)
            serving = SeenHost(
                host: "\(host)", name: "", session: "\(host)", generation: generation,
                word: 0)
            spoke = time + serverOffset
            let new = generation
            apply = { $0.lease.tookOver(generation: new, sentAt: sentAt) }
        }
        guard let received = workItem.received else { return lose(workItem) }
        answers.append((received, host, workItem.connection, apply))
    }

    /// A lost answer means a broken connection.
    private mutating func lose(_ workItem: WorkItem) {
        if hosts[workItem.host].connection == workItem.connection { breakConnection(workItem.host) }
    }

    private var looks: [(at: Int64, host: Int, connection: Int, seen: SeenHost?, sentAt: MonotonicTime)] = []

    private mutating func receive() {
        for answer in answers where answer.at <= time && hosts[answer.host].frozenUntil <= time {
            guard hosts[answer.host].connection == answer.connection else { continue }
            hosts[answer.host].isWaiting = false
            answer.apply(&hosts[answer.host])
            hosts[answer.host].childrenMay = hosts[answer.host].lease.sendsUntil
        }
        let received = looks.filter { $0.at <= time && hosts[$0.host].frozenUntil <= time }
        answers.removeAll { $0.at <= time && hosts[$0.host].frozenUntil <= time }
        looks.removeAll { $0.at <= time && hosts[$0.host].frozenUntil <= time }
        for look in received where hosts[look.host].connection == look.connection {
            let decision = hosts[look.host].lease.looked(
                at: look.seen, sentAt: look.sentAt, now: clock(look.host))
            if case .takeOver(let seen) = decision { send(.takeOver(seen), look.host) }
        }
    }
}
