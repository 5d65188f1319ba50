import PushModel
import PushSchedule
import Testing

@Suite struct `The ledger and priorities` {
    let t0 = MonotonicTime(nanoseconds: 0)
    let account = AccountID(rawValue: 1)
    let app = AppID(rawValue: 1)

    private func part(_ number: Int64, delivery: Int64, messages: Int64 = 1) -> Part {
        Part(
            id: PartID(rawValue: number), delivery: DeliveryID(rawValue: delivery), app: app,
            messages: MessageID(rawValue: number)...MessageID(rawValue: number + messages - 1),
            firstOrdinal: 1)
    }

    @Test func `urgent messages are granted even if their app has many waiting and outstanding messages`() {
        var ledger = PartLedger(jitter: { $0 })
        _ = ledger.handle(.joined(.a, capacity: 800), at: t0)
        let low = ledger.handle(
            .found(part(1, delivery: 1, messages: 4_900), account, priority: .veryLow), at: t0
        ).reads
        #expect(low.count == 4)
        let urgent = ledger.handle(.found(part(10_000, delivery: 2), account, priority: .veryHigh), at: t0)
            .reads
        #expect(urgent.map(\.source) == [.part(10_000, 10_000...10_000)])
    }

    @Test func `returned credit goes to the highest priority first`() {
        var ledger = PartLedger(jitter: { $0 })
        _ = ledger.handle(.joined(.a, capacity: 8), at: t0)
        var orders = ledger.handle(
            .found(part(1, delivery: 1, messages: 10), account, priority: .low), at: t0
        ).reads
        for (delivery, priority) in [(Int64(2), DeliveryPriority.normal), (3, .veryLow), (4, .low)] {
            orders +=
                ledger.handle(
                    .found(part(delivery * 100, delivery: delivery), account, priority: priority), at: t0
                ).reads
        }
        var order: [Int64] = []
        while !orders.isEmpty {
            let next = orders.removeFirst()
            if case .range(let part, _) = next.source { order.append(part.rawValue) }
            _ = ledger.handle(.filled(next.grant, messages: 1), at: t0)
            orders += ledger.handle(.settled(next.grant, outcomes: 1, requeued: 0), at: t0).reads
        }
        #expect(order.count == 13 && order.last == 300)
        #expect(order.firstIndex(of: 200) == 4, "four of the first were out")
        #expect(order.firstIndex(of: 400).map { $0 < 8 } == true, "deliveries of one priority take turns")
    }

    @Test func `unresponsive accounts, however many, leave an eighth for urgent messages`() {
        var ledger = PartLedger(jitter: { $0 })
        _ = ledger.handle(.joined(.a, capacity: 80), at: t0)
        for number in UInt32(2)...200 {
            _ = ledger.handle(
                .found(part(Int64(number) * 1_000, delivery: 1, messages: 900), AccountID(rawValue: number)),
                at: t0)
        }
        // A small grant is made only after a delay, during which more capacity may have been returned.
        if let moment = ledger.nextMoment { _ = ledger.handle(.tick, at: moment) }
        #expect(ledger.outstanding(of: .a) == 70)
        let urgent = ledger.handle(
            .found(part(1, delivery: 2, messages: 5), account, priority: .high), at: t0
        ).reads
        #expect(urgent.count == 1 && ledger.outstanding(of: .a) == 75)
        #expect(ledger.lacksCredit(at: t0))
    }

    @Test func `urgent messages do not wait for retries, but other messages do`() {
        var ledger = PartLedger(jitter: { $0 })
        _ = ledger.handle(.retriesDue(app, account), at: t0)
        _ = ledger.handle(.found(part(1, delivery: 1), account), at: t0)
        _ = ledger.handle(.found(part(2, delivery: 2), account, priority: .high), at: t0)
        let orders = ledger.handle(.joined(.a, capacity: 80), at: t0).reads
        #expect(orders.map(\.source) == [.part(2, 2...2), .retries(app, limit: 10), .part(1, 1...1)])
    }

    @Test func `urgent parts are found even if their account has more parts than the maximum that may wait`()
    {
        var ledger = PartLedger(maxWaitingRanges: 4, jitter: { $0 })
        for number in Int64(1)...10 { _ = ledger.handle(.found(part(number, delivery: 1), account), at: t0) }
        #expect(ledger.waitingRanges == 4)
        for number in Int64(11)...16 {
            _ = ledger.handle(.found(part(number, delivery: 2), account, priority: .veryHigh), at: t0)
        }
        #expect(ledger.waitingRanges == 8)
        let last = PartID(rawValue: 16)
        #expect(ledger.partsLeftOut(upTo: last, after: nil) == nil)
        var orders = ledger.handle(.joined(.a, capacity: 8), at: t0).reads
        var order: [Int64] = []
        while !orders.isEmpty {
            let next = orders.removeFirst()
            if case .range(let part, _) = next.source { order.append(part.rawValue) }
            _ = ledger.handle(.filled(next.grant, messages: 1), at: t0)
            orders += ledger.handle(.settled(next.grant, outcomes: 1, requeued: 0), at: t0).reads
            guard let search = ledger.partsLeftOut(upTo: last, after: app) else { continue }
            #expect(search.isUrgent == (search.first >= PartID(rawValue: 11)))
            // The store returns the app's parts, whatever their priority.
            let found = (search.first.rawValue...16).filter { !order.contains($0) }.map {
                FoundPart(
                    part: part($0, delivery: $0 > 10 ? 2 : 1), account: account,
                    priority: $0 > 10 ? .veryHigh : .normal)
            }
            orders += ledger.handle(.foundAgain(search, found, next: nil), at: t0).reads
        }
        #expect(order.sorted() == Array(1...16))
        #expect(Set(order.prefix(9)).isSuperset(of: 11...16), "\(order)")
    }

    @Test func `an account with its own capacity reserves an eighth too`() {
        var ledger = PartLedger(jitter: { $0 })
        _ = ledger.handle(.described(account, AccountLimits(ownCapacity: 800)), at: t0)
        _ = ledger.handle(.joined(.a, capacity: 8), at: t0)
        _ = ledger.handle(.found(part(1, delivery: 1, messages: 4_900), account), at: t0)
        #expect(ledger.outstanding(of: .a) == 700)
        let urgent = ledger.handle(
            .found(part(10_000, delivery: 2, messages: 50), account, priority: .high), at: t0)
        #expect(urgent.reads.count == 1 && ledger.outstanding(of: .a) == 750)
    }
}
