import PushModel
import PushSchedule
import Testing

@Suite struct `The ledger's search for parts` {
    let t0 = MonotonicTime(nanoseconds: 0)
    let account = AccountID(rawValue: 1)
    let other = AccountID(rawValue: 2)
    let one = AppID(rawValue: 1)
    let two = AppID(rawValue: 2)

    /// Returns a part with a single message.
    func part(_ number: Int64, _ app: AppID, delivery: Int64 = 1) -> Part {
        let message = MessageID(rawValue: number)
        return Part(
            id: PartID(rawValue: number), delivery: DeliveryID(rawValue: delivery), app: app,
            messages: message...message, firstOrdinal: number)
    }

    @Test func `the parts of a stopped account, however many, do not hide another account's parts`() {
        var ledger = PartLedger(jitter: { $0 })
        _ = ledger.handle(.joined(.a, capacity: 800), at: t0)
        _ = ledger.handle(.stopped(account, reason: "storm"), at: t0)
        for number in 1...10_000 { _ = ledger.handle(.found(part(Int64(number), one), account), at: t0) }
        #expect(ledger.waitingRanges == PartLedger.maxWaitingRanges)
        #expect(ledger.partsLeftOut(upTo: PartID(rawValue: 10_000), after: nil) == nil, "it has no room yet")
        let reads = ledger.handle(.found(part(10_001, two), other), at: t0).reads
        #expect(reads.map(\.account) == [other])
    }

    @Test func `skipped parts are found again once when half of the waiting parts are gone`() {
        var ledger = PartLedger(maxWaitingRanges: 10, jitter: { $0 })
        var found: [Int64] = []
        var leftOut: [PartID] = []
        for number in Int64(1)...30 {
            let actions = ledger.handle(.found(part(number, one), account), at: t0)
            leftOut += actions.compactMap { if case .leftOut(let part) = $0 { part } else { nil } }
        }
        #expect(leftOut.map(\.rawValue) == Array(11...30))
        let last = PartID(rawValue: 30)
        #expect(ledger.partsLeftOut(upTo: last, after: nil) == nil)

        var orders = ledger.handle(.joined(.a, capacity: 80), at: t0).reads
        while !orders.isEmpty || ledger.partsLeftOut(upTo: last, after: nil) != nil {
            if let search = ledger.partsLeftOut(upTo: last, after: nil) {
                #expect(ledger.waitingRanges <= 5)
                // Four parts per page.
                let first = search.first.rawValue
                let page = (first..<min(first + 4, 31)).map {
                    FoundPart(part: part($0, one), account: account, priority: .normal)
                }
                let next = first + 4 <= 30 ? PartID(rawValue: first + 4) : nil
                orders += ledger.handle(.foundAgain(search, page, next: next), at: t0).reads
                #expect(ledger.waitingRanges <= 10)
            }
            guard !orders.isEmpty else { continue }
            let order = orders.removeFirst()
            if case .range(_, let range) = order.source { found.append(range.lowerBound.rawValue) }
            _ = ledger.handle(.filled(order.grant, messages: 1), at: t0)
            orders += ledger.handle(.settled(order.grant, outcomes: 1, requeued: 0), at: t0).reads
        }
        #expect(found == Array(1...30))
        #expect(ledger.waitingRanges == 0)
    }

    @Test func `while parts of an app are skipped, later parts are skipped too, and each keeps its turn`() {
        var ledger = PartLedger(maxWaitingRanges: 2, jitter: { $0 })
        for number in Int64(1)...3 { _ = ledger.handle(.found(part(number, one), account), at: t0) }
        // The account has room again before the search for all parts reaches the next one.
        for order in ledger.handle(.joined(.a, capacity: 80), at: t0).reads {
            _ = ledger.handle(.filled(order.grant, messages: 1), at: t0)
        }
        #expect(ledger.handle(.found(part(4, one), account), at: t0) == [.leftOut(PartID(rawValue: 4))])
        let search = ledger.partsLeftOut(upTo: PartID(rawValue: 4), after: nil)
        #expect(search == .init(app: one, first: PartID(rawValue: 3)))
        #expect(
            ledger.partsLeftOut(upTo: PartID(rawValue: 2), after: nil) == nil, "that search finds them itself"
        )
        let found = [3, 4].map { FoundPart(part: part($0, one), account: account, priority: .normal) }
        let reads = ledger.handle(
            .foundAgain(.init(app: one, first: PartID(rawValue: 3)), found, next: nil), at: t0
        ).reads
        #expect(reads.map(\.source) == [.part(3, 3...3), .part(4, 4...4)])
        #expect(ledger.partsLeftOut(upTo: PartID(rawValue: 4), after: nil) == nil)
    }

    @Test
    func `apps take turns with skipped parts, and an app that moves to another account has capacity there`() {
        var ledger = PartLedger(maxWaitingRanges: 1, jitter: { $0 })
        let last = PartID(rawValue: 9)
        for number in Int64(1)...4 {
            _ = ledger.handle(.found(part(number, number % 2 == 1 ? one : two), account), at: t0)
        }
        #expect(ledger.partsLeftOut(upTo: last, after: nil) == nil)
        _ = ledger.handle(.moved(two, to: other), at: t0)
        #expect(ledger.partsLeftOut(upTo: last, after: nil) == .init(app: two, first: PartID(rawValue: 2)))
        _ = ledger.handle(.joined(.a, capacity: 80), at: t0)
        #expect(ledger.partsLeftOut(upTo: last, after: nil)?.app == one)
        #expect(ledger.partsLeftOut(upTo: last, after: one)?.app == two)
        #expect(ledger.partsLeftOut(upTo: last, after: two)?.app == one)
    }

    @Test
    func
        `when a delivery ends, its waiting messages are dropped, and its outstanding messages are completed`()
    {
        var ledger = PartLedger(maxWaitingRanges: 10, jitter: { $0 })
        _ = ledger.handle(.joined(.a, capacity: 8), at: t0)
        let orders = ledger.handle(.found(.of(1...100), account), at: t0).reads
        for number in Int64(101)...103 { _ = ledger.handle(.found(part(number, one), account), at: t0) }
        _ = ledger.handle(.found(part(104, two, delivery: 2), other), at: t0)
        let ended = ledger.handle(.finished(DeliveryID(rawValue: 1)), at: t0)
        let done = ended.compactMap { if case .partDone(let part) = $0 { part.rawValue } else { nil } }
        #expect(Set(done) == [101, 102, 103])
        #expect(ledger.waitingRanges + ended.reads.count(where: { $0.account == other }) <= 1)
        #expect(!ended.contains(.rests(account)), "some of it is out")
        var last: [PartLedger.Action] = []
        for order in orders {
            _ = ledger.handle(.filled(order.grant, messages: 1), at: t0)
            last = ledger.handle(.settled(order.grant, outcomes: 1, requeued: 0), at: t0)
        }
        #expect(last.contains(.partDone(PartID(rawValue: 1))))
        #expect(last.contains(.rests(account)))
    }
}
