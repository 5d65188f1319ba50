import PushModel
import PushSchedule
import Testing

@Suite struct `The ledger of parts` {
    let t0 = MonotonicTime(nanoseconds: 0)
    let account = AccountID(rawValue: 1)
    let other = AccountID(rawValue: 2)

    func ledger() -> PartLedger { PartLedger(jitter: { $0 }) }

    @Test func `a child receives a part in grants of one eighth of its capacity each`() {
        var ledger = ledger()
        _ = ledger.handle(.joined(.a, capacity: 800), at: t0)
        let orders = ledger.handle(.found(.of(1...250), account), at: t0).reads
        #expect(orders.map(\.source) == [.part(1, 1...100), .part(1, 101...200), .part(1, 201...250)])
        #expect(ledger.outstanding(of: .a) == 250)
    }

    @Test func `one account gets half of a child's capacity, and nothing more from this child`() {
        var ledger = ledger()
        _ = ledger.handle(.joined(.a, capacity: 80), at: t0)
        let orders = ledger.handle(.found(.of(1...1_000), account), at: t0).reads
        #expect(orders.count == 4)
        #expect(ledger.outstanding(of: .a) == 40)
        #expect(ledger.lacksCredit(at: t0))
    }

    @Test func `unresponsive accounts, however many, leave capacity for another account`() {
        var ledger = ledger()
        _ = ledger.handle(.joined(.a, capacity: 1_024), at: t0)
        for number in 1...9 {
            let part = Part.of(Int64(number * 10_000)...Int64(number * 10_000 + 5_000), part: Int64(number))
            var orders = ledger.handle(.found(part, AccountID(rawValue: UInt32(number))), at: t0).reads
            // A small grant is made only after a delay, during which more capacity may have been returned.
            if let moment = ledger.nextMoment { orders += ledger.handle(.tick, at: moment).reads }
            #expect(!orders.isEmpty, "account \(number) found no room")
        }
        #expect(ledger.outstanding(of: .a) <= 1_024)
    }

    @Test func `a grant below the efficient size waits for more messages, at most for 20 ms`() throws {
        var ledger = ledger()
        _ = ledger.handle(.joined(.a, capacity: 25_600), at: t0)
        var first: [ReadOrder] = []
        for number in 1...100 {
            let part = Part.of(Int64(number * 10_000)...Int64(number * 10_000 + 5_000), part: Int64(number))
            first += ledger.handle(.found(part, AccountID(rawValue: UInt32(number))), at: t0).reads
        }
        #expect(first.allSatisfy { $0.source.count >= 1_600 } && first.count < 100)
        let moment = try #require(ledger.nextMoment)
        #expect(moment == t0.advanced(byMilliseconds: 20))
        // A short range does not count as a small grant.
        let short = ledger.handle(.found(.of(1...3, part: 200), AccountID(rawValue: 200)), at: t0).reads
        #expect(short.map(\.source.count) == [3])
        // Any other event has the same effect as a tick.
        let late = ledger.handle(.proved(account), at: moment).reads
        #expect(late.count > 3 && late.allSatisfy { $0.source.count < 1_600 })
        #expect(ledger.outstanding(of: .a) <= 25_600)
    }

    @Test func `events that are handled together lead to one grant`() {
        var ledger = ledger()
        _ = ledger.handle(.joined(.a, capacity: 80), at: t0)
        let orders = ledger.handle(.found(.of(1...1_000), account), at: t0).reads
        for order in orders { _ = ledger.handle(.filled(order.grant, messages: 10), at: t0) }
        let events = orders.map { PartLedger.Event.settled($0.grant, outcomes: 10, requeued: 0) }
        let next = ledger.handle(events, at: t0)
        #expect(next.reads.map(\.source.count) == [10, 10, 10, 10])
        #expect(next.prefix(4).allSatisfy { if case .released = $0 { true } else { false } })
    }

    @Test func `an account with its own capacity does not use the shared capacity`() {
        var ledger = ledger()
        _ = ledger.handle(.described(account, AccountLimits(ownCapacity: 800)), at: t0)
        _ = ledger.handle(.joined(.a, capacity: 80), at: t0)
        let own = ledger.handle(.found(.of(1...10_000), account), at: t0).reads
        #expect(
            own.map(\.source.count) == Array(repeating: 100, count: 7), "an eighth is kept for what is urgent"
        )
        let shared = ledger.handle(.found(.of(20_001...30_000, part: 2), other), at: t0).reads
        #expect(shared.reduce(0) { $0 + $1.source.count } == 40)
        #expect(ledger.unrecorded == 740)
    }

    @Test func `a child whose credit is smaller than one grant has no capacity`() {
        var ledger = ledger()
        _ = ledger.handle(.joined(.a, capacity: 80), at: t0)
        let orders = ledger.handle(.found(.of(1...1_000), account), at: t0).reads
        _ = ledger.handle(.filled(orders[0].grant, messages: 10), at: t0)
        let more = ledger.handle(.settled(orders[0].grant, outcomes: 9, requeued: 0), at: t0).reads
        #expect(more.isEmpty)
        #expect(ledger.outstanding(of: .a) == 31)
        #expect(ledger.lacksCredit(at: t0), "9 free places are not enough for a grant of 10")
    }

    @Test func `credit is returned when outcomes are committed, and not before`() {
        var ledger = ledger()
        _ = ledger.handle(.joined(.a, capacity: 80), at: t0)
        let first = ledger.handle(.found(.of(1...1_000), account), at: t0).reads[0]
        let grantsNothing = ledger.handle(.filled(first.grant, messages: 10), at: t0).reads.isEmpty
        #expect(grantsNothing)
        let next = ledger.handle(.settled(first.grant, outcomes: 10, requeued: 0), at: t0).reads
        #expect(next.map(\.source) == [.part(1, 41...50)])
    }

    @Test func `a part is complete when its last grant is settled`() {
        var ledger = ledger()
        _ = ledger.handle(.joined(.a, capacity: 16), at: t0)
        let orders = ledger.handle(.found(.of(1...4), account), at: t0).reads
        var done: [PartLedger.Action] = []
        for order in orders {
            _ = ledger.handle(.filled(order.grant, messages: 2), at: t0)
            done += ledger.handle(.settled(order.grant, outcomes: 2, requeued: 0), at: t0)
        }
        #expect(done.filter { $0 == .partDone(PartID(rawValue: 1)) }.count == 1)
        #expect(!ledger.knows(PartID(rawValue: 1)))
    }

    @Test func `when a child is lost, its ranges are returned once`() {
        var ledger = ledger()
        _ = ledger.handle(.joined(.a, capacity: 16), at: t0)
        let order = ledger.handle(.found(.of(1...2), account), at: t0).reads[0]
        _ = ledger.handle(.filled(order.grant, messages: 2), at: t0)
        _ = ledger.handle(.settled(order.grant, outcomes: 1, requeued: 0), at: t0)
        let firstLoss = ledger.handle(.lost(.a), at: t0)
        #expect(firstLoss == [.released(order.grant)])
        let secondLoss = ledger.handle(.lost(.a), at: t0)
        #expect(secondLoss == [])
        let again = ledger.handle(.joined(.b, capacity: 16), at: t0).reads
        #expect(again.map(\.source) == [.part(1, 1...2)])
        #expect(again[0].grant != order.grant)
    }

    @Test func `events about a grant to a dead child change nothing`() {
        var ledger = ledger()
        _ = ledger.handle(.joined(.a, capacity: 16), at: t0)
        let order = ledger.handle(.found(.of(1...2), account), at: t0).reads[0]
        _ = ledger.handle(.lost(.a), at: t0)
        let fillsNothing = ledger.handle(.filled(order.grant, messages: 2), at: t0).isEmpty
        #expect(fillsNothing)
        let settlesNothing = ledger.handle(.settled(order.grant, outcomes: 2, requeued: 0), at: t0).isEmpty
        #expect(settlesNothing)
        #expect(ledger.unrecorded == 0)
    }

    @Test func `outcomes in excess of a grant's messages are reported, and each message counts once`() {
        var ledger = ledger()
        _ = ledger.handle(.joined(.a, capacity: 16), at: t0)
        let order = ledger.handle(.found(.of(1...2), account), at: t0).reads[0]
        _ = ledger.handle(.filled(order.grant, messages: 2), at: t0)
        let actions = ledger.handle(.settled(order.grant, outcomes: 5, requeued: 0), at: t0)
        #expect(actions.contains(.excess(order.grant, outcomes: 3)))
        #expect(ledger.unrecorded == 0 && ledger.outstanding(of: .a) == 0)
    }

    @Test func `requeued messages are granted again`() {
        var ledger = ledger()
        _ = ledger.handle(.joined(.a, capacity: 16), at: t0)
        let order = ledger.handle(.found(.of(1...2), account), at: t0).reads[0]
        _ = ledger.handle(.filled(order.grant, messages: 2), at: t0)
        let actions = ledger.handle(.settled(order.grant, outcomes: 2, requeued: 1), at: t0)
        #expect(actions.reads.map(\.source) == [.part(1, 1...2)])
        #expect(!actions.contains(.partDone(PartID(rawValue: 1))))
    }

    @Test func `after a failed read, the range waits again`() {
        var ledger = ledger()
        _ = ledger.handle(.joined(.a, capacity: 16), at: t0)
        let order = ledger.handle(.found(.of(1...2), account), at: t0).reads[0]
        let again = ledger.handle(.unread(order.grant), at: t0).reads
        #expect(again.map(\.source) == [.part(1, 1...2)])
        #expect(ledger.outstanding(of: .a) == 2)
    }

    @Test func `a lost child's messages are given up if lost messages must not be sent again`() {
        var ledger = PartLedger(requeuesLost: false, jitter: { $0 })
        _ = ledger.handle(.joined(.a, capacity: 160), at: t0)
        let orders = ledger.handle(.found(.of(1...30), account), at: t0).reads
        _ = ledger.handle(.filled(orders[0].grant, messages: 20), at: t0)
        let actions = ledger.handle(.lost(.a), at: t0)
        #expect(actions.first == .abandon(orders[0].ofUnknownAge))
        #expect(
            actions.filter { if case .abandon = $0 { true } else { false } }.count == 1,
            "the other never left")
        let again = ledger.handle(.joined(.b, capacity: 160), at: t0).reads
        #expect(again.map(\.source) == [orders[1].source])
    }

    @Test func `messages that are given up are not granted with requeued messages, and their part ends`() {
        var ledger = PartLedger(requeuesLost: false, jitter: { $0 })
        _ = ledger.handle(.joined(.a, capacity: 800), at: t0)
        let order = ledger.handle(.found(.of(1...100), account), at: t0).reads[0]
        _ = ledger.handle(.filled(order.grant, messages: 100), at: t0)
        _ = ledger.handle(.joined(.b, capacity: 800), at: t0)
        _ = ledger.handle(.settled(order.grant, outcomes: 1, requeued: 1), at: t0)
        let actions = ledger.handle(.lost(.a), at: t0)
        #expect(actions.contains(.abandon(order.ofUnknownAge)))
        #expect(actions.reads == [])
        #expect(actions.contains(.partDone(PartID(rawValue: 1))))
        #expect(actions.last == .rests(account))
    }

    @Test func `messages that are granted during a child's orderly exit wait again and are never given up`() {
        var ledger = PartLedger(requeuesLost: false, jitter: { $0 })
        _ = ledger.handle(.joined(.a, capacity: 160), at: t0)
        let orders = ledger.handle(.found(.of(1...20), account), at: t0).reads
        _ = ledger.handle(.filled(orders[0].grant, messages: 20), at: t0)
        #expect(ledger.handle(.left(.a), at: t0) == [.released(orders[0].grant)])
        #expect(ledger.handle(.left(.a), at: t0) == [])
        #expect(ledger.handle(.joined(.b, capacity: 160), at: t0).reads.map(\.source) == [orders[0].source])
    }
}
