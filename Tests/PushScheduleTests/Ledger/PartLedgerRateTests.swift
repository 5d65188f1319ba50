import PushModel
import PushSchedule
import Testing

@Suite struct `The ledger and deliveries with a rate` {
    let t0 = MonotonicTime(nanoseconds: 0)
    let account = AccountID(rawValue: 1)
    let slow = DeliveryID(rawValue: 1)
    let other = DeliveryID(rawValue: 2)

    func part(_ number: Int64, of delivery: DeliveryID, count: Int64 = 1_000, app: Int64 = 1) -> Part {
        let first = number * 10_000
        return Part(
            id: PartID(rawValue: number), delivery: delivery, app: AppID(rawValue: app),
            messages: MessageID(rawValue: first)...MessageID(rawValue: first + count - 1), firstOrdinal: 1)
    }

    /// Immediately fills and answers all grants until the given time, and returns the number of messages for
    /// each delivery.
    func granted(
        _ ledger: inout PartLedger, from start: Int64 = 0, untilMilliseconds end: Int64, step: Int64 = 5,
        first: [PartLedger.Action] = []
    ) -> [DeliveryID: Int] {
        var granted: [DeliveryID: Int] = [:]
        var actions = first
        for passed in stride(from: start, through: end, by: Int64.Stride(step)) {
            let now = t0.advanced(byMilliseconds: passed)
            actions += ledger.handle(.tick, at: now)
            while let order = actions.reads.first {
                actions.removeAll { $0 == .read(order) }
                guard case .range(_, let range) = order.source else { continue }
                let delivery = range.lowerBound.rawValue < 500_000 ? slow : other
                granted[delivery, default: 0] += order.source.count
                let count = order.source.count
                actions += ledger.handle(.filled(order.grant, messages: count, of: delivery), at: now)
                actions += ledger.handle(.settled(order.grant, outcomes: count, requeued: 0), at: now)
            }
        }
        return granted
    }

    @Test(arguments: [50, 2_000, 50_000])
    func `all accounts of a delivery share its rate, and other waiting work continues`(rate: Int) {
        var ledger = PartLedger(maxWaitingRanges: 10_000, jitter: { $0 })
        _ = ledger.handle(.limited(slow, perSecond: rate), at: t0)
        _ = ledger.handle(.joined(.a, capacity: 80_000), at: t0)
        var actions: [PartLedger.Action] = []
        // Parts of three apps, each with its own account.
        for number in Int64(1)...49 {
            let count = Int64(9_999)
            let app = number % 3 + 1
            let account = AccountID(rawValue: UInt32(app))
            actions += ledger.handle(.found(part(number, of: slow, count: count, app: app), account), at: t0)
        }
        for number in Int64(50)...99 {
            actions += ledger.handle(.found(part(number, of: other, app: 1), account), at: t0)
        }
        let granted = granted(&ledger, untilMilliseconds: 8_000, first: actions)
        let sum = granted[slow] ?? 0
        #expect(sum <= rate * 8 + 1 && Double(sum) >= Double(rate) * 8 * 0.97, "\(sum)")
        #expect(granted[other] == 50_000)
    }

    @Test
    func `the ledger reports whether due messages wait for their rate, their quota or room in the children`()
    {
        var ledger = PartLedger(jitter: { $0 })
        #expect(ledger.wait(of: account, at: t0) == nil)
        _ = ledger.handle(.found(part(1, of: slow), account), at: t0)
        #expect(ledger.wait(of: account, at: t0) == .room, "there is no child")
        _ = ledger.handle([.limited(slow, perSecond: 10), .joined(.a, capacity: 8_000)], at: t0)
        #expect(ledger.wait(of: account, at: t0) == .rate)
        #expect(ledger.deliveriesAtRate == [slow])
        #expect(ledger.reading == [account: 1])
        _ = ledger.handle(.found(part(60, of: other), account), at: t0)
        #expect(ledger.wait(of: account, at: t0) == .rate, "the other delivery is granted completely")
        #expect(ledger.reading == [account: 1_001])

        var limited = PartLedger(jitter: { $0 })
        let terms = AccountLimits(quota: TokenBucket(messagesPerMinute: 600, rampUpSeconds: 0))
        _ = limited.handle([.described(account, terms), .joined(.a, capacity: 8_000)], at: t0)
        _ = limited.handle(.found(part(1, of: slow), account), at: t0)
        #expect(limited.wait(of: account, at: t0) == .quota)
        #expect(limited.deliveriesAtRate.isEmpty)
    }

    @Test func `messages that one child sends too slowly for the rate are granted to another child`() {
        var ledger = PartLedger(jitter: { $0 })
        for child in [ChildID.a, .b] { _ = ledger.handle(.joined(child, capacity: 8_000), at: t0) }
        _ = ledger.handle(.limited(slow, perSecond: 100), at: t0)
        var actions = ledger.handle(.found(part(1, of: slow, count: 4_900), account), at: t0)
        // The first child sends 60 messages a second, and the second child sends everything that it receives.
        var held: [ChildID: [GrantID]] = [:]
        var (granted, most) = ([ChildID: Int](), 0)
        for passed in stride(from: Int64(0), through: 20_000, by: 5) {
            let now = t0.advanced(byMilliseconds: passed)
            actions += ledger.handle(.tick, at: now)
            for order in actions.reads {
                let count = order.source.count
                granted[order.child, default: 0] += count
                actions += ledger.handle(.filled(order.grant, messages: count, of: slow), at: now)
                held[order.child, default: []] += Array(repeating: order.grant, count: count)
            }
            actions = []
            var answered = held.removeValue(forKey: .b) ?? []
            if passed % 50 == 0, var slowly = held[.a] {
                answered += slowly.prefix(3)
                slowly.removeFirst(min(3, slowly.count))
                held[.a] = slowly
            }
            for grant in answered {
                actions += ledger.handle(.settled(grant, outcomes: 1, requeued: 0), at: now)
            }
            most = max(most, held[.a]?.count ?? 0)
        }
        let sum = granted.values.reduce(0, +)
        #expect((1_960...2_001).contains(sum))
        #expect(most <= 60, "half a second's worth and a grant")
        #expect(granted[.a, default: 0] >= 600, "it continues to send")
    }

    @Test func `the last messages in an almost finished part are sent soon`() {
        var ledger = PartLedger(jitter: { $0 })
        _ = ledger.handle(.joined(.a, capacity: 8_000), at: t0)
        _ = ledger.handle(.limited(slow, perSecond: 20), at: t0)
        var actions = ledger.handle(.found(part(1, of: slow, count: 3_000), account), at: t0)
        var first: Int64?
        for passed in 0...20_000 where first == nil {
            let now = t0.advanced(byMilliseconds: Int64(passed))
            actions += ledger.handle(.tick, at: now)
            let orders = actions.reads
            actions = []
            for order in orders {
                guard case .range(_, let range) = order.source else { continue }
                // All messages before the last 500 have been sent.
                let count = range.upperBound.rawValue >= 12_500 ? order.source.count : 0
                if count > 0 { first = first ?? Int64(passed) }
                actions += ledger.handle(.filled(order.grant, messages: count, of: slow), at: now)
            }
        }
        #expect((first ?? .max) < 6_000, "of 2 500 messages two at a time, one grant each few milliseconds")
    }

    @Test
    func `each account gets a turn at the rate, and no account waits for all messages of another account`() {
        var ledger = PartLedger(jitter: { $0 })
        _ = ledger.handle(.limited(slow, perSecond: 100), at: t0)
        _ = ledger.handle(.joined(.a, capacity: 800), at: t0)
        var actions: [PartLedger.Action] = []
        for app in Int64(1)...3 {
            let account = AccountID(rawValue: UInt32(app))
            actions += ledger.handle(.found(part(app, of: slow, app: app), account), at: t0)
        }
        var counts: [AccountID: Int] = [:]
        for passed in stride(from: Int64(0), through: 6_000, by: 5) {
            let now = t0.advanced(byMilliseconds: passed)
            actions += ledger.handle(.tick, at: now)
            while let order = actions.reads.first {
                actions.removeAll { $0 == .read(order) }
                let count = order.source.count
                counts[order.account, default: 0] += count
                actions += ledger.handle(.filled(order.grant, messages: count, of: slow), at: now)
                actions += ledger.handle(.settled(order.grant, outcomes: count, requeued: 0), at: now)
            }
        }
        #expect(counts.count == 3 && counts.values.allSatisfy { (180...220).contains($0) }, "\(counts)")
    }

    @Test func `work that waits for a share of the rate keeps its place and is not looked up until then`() {
        var ledger = PartLedger(jitter: { $0 })
        _ = ledger.handle(.limited(slow, perSecond: 10), at: t0)
        _ = ledger.handle(.joined(.a, capacity: 800), at: t0)
        let first = ledger.handle(.found(part(1, of: slow), account), at: t0).reads
        #expect(first.map(\.source.count) == [1])
        #expect(first[0].allowances == [slow: 1])
        #expect(ledger.waitingRanges == 1)
        let next = ledger.nextMoment
        #expect(next == t0.advanced(byMilliseconds: 100))
        #expect(ledger.handle(.tick, at: t0.advanced(byMilliseconds: 99)).isEmpty)
        #expect(!ledger.lacksCredit(at: t0), "another child would not help")
        _ = ledger.handle(.filled(first[0].grant, messages: 1, of: slow), at: t0)
        let second = ledger.handle(.tick, at: t0.advanced(byMilliseconds: 100)).reads
        #expect(second.map(\.source) == [.part(1, 10_001...10_001)])
        // A delivery without a rate does not wait because of another delivery's rate, and has no allowances.
        let others = ledger.handle(.found(part(60, of: other, count: 10), account), at: t0).reads
        #expect(others.map(\.source.count) == [10] && others[0].allowances.isEmpty)
    }

    @Test func `the allowance for messages that were not read or not sent may be used again`() {
        var ledger = PartLedger(jitter: { $0 })
        _ = ledger.handle(.joined(.a, capacity: 800), at: t0)
        _ = ledger.handle(.limited(slow, perSecond: 100), at: t0)
        let now = t0.advanced(bySeconds: 1)
        let order = ledger.handle(.found(part(1, of: slow), account), at: now).reads
        #expect(order.map(\.source.count) == [10])
        let again = ledger.handle(.unread(order[0].grant), at: now).reads
        #expect(again.map(\.source.count) == [], "it lets its turn pass until there is enough")
        let later = now.advanced(byMilliseconds: 20)
        let third = ledger.handle(.tick, at: later).reads
        #expect(third.map(\.source.count) == [10])
        _ = ledger.handle(.filled(third[0].grant, messages: 10, of: slow), at: later)
        _ = ledger.handle(.settled(third[0].grant, outcomes: 10, requeued: 6), at: later)
        let last = later.advanced(byMilliseconds: 20)
        #expect(ledger.handle(.tick, at: last).reads.map(\.source.count) == [8])
    }

    @Test func `unassigned retries count against the rate and block further grants for the delivery`() {
        var ledger = PartLedger(jitter: { $0 })
        let app = AppID(rawValue: 1)
        _ = ledger.handle(.joined(.a, capacity: 800), at: t0)
        _ = ledger.handle(.limited(slow, perSecond: 100), at: t0)
        let now = t0.advanced(bySeconds: 1)
        let retries = ledger.handle(.retriesDue(app, account), at: now).reads
        #expect(retries.map(\.allowances) == [[slow: 10]])
        #expect(ledger.handle(.found(part(1, of: slow), account), at: now).reads.isEmpty)
        // Seven retries of the delivery were due. The first pass may use the rest of the allowance.
        let next = ledger.handle(.filled(retries[0].grant, messages: 7, of: slow), at: now).reads
        #expect(next.map(\.allowances) == [[slow: 3]])
        _ = ledger.handle(.filled(next[0].grant, messages: 0), at: now)
        let later = now.advanced(byMilliseconds: 20)
        #expect(ledger.handle(.tick, at: later).reads.map(\.source.count) == [5])
    }

    @Test func `an app whose due retries are all limited by a rate is queried again when there is a share`() {
        var ledger = PartLedger(jitter: { $0 })
        let app = AppID(rawValue: 1)
        _ = ledger.handle(.joined(.a, capacity: 800), at: t0)
        _ = ledger.handle(.limited(slow, perSecond: 10), at: t0)
        let first = ledger.handle(.retriesDue(app, account), at: t0).reads
        #expect(first.map(\.allowances) == [[slow: 1]])
        let second = ledger.handle(.filled(first[0].grant, messages: 1, of: slow), at: t0).reads
        #expect(second.map(\.allowances) == [[slow: 0]], "others may be due")
        #expect(ledger.handle(.filled(second[0].grant, messages: 0, limited: slow), at: t0).reads.isEmpty)
        #expect(ledger.handle(.tick, at: t0.advanced(byMilliseconds: 90)).reads.isEmpty)
        let third = ledger.handle(.tick, at: t0.advanced(byMilliseconds: 100)).reads
        #expect(third.map(\.allowances) == [[slow: 1]])
        // No message is due any more.
        let now = t0.advanced(byMilliseconds: 100)
        #expect(ledger.handle(.filled(third[0].grant, messages: 0), at: now).reads.isEmpty)
        _ = ledger.handle(.settled(first[0].grant, outcomes: 1, requeued: 0), at: now)
        #expect(ledger.rests(account))
    }

    @Test
    func `the rate ends with its delivery, and a pause also applies to messages that wait for the rate`() {
        var ledger = PartLedger(jitter: { $0 })
        _ = ledger.handle(.joined(.a, capacity: 800), at: t0)
        _ = ledger.handle(.limited(slow, perSecond: 1), at: t0)
        let first = ledger.handle(.found(part(1, of: slow), account), at: t0).reads
        #expect(first.count == 1 && ledger.waitingRanges == 1)
        _ = ledger.handle(.deliveryPaused(slow), at: t0)
        #expect(ledger.waitingRanges == 0)
        _ = ledger.handle(.deliveryResumed(slow), at: t0)
        #expect(ledger.waitingRanges == 1)
        _ = ledger.handle(.finished(slow), at: t0)
        #expect(ledger.waitingRanges == 0 && ledger.nextMoment == nil)
        // The delivery is sent again, and its rate has not been set yet.
        _ = ledger.handle(.filled(first[0].grant, messages: 0), at: t0)
        #expect(ledger.handle(.found(part(2, of: slow, count: 50), account), at: t0).reads.count == 1)
    }

    @Test
    func
        `suspects from other deliveries are granted even if a suspect that waits for its rate precedes them`()
    {
        var ranges = WaitingRanges()
        ranges.add(WaitingRangesTests.range(1, 1...10, delivery: 1))
        ranges.add(WaitingRangesTests.range(2, 11...20, delivery: 1, losses: Losses.harmless))
        ranges.add(WaitingRangesTests.range(3, 21...30, delivery: 2, losses: Losses.harmless))
        ranges.rest(DeliveryID(rawValue: 1))
        #expect(ranges.next?.part.rawValue == 3)
        #expect(ranges.take(4)?.messages.upperBound.rawValue == 24)
        #expect(ranges.take(100)?.messages.lowerBound.rawValue == 25)
        #expect(ranges.next == nil && ranges.count == 2 && !ranges.isEmpty)
        ranges.resume(DeliveryID(rawValue: 1))
        #expect(ranges.take(100)?.part.rawValue == 1)
        #expect(ranges.take(100)?.part.rawValue == 2)
        #expect(ranges.isEmpty)
    }

    @Test func `a delivery that waits for its rate is not urgent, whatever its priority`() {
        var ranges = WaitingRanges()
        ranges.add(WaitingRangesTests.range(1, 1...10, delivery: 1, priority: .veryHigh))
        ranges.add(WaitingRangesTests.range(2, 11...20, delivery: 2))
        ranges.rest(DeliveryID(rawValue: 1))
        #expect(!ranges.hasUrgent && ranges.next?.part.rawValue == 2)
        // Ranges that arrive meanwhile wait together with the earlier range.
        ranges.add(WaitingRangesTests.range(3, 21...30, delivery: 1, priority: .veryHigh))
        #expect(ranges.next?.part.rawValue == 2)
        #expect(ranges.removeAll(of: DeliveryID(rawValue: 1)).count == 2)
        ranges.add(WaitingRangesTests.range(4, 31...40, delivery: 1, priority: .veryHigh))
        #expect(ranges.next?.part.rawValue == 4, "nothing of it rested any more")
    }
}
