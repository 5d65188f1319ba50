import PushMaster
import PushModel
import PushStore
import TestSupport

/// Simulates hosts, their clocks, a server and the network between them, determined by a seed. Each host
/// enters, waits until it may send, writes reports as ``HostCoordinator`` does, leaves, or is killed or
/// frozen. Answers are late, connections break, the server is unavailable for a while, and its clock is set.
/// A step is 100 ms of true time.
///
/// At each step, the simulation checks which hosts are treated as lost, and into how many shares the hosts
/// whose children may begin requests divide the quotas.
struct SharingStory {
    /// Faults of a host, which show that the checks detect them.
    enum Fault: CaseIterable {
        /// The host does not wait until the other hosts have reduced their shares.
        case beginsAtOnce
        /// The host waits, but not for reports from hosts that may not yet know this host.
        case trustsOldWords
        /// The host treats reports that it missed without a connection as silence.
        case forgetsOutages
    }

    /// A host's row on the server.
    private struct Row {
        var session = ""
        var word: Int64 = 0
        /// The time of the host's last report, by the server's clock and in true time.
        var spoke: Int64 = 0
        var spokeAt: Int64 = 0
        var isLive = false
        var leads = false
        var generation: Int64 = 0
        var shares = 0
    }

    /// A report on its way to the server, or the answer on its way back.
    private struct WorkItem {
        var host: Int
        var sentAt: MonotonicTime
        var renews: Bool
        var word: HostReport
        /// The times at which the server commits it and at which the host receives the answer; `nil` if
        /// never.
        var commits: Int64
        var received: Int64?
        var news: HostUpdate?
    }

    private struct Host {
        var lease: HostLease
        var watch = HostWatch(.standard)
        /// The reading of the host's clock at time zero.
        var offset: Int64
        var session = ""
        /// The time at which a process of the host begins; `nil` if it is running.
        var startsAt: Int64? = 0
        var frozenUntil: Int64 = 0
        /// Whether its connection broke while it was frozen. The host learns that afterwards.
        var isBroken = false
        var isWaiting = false
        var nextAt: Int64 = 0
        var looks = 0
        var sends = false
        var shares = 0
        var childrenMay: MonotonicTime?
        /// An event that the host's loop has not processed yet: the number of hosts, with the lease that
        /// accompanied it.
        var untold: (hosts: Int, until: MonotonicTime, at: Int64)?
    }

    private let fault: Fault?
    private var random: SeededRandom
    private var hosts: [Host] = []
    private var rows: [Row]
    private var workItems: [WorkItem] = []
    private var time: Int64 = 0
    private var isCalm = false
    /// State of the server.
    private var (clockOffset, awayUntil, backSince): (Int64, Int64, Int64) = (1_000_000_000, 0, 0)
    private var generation: Int64 = 0
    private var sessions = 0

    /// The times at which all hosts together could exceed the quota.
    private(set) var excesses: [Int64] = []
    /// The times at which a host was treated as lost although it might have sent a report.
    private(set) var wrongEnds: [Int64] = []
    private(set) var (begun, ended, left) = (0, 0, 0)
    /// The fraction of a quota that is currently in use.
    private(set) var sum = 0.0

    init(seed: UInt64, _ fault: Fault? = nil) {
        self.fault = fault
        random = SeededRandom(seed: seed)
        for number in 0..<4 {
            let offset = Int64(random.below(1_000_000))
            hosts.append(Host(lease: HostLease(host: "\(number)"), offset: offset))
        }
        rows = hosts.map { _ in Row() }
    }

    /// - Parameter calm: The time at the end in which hosts only continue and faults no longer occur.
    mutating func run(milliseconds: Int64, calm: Int64) {
        while time < milliseconds + calm {
            time += 100
            isCalm = time >= milliseconds
            if !isCalm { happen() }
            serve()
            for host in hosts.indices where hosts[host].frozenUntil <= time { act(host) }
            // Children use their own clock, and are not frozen with their master.
            sum = hosts.indices.reduce(0) { sum, host in
                guard hosts[host].sends, hosts[host].childrenMay.map({ clock(host) < $0 }) ?? false else {
                    return sum
                }
                return sum + 1 / Double(hosts[host].shares)
            }
            if sum > 1.000_001 { excesses.append(time) }
        }
    }

    private func clock(_ host: Int) -> MonotonicTime {
        MonotonicTime(nanoseconds: 0).advanced(byMilliseconds: time + hosts[host].offset)
    }
    private var serverClock: Int64 { time + clockOffset }
    private var isAway: Bool { time < awayUntil }

    // MARK: What happens to them

    private mutating func happen() {
        let host = random.below(hosts.count)
        switch random.below(300) {
        case 0: hosts[host].frozenUntil = time + Int64(random.below(60_000))
        case 1...2: breakConnection(host)
        case 3:
            awayUntil = max(awayUntil, time + Int64(random.below(60_000)))
            backSince = awayUntil
            for host in hosts.indices { breakConnection(host) }
        case 4: clockOffset += Int64(random.below(120_000)) - 60_000
        case 5...6: sayGoodbye(host)
        case 7...9: end(host, startsAfter: 3_000 + Int64(random.below(60_000)))
        default: break
        }
    }

    /// Discards requests that the server had not yet begun.
    private mutating func breakConnection(_ host: Int) {
        workItems.removeAll { $0.host == host }
        hosts[host].isBroken = hosts[host].frozenUntil > time
        guard !hosts[host].isBroken else { return }
        hosts[host].isWaiting = false
        hosts[host].nextAt = time + 1_000
        guard fault != .forgetsOutages else { return }
        hosts[host].lease.lostConnection()
        hosts[host].watch.lostConnection()
    }

    /// Ends the host's process together with its children.
    private mutating func end(_ host: Int, startsAfter milliseconds: Int64) {
        guard hosts[host].startsAt == nil else { return }
        workItems.removeAll { $0.host == host }
        let offset = hosts[host].offset
        hosts[host] = Host(lease: HostLease(host: "\(host)"), offset: offset)
        hosts[host].startsAt = time + milliseconds
    }

    /// The children have ended before the goodbye is sent. Often another process begins at once.
    private mutating func sayGoodbye(_ host: Int) {
        guard hosts[host].startsAt == nil, hosts[host].frozenUntil <= time, !isAway else { return }
        if rows[host].session == hosts[host].session {
            (rows[host].isLive, rows[host].leads) = (false, false)
        }
        left += 1
        end(host, startsAfter: Int64(random.below(5_000)))
    }

    // MARK: The server

    private mutating func serve() {
        guard !isAway else { return }
        for index in workItems.indices where workItems[index].news == nil && workItems[index].commits <= time
        {
            workItems[index].news = commit(workItems[index])
        }
        for workItem in workItems where workItem.news != nil && workItem.received == nil {
            breakConnection(workItem.host)
        }
    }

    private mutating func commit(_ workItem: WorkItem) -> HostUpdate {
        let (host, session) = (workItem.host, hosts[workItem.host].session)
        guard rows[host].isLive, rows[host].session == session, rows[host].leads == workItem.renews else {
            return HostUpdate(hasPlace: false)
        }
        speak(host)
        rows[host].word += 1
        rows[host].shares = workItem.word.shares
        let others = rows.indices.filter { $0 != host && rows[$0].isLive }.map {
            LiveHost(seen($0), leads: rows[$0].leads, shares: rows[$0].shares)
        }
        return HostUpdate(hasPlace: true, others: others, storeMilliseconds: serverClock)
    }

    private mutating func speak(_ host: Int) { (rows[host].spoke, rows[host].spokeAt) = (serverClock, time) }

    private func seen(_ host: Int) -> SeenHost {
        let row = rows[host]
        return SeenHost(
            host: "\(host)", name: "", session: row.session, generation: row.generation, word: row.word)
    }

    /// Whether the observed report is unchanged and the time has passed by the server's clock.
    private func isSilent(_ host: Int, since seen: SeenHost) -> Bool {
        let silent = serverClock - rows[host].spoke
        return self.seen(host) == seen && rows[host].isLive && (silent >= 20_000 || silent < 0)
    }

    private mutating func take(placeOf host: Int) {
        // A host that queries every second receives an answer no later than one second after the server is
        // back.
        if time - rows[host].spokeAt < 20_000 || time - backSince < 18_500 { wrongEnds.append(time) }
        (rows[host].isLive, rows[host].leads) = (false, false)
        ended += 1
    }

    private mutating func takeOver(from seen: SeenHost?, by host: Int) {
        let leader = rows.indices.first { rows[$0].isLive && rows[$0].leads }
        guard rows[host].isLive, rows[host].session == hosts[host].session else { return }
        if let leader, leader != host {
            guard let seen, isSilent(leader, since: seen) else { return }
            take(placeOf: leader)
        }
        generation += 1
        speak(host)
        (rows[host].leads, rows[host].generation) = (true, generation)
        hosts[host].lease.tookOver(generation: generation, sentAt: clock(host))
    }

    // MARK: A host

    private mutating func act(_ host: Int) {
        if let starts = hosts[host].startsAt {
            guard starts <= time, !isAway else { return }
            sessions += 1
            hosts[host].startsAt = nil
            hosts[host].session = "\(sessions)"
            let (word, generation) = (rows[host].word + 1, rows[host].generation)
            rows[host] = Row(session: "\(sessions)", word: word, isLive: true, generation: generation)
            speak(host)
        }
        if hosts[host].isBroken { breakConnection(host) }
        if let index = workItems.firstIndex(where: { $0.host == host && ($0.received ?? .max) <= time }),
            let news = workItems[index].news
        {
            let workItem = workItems.remove(at: index)
            hosts[host].isWaiting = false
            hosts[host].nextAt = time + 1_000
            receive(news, workItem, host)
        }
        if let untold = hosts[host].untold, untold.at <= time {
            hosts[host].untold = nil
            hosts[host].shares = untold.hosts
            hosts[host].childrenMay = untold.until
        }
        guard hosts[host].startsAt == nil, !hosts[host].isWaiting, hosts[host].nextAt <= time else { return }
        say(host)
    }

    private mutating func say(_ host: Int) {
        guard !isAway else { return breakConnection(host) }
        hosts[host].isWaiting = true
        var word = HostReport()
        if hosts[host].sends { (word.sends, word.shares) = (true, hosts[host].shares) }
        var renews = false
        if case .serving = hosts[host].lease.role { renews = true }
        let commits = time + delay
        workItems.append(
            WorkItem(
                host: host, sentAt: clock(host), renews: renews, word: word, commits: commits,
                received: !isCalm && random.one(in: 50) ? nil : commits + delay))
    }

    /// Usually zero, and occasionally longer than any lease.
    private var delay: Int64 {
        mutating get {
            guard !isCalm, random.one(in: 40) else { return Int64(random.below(3)) * 100 }
            return Int64(random.below(random.one(in: 3) ? 40_000 : 5_000))
        }
    }

    private mutating func receive(_ news: HostUpdate, _ workItem: WorkItem, _ host: Int) {
        guard news.hasPlace else { return end(host, startsAfter: 500) }
        hosts[host].lease.renewed(sentAt: workItem.sentAt)
        hosts[host].looks += 1
        let now = clock(host)
        let until = workItem.sentAt.advanced(byMilliseconds: HostLease.Times.standard.sendingMilliseconds)
        let silent = hosts[host].watch.looked(at: news.others, sentAt: workItem.sentAt, now: now)
        let decision = hosts[host].lease.looked(at: news.leader, sentAt: workItem.sentAt, now: now)
        if case .takeOver(let seen) = decision, !isAway { takeOver(from: seen, by: host) }
        if workItem.renews, !isAway {
            for seen in silent {
                guard let other = Int(seen.host), !rows[other].leads, isSilent(other, since: seen) else {
                    continue
                }
                take(placeOf: other)
            }
        }
        if hosts[host].sends {
            let at = hosts[host].untold?.at ?? (time + (random.one(in: 20) ? Int64(random.below(3_000)) : 0))
            hosts[host].untold = (news.others.count + 1, until, at)
        } else if hasRoom(host, news) {
            begun += 1
            (hosts[host].sends, hosts[host].shares) = (true, hosts[host].watch.shares)
            (hosts[host].childrenMay, hosts[host].nextAt) = (until, time)
        }
    }

    private func hasRoom(_ host: Int, _ news: HostUpdate) -> Bool {
        var isLed = news.leader != nil
        if case .serving = hosts[host].lease.role { isLed = true }
        guard isLed else { return false }
        switch fault {
        case .beginsAtOnce: return true
        case .trustsOldWords:
            let mine = news.others.count + 1
            return hosts[host].looks >= 4
                && news.others.allSatisfy { $0.shares == 0 || $0.shares >= mine }
        case .forgetsOutages, nil: return hosts[host].watch.hasRoom
        }
    }
}
