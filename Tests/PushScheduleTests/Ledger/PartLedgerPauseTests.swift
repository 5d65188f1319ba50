import PushModel
import PushSchedule
import Testing

@Suite struct `The ledger and paused deliveries` {
    let t0 = MonotonicTime(nanoseconds: 0)
    let account = AccountID(rawValue: 1)
    let one = DeliveryID(rawValue: 1)
    let two = DeliveryID(rawValue: 2)

    func part(_ number: Int64, of delivery: DeliveryID, count: Int64) -> Part {
        let first = number * 1_000
        return Part(
            id: PartID(rawValue: number), delivery: delivery, app: AppID(rawValue: 1),
            messages: MessageID(rawValue: first)...MessageID(rawValue: first + count - 1), firstOrdinal: 1)
    }

    @Test func `no message from a paused delivery is granted, and the account's other deliveries continue`() {
        var ledger = PartLedger(jitter: { $0 })
        for number in Int64(1)...3 {
            _ = ledger.handle(.found(part(number, of: one, count: 10), account), at: t0)
        }
        _ = ledger.handle(.found(part(4, of: two, count: 10), account), at: t0)
        let actions = ledger.handle(.deliveryPaused(one), at: t0)
        #expect(Set(actions.compactMap(\.done)) == Set([1, 2, 3].map(PartID.init(rawValue:))))
        #expect(ledger.waitingRanges == 1 && ledger.isPaused(one) && !ledger.isPaused(two))
        let reads = ledger.handle(.joined(.a, capacity: 800), at: t0).reads
        #expect(reads.map(\.source) == [.part(4, 4_000...4_009)])
    }

    @Test func `parts that a search finds during a pause are skipped, and are found again after it`() {
        var ledger = PartLedger(jitter: { $0 })
        _ = ledger.handle(.joined(.a, capacity: 800), at: t0)
        _ = ledger.handle(.deliveryPaused(one), at: t0)
        let late = ledger.handle(.found(part(1, of: one, count: 10), account), at: t0)
        #expect(late == [.leftOut(PartID(rawValue: 1))])
        #expect(ledger.rests(account), "no work is due, so no progress is missing")
        #expect(ledger.handle(.deliveryResumed(one), at: t0) == [])
        #expect(ledger.handle(.found(part(1, of: one, count: 10), account), at: t0).reads.count == 1)
    }

    @Test func `a part with messages in children keeps its ranges and continues with them`() {
        var ledger = PartLedger(jitter: { $0 })
        _ = ledger.handle(.joined(.a, capacity: 80), at: t0)
        // The grants contain ten messages each. The ledger makes as many grants as the credit allows.
        let reads = ledger.handle(.found(part(1, of: one, count: 100), account), at: t0).reads
        #expect(reads.count > 1 && ledger.waitingRanges == 1)
        for order in reads { _ = ledger.handle(.filled(order.grant, messages: 10), at: t0) }
        #expect(ledger.handle(.deliveryPaused(one), at: t0).isEmpty)
        #expect(ledger.waitingRanges == 0)
        // The children return the messages of the first grant that they have not sent.
        #expect(ledger.handle(.settled(reads[0].grant, outcomes: 10, requeued: 4), at: t0).reads.isEmpty)
        #expect(ledger.knows(PartID(rawValue: 1)))

        let again = ledger.handle(.deliveryResumed(one), at: t0).reads
        #expect(again.map(\.source.count).reduce(0, +) == 10, "as much as there is credit")
        #expect(ledger.waitingRanges > 0)
        // When the search finds the part again, the ledger skips it, because its ranges are waiting.
        #expect(ledger.handle(.found(part(1, of: one, count: 100), account), at: t0).isEmpty)
    }

    @Test func `when the last grant from a paused part ends, the search finds the remaining messages later`()
    {
        var ledger = PartLedger(jitter: { $0 })
        _ = ledger.handle(.joined(.a, capacity: 80), at: t0)
        let reads = ledger.handle(.found(part(1, of: one, count: 20), account), at: t0).reads
        _ = ledger.handle(.deliveryPaused(one), at: t0)
        // The read for one grant found nothing, and the other grant is answered.
        #expect(ledger.handle(.unread(reads[0].grant), at: t0) == [.released(reads[0].grant)])
        _ = ledger.handle(.filled(reads[1].grant, messages: 10), at: t0)
        let last = ledger.handle(.settled(reads[1].grant, outcomes: 10, requeued: 0), at: t0)
        #expect(last.compactMap(\.done) == [PartID(rawValue: 1)])
        #expect(!ledger.knows(PartID(rawValue: 1)) && ledger.unrecorded == 0)
        _ = ledger.handle(.deliveryResumed(one), at: t0)
        #expect(ledger.handle(.found(part(1, of: one, count: 20), account), at: t0).reads.count == 2)
    }

    @Test func `a paused delivery ends like any other delivery`() {
        var ledger = PartLedger(jitter: { $0 })
        _ = ledger.handle(.found(part(1, of: one, count: 10), account), at: t0)
        _ = ledger.handle(.deliveryPaused(one), at: t0)
        _ = ledger.handle(.finished(one), at: t0)
        #expect(!ledger.isPaused(one) && ledger.waitingRanges == 0)
    }
}

extension PartLedger.Action {
    fileprivate var done: PartID? { if case .partDone(let part) = self { part } else { nil } }
}
