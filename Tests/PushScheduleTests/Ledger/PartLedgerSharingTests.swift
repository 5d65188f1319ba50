import PushModel
import PushSchedule
import Testing

/// Tests with the ledgers of several hosts: each grants its share of quotas and rates.
@Suite struct PartLedgerSharingTests {
    private let t0 = MonotonicTime(nanoseconds: 0)
    private let account = AccountID(rawValue: 1)
    private let delivery = DeliveryID(rawValue: 1)

    /// A ledger with a child and more messages than it may grant. All grants are filled and answered
    /// immediately.
    private struct Host {
        private var ledger = PartLedger(maxWaitingRanges: 10_000, jitter: { $0 })
        private var actions: [PartLedger.Action] = []

        init(at moment: MonotonicTime) {
            tell(.joined(ChildID(rawValue: 1), capacity: 80_000), at: moment)
        }

        /// Adds fifty parts of a delivery, which are granted when the limit permits.
        mutating func find(_ delivery: DeliveryID, _ account: AccountID, at moment: MonotonicTime) {
            for number in Int64(1)...50 {
                let first = (delivery.rawValue * 100 + number) * 10_000
                let part = Part(
                    id: PartID(rawValue: first), delivery: delivery,
                    app: AppID(rawValue: Int64(account.rawValue)),
                    messages: MessageID(rawValue: first)...MessageID(rawValue: first + 9_998),
                    firstOrdinal: 1)
                tell(.found(part, account), at: moment)
            }
        }

        mutating func tell(_ event: PartLedger.Event, at moment: MonotonicTime) {
            actions += ledger.handle(event, at: moment)
        }

        /// - Returns: The number of messages that were granted by this moment.
        mutating func granted(of delivery: DeliveryID, at moment: MonotonicTime) -> Int {
            tell(.tick, at: moment)
            var granted = 0
            while let order = actions.reads.first {
                actions.removeAll { $0 == .read(order) }
                granted += order.source.count
                let count = order.source.count
                tell(.filled(order.grant, messages: count, of: delivery), at: moment)
                tell(.settled(order.grant, outcomes: count, requeued: 0), at: moment)
            }
            return granted
        }
    }

    /// The limit that both hosts share: a quota of the account or a rate of the delivery.
    enum Limit: CaseIterable { case quota, rate }
    private static let perSecond = 1_000

    private func host(_ limit: Limit, among hosts: Int?, at moment: MonotonicTime) -> Host {
        var host = Host(at: moment)
        if let hosts { host.tell(.shared(among: hosts), at: moment) }
        switch limit {
        case .quota:
            let bucket = TokenBucket(messagesPerMinute: Self.perSecond * 60, rampUpSeconds: 0)
            host.tell(.described(account, AccountLimits(quota: bucket)), at: moment)
        case .rate: host.tell(.limited(delivery, perSecond: Self.perSecond), at: moment)
        }
        host.find(delivery, account, at: moment)
        return host
    }

    @Test(arguments: Limit.allCases)
    func `two hosts together grant no more than one host alone, and a single host grants everything`(
        limit: Limit
    ) {
        let step = 10
        var a = host(limit, among: nil, at: t0)
        var b: Host?
        var granted: [Int] = []
        for number in 0..<4_500 {
            let now = t0.advanced(byMilliseconds: Int64(number * step))
            if number == 1_500 {
                a.tell(.shared(among: 2), at: now)
                b = host(limit, among: 2, at: now)
            }
            if number == 3_000 {
                b = nil
                a.tell(.shared(among: 1), at: now)
            }
            let own = a.granted(of: delivery, at: now)
            granted.append(own + (b?.granted(of: delivery, at: now) ?? 0))
        }
        let ten = Self.perSecond * 10
        for start in stride(from: 0, through: granted.count - 1_000, by: 50) {
            let sum = granted[start..<(start + 1_000)].reduce(0, +)
            #expect(Double(sum) <= Double(ten) * 1.05, "from step \(start)")
        }
        for end in [1_500, 3_000, 4_500] {
            let sum = granted[(end - 1_000)..<end].reduce(0, +)
            #expect(Double(sum) >= Double(ten) * 0.9, "up to step \(end)")
        }
    }

    @Test(arguments: Limit.allCases)
    func `a limit that is set after the hosts were counted is shared too`(limit: Limit) {
        var host = host(limit, among: 4, at: t0)
        var sum = 0
        for number in 0..<1_000 {
            sum += host.granted(of: delivery, at: t0.advanced(byMilliseconds: Int64(number) * 10))
        }
        #expect(sum <= 2_500 + 130 && sum >= 2_300, "\(sum)")
    }

    @Test
    func `no more is granted from a part that another host has claimed, and other waiting work continues`() {
        var ledger = PartLedger(jitter: { $0 })
        _ = ledger.handle(.limited(delivery, perSecond: 10), at: t0)
        _ = ledger.handle(.joined(ChildID(rawValue: 1), capacity: 800), at: t0)
        var actions: [PartLedger.Action] = []
        for number in Int64(1)...2 {
            let part = Part(
                id: PartID(rawValue: number), delivery: delivery, app: AppID(rawValue: 1),
                messages: MessageID(rawValue: number * 1_000)...MessageID(rawValue: number * 1_000 + 99),
                firstOrdinal: 1)
            actions += ledger.handle(.found(part, account), at: t0)
        }
        #expect(ledger.waitingRanges == 2)
        let order = actions.reads[0]
        guard case .range(let other, _) = order.source else {
            Issue.record("not of a part")
            return
        }
        _ = ledger.handle(.elsewhere(other), at: t0)
        #expect(ledger.waitingRanges == 1)
        let last = ledger.handle(.filled(order.grant, messages: 0), at: t0)
        #expect(last.contains(.partDone(other)))
        // If the event is repeated for a part that is not known, it changes nothing.
        #expect(ledger.handle(.elsewhere(other), at: t0).isEmpty && ledger.waitingRanges == 1)
        let rest = (last + ledger.handle(.tick, at: t0.advanced(bySeconds: 1))).reads
        #expect(
            !rest.isEmpty && rest.allSatisfy { if case .range(other, _) = $0.source { false } else { true } })
    }

    @Test func `work that waits for its share of a rate is granted sooner if the share grows`() {
        var host = Host(at: t0)
        host.tell(.shared(among: 10), at: t0)
        host.tell(.limited(delivery, perSecond: 10), at: t0)
        host.find(delivery, account, at: t0)
        #expect(host.granted(of: delivery, at: t0) == 1)
        #expect(host.granted(of: delivery, at: t0.advanced(byMilliseconds: 500)) == 0, "one a second")
        let moment = t0.advanced(byMilliseconds: 510)
        host.tell(.shared(among: 1), at: moment)
        #expect(host.granted(of: delivery, at: moment.advanced(byMilliseconds: 100)) >= 1)
    }

    @Test func `an invalid number of hosts counts as one host`() {
        var host = host(.quota, among: 0, at: t0)
        var sum = 0
        for number in 0..<200 {
            sum += host.granted(of: delivery, at: t0.advanced(byMilliseconds: Int64(number) * 10))
        }
        #expect(sum >= 1_700 && sum <= 2_000, "\(sum)")
    }
}
