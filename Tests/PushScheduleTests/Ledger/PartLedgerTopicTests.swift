import PushModel
import PushSchedule
import Testing

@Suite struct `The ledger and refused topics` {
    private let t0 = MonotonicTime(nanoseconds: 0)
    private let account = AccountID(rawValue: 1)
    private let voip = PartLedger.TopicKey(account: AccountID(rawValue: 1), topic: "org.example.shop.voip")

    private func at(_ seconds: Int64) -> MonotonicTime { t0.advanced(bySeconds: seconds) }

    private func part(_ number: Int64, count: Int64 = 10, app: Int64 = 1) -> Part {
        let first = number * 10_000
        return Part(
            id: PartID(rawValue: number), delivery: DeliveryID(rawValue: number), app: AppID(rawValue: app),
            messages: MessageID(rawValue: first)...MessageID(rawValue: first + count - 1), firstOrdinal: 1)
    }

    /// Returns a ledger in which the gateway has refused a message for the topic.
    private func refused(_ parts: Part..., maxWaiting: Int = 100) -> (PartLedger, reads: [ReadOrder]) {
        var ledger = PartLedger(maxWaitingRanges: maxWaiting, jitter: { $0 })
        _ = ledger.handle(.described(account, AccountLimits()), at: t0)
        _ = ledger.handle(.joined(.a, capacity: 8_000), at: t0)
        var reads: [ReadOrder] = []
        for part in parts { reads += ledger.handle(.found(part, account), at: t0).reads }
        _ = ledger.handle(.topicRefused(voip, reason: "TopicDisallowed"), at: t0)
        return (ledger, reads)
    }

    @Test func `messages to a refused topic wait, and the account grants all other messages`() {
        let (start, reads) = refused(part(1))
        var ledger = start
        #expect(ledger.breaker(of: account)?.isWorking == true && ledger.holdsTopics(of: account))
        #expect(!ledger.mayGo(reads[0].grant, messages: 10, of: voip, at: t0))
        #expect(ledger.handle(.topicHeld(reads[0].grant, voip), at: t0).reads.isEmpty)
        #expect(ledger.heldRanges(of: voip) == 1 && ledger.waitsForTopicsOnly(account))
        #expect(!ledger.rests(account), "its work is not done")
        #expect(ledger.unrecorded == 0)
        let others = ledger.handle(.found(part(2), account), at: t0).reads
        #expect(others.map(\.source) == [.part(2, 20_000...20_009)])
        #expect(!ledger.waitsForTopicsOnly(account))
    }

    @Test func `after the wait one message probes the topic, and once it is judged, all messages continue`() {
        let (start, reads) = refused(part(1))
        var ledger = start
        _ = ledger.handle(.topicHeld(reads[0].grant, voip), at: t0)
        #expect(ledger.nextMoment == at(30))
        #expect(ledger.handle(.tick, at: at(29)).reads.isEmpty)
        let probe = ledger.handle(.tick, at: at(30)).reads
        #expect(probe.map(\.source) == [.part(1, 10_000...10_000)])
        #expect(ledger.mayGo(probe[0].grant, messages: 1, of: voip, at: at(30)))
        _ = ledger.handle(.filled(probe[0].grant, messages: 1, topic: voip), at: at(30))
        #expect(ledger.refusedTopics[voip]?.state == .probing)
        let rest = ledger.handle(.topicProved(voip), at: at(31)).reads
        #expect(rest.map(\.source) == [.part(1, 10_001...10_009)])
        #expect(!ledger.holdsTopics(of: account) && ledger.heldRanges(of: voip) == 0)
        let done = ledger.handle(.settled(probe[0].grant, outcomes: 1, requeued: 0), at: at(31))
        #expect(!done.contains(.partDone(PartID(rawValue: 1))))
        _ = ledger.handle(.filled(rest[0].grant, messages: 9), at: at(31))
        let end = ledger.handle(.settled(rest[0].grant, outcomes: 9, requeued: 0), at: at(31))
        #expect(end.contains(.partDone(PartID(rawValue: 1))) && ledger.rests(account))
    }

    @Test func `a refused probe doubles the wait, and a probe is repeated if its child is lost`() {
        let (start, reads) = refused(part(1))
        var ledger = start
        _ = ledger.handle(.topicHeld(reads[0].grant, voip), at: t0)
        let probe = ledger.handle(.tick, at: at(30)).reads
        _ = ledger.handle(.filled(probe[0].grant, messages: 1, topic: voip), at: at(30))
        _ = ledger.handle(.topicRefused(voip, reason: "TopicDisallowed"), at: at(30))
        #expect(ledger.refusedTopics[voip]?.nextMoment == at(90))
        let again = ledger.handle(.settled(probe[0].grant, outcomes: 1, requeued: 1), at: at(30)).reads
        #expect(again.map(\.source) == [.part(1, 10_000...10_000)])
        _ = ledger.handle(.topicHeld(again[0].grant, voip), at: at(30))
        #expect(ledger.heldRanges(of: voip) == 2)

        let second = ledger.handle(.tick, at: at(90)).reads
        _ = ledger.handle(.filled(second[0].grant, messages: 1, topic: voip), at: at(90))
        _ = ledger.handle(.joined(.b, capacity: 8_000), at: at(90))
        _ = ledger.handle(.lost(.a), at: at(95))
        #expect(ledger.refusedTopics[voip]?.nextMoment == at(96))
    }

    @Test func `a change to the account immediately allows one probe of each topic`() {
        let (start, reads) = refused(part(1), part(2))
        var ledger = start
        for order in reads { _ = ledger.handle(.topicHeld(order.grant, voip), at: t0) }
        let asked = ledger.handle(.repaired(account), at: at(1)).reads
        #expect(asked.map(\.source.count) == [1])
        // The app was given another bundle id. The messages that waited for the old topic now request the new
        // topic.
        let others = ledger.handle(
            .filled(
                asked[0].grant, messages: 1,
                topic: PartLedger.TopicKey(account: account, topic: "org.example.other.voip")), at: at(1)
        ).reads
        #expect(others.map(\.source.count).reduce(0, +) == 19)
        #expect(!ledger.holdsTopics(of: account))
    }

    @Test func `messages that wait for a topic end, pause and move like all other messages`() {
        let (start, reads) = refused(part(1), part(2), part(3, app: 2))
        var ledger = start
        for order in reads { _ = ledger.handle(.topicHeld(order.grant, voip), at: t0) }
        #expect(
            ledger.handle(.finished(DeliveryID(rawValue: 1)), at: t0).contains(.partDone(PartID(rawValue: 1)))
        )
        let paused = ledger.handle(.deliveryPaused(DeliveryID(rawValue: 2)), at: t0)
        #expect(paused.contains(.partDone(PartID(rawValue: 2))))
        #expect(ledger.heldRanges(of: voip) == 1)
        _ = ledger.handle(.found(part(3, app: 2), account), at: t0)
        let moved = ledger.handle(.moved(AppID(rawValue: 2), to: AccountID(rawValue: 2)), at: t0).reads
        #expect(
            moved.map(\.source) == [.part(3, 30_000...30_009)]
                && moved.allSatisfy { $0.account == AccountID(rawValue: 2) })
        #expect(ledger.rests(account))
    }

    @Test
    func `the number of waiting ranges is limited, and other ranges are found when the topic is released`() {
        var ledger = refused(maxWaiting: 3).0
        var leftOut = 0
        for number in Int64(1)...5 {
            for order in ledger.handle(.found(part(number), account), at: t0).reads {
                let actions = ledger.handle(.topicHeld(order.grant, voip), at: t0)
                leftOut += actions.contains(.leftOut(PartID(rawValue: number))) ? 1 : 0
            }
        }
        #expect(leftOut == 2 && ledger.heldRanges(of: voip) == 3)
        let last = PartID(rawValue: 9)
        #expect(ledger.partsLeftOut(upTo: last, after: nil) == nil, "they would only be read in vain")
        for order in ledger.handle(.found(part(6), account), at: t0).reads {
            _ = ledger.handle(.filled(order.grant, messages: 10), at: t0)
            _ = ledger.handle(.settled(order.grant, outcomes: 10, requeued: 0), at: t0)
        }
        _ = ledger.handle(.topicProved(voip), at: t0)
        #expect(ledger.holdsTopics(of: account), "answers to what was sent before prove nothing")
        let probe = ledger.handle(.repaired(account), at: t0).reads
        _ = ledger.handle(.filled(probe[0].grant, messages: 1, topic: voip), at: t0)
        _ = ledger.handle(.topicProved(voip), at: t0)
        #expect(ledger.partsLeftOut(upTo: last, after: nil)?.first == PartID(rawValue: 4))
    }

    @Test func `retries for the topic are returned, and are searched for again when they are due`() {
        var ledger = PartLedger(jitter: { $0 })
        _ = ledger.handle(.joined(.a, capacity: 8_000), at: t0)
        let app = AppID(rawValue: 1)
        let order = ledger.handle(.retriesDue(app, account), at: t0).reads[0]
        _ = ledger.handle(.topicRefused(voip, reason: "TopicDisallowed"), at: t0)
        #expect(!ledger.mayGo(order.grant, messages: 3, of: voip, at: t0))
        #expect(ledger.handle(.topicHeld(order.grant, voip), at: t0).reads.isEmpty)
        let again = ledger.handle(.retriesDue(app, account), at: at(30)).reads[0]
        #expect(ledger.mayGo(again.grant, messages: 3, of: voip, at: at(30)))
    }

    @Test func `a part of an app in a storm waits without probes until it is released`() {
        var ledger = PartLedger(jitter: { $0 })
        _ = ledger.handle(.described(account, AccountLimits()), at: t0)
        _ = ledger.handle(.joined(.a, capacity: 8_000), at: t0)
        let reads = ledger.handle(.found(part(1), account), at: t0).reads
        let shop = PartLedger.TopicKey(account: account, part: AccountKey(rawValue: "a app 1 topic shop"))
        _ = ledger.handle(.partStopped(shop, reason: "a storm"), at: t0)
        #expect(ledger.stoppedParts(of: account) == [shop] && ledger.breaker(of: account)?.isWorking == true)
        #expect(!ledger.mayGo(reads[0].grant, messages: 10, of: shop, at: t0))
        #expect(ledger.handle(.topicHeld(reads[0].grant, shop), at: t0).reads.isEmpty)
        #expect(ledger.heldRanges(of: shop) == 1)
        // Neither time, nor an order to try again, nor an acceptance ends the stop.
        #expect(ledger.handle(.tick, at: at(100_000)).reads.isEmpty)
        #expect(ledger.handle(.repaired(account), at: at(100_001)).reads.isEmpty)
        #expect(ledger.handle(.topicProved(shop), at: at(100_001)).reads.isEmpty)
        #expect(ledger.handle(.found(part(2), account), at: at(100_001)).reads.count == 1)
        let released = ledger.handle(.partReleased(shop), at: at(100_002)).reads
        #expect(released.map(\.source) == [.part(1, 10_000...10_009)])
        #expect(ledger.stoppedParts(of: account).isEmpty)
    }

    @Test func `postponed retries keep their topic known until they are due`() {
        var ledger = refused().0
        let deliveries = (1...3).map { DeliveryID(rawValue: $0) }
        #expect(!ledger.hasWork(for: voip, at: t0))
        for delivery in deliveries {
            _ = ledger.handle(.topicPutOff(voip, delivery, until: at(5_000)), at: t0)
        }
        // Without these retries, the topic would be forgotten a quarter of an hour after its wait.
        for second in stride(from: Int64(30), through: 5_000, by: 10) {
            _ = ledger.handle(.tick, at: at(second))
        }
        #expect(
            ledger.refusedTopics[voip]?.reason == "TopicDisallowed"
                && ledger.hasWork(for: voip, at: at(5_000)))
        // The retries end together with their deliveries, or wait for another reason.
        _ = ledger.handle(.finished(deliveries[0]), at: at(5_000))
        _ = ledger.handle(.deliveryPaused(deliveries[1]), at: at(5_000))
        #expect(ledger.hasWork(for: voip, at: at(5_000)))
        _ = ledger.handle(.finished(deliveries[2]), at: at(5_000))
        #expect(!ledger.hasWork(for: voip, at: at(5_000)))
        for second in stride(from: Int64(5_000), through: 6_000, by: 10) {
            _ = ledger.handle(.tick, at: at(second))
        }
        #expect(!ledger.holdsTopics(of: account))
        // A topic that is not refused does not delay anything.
        _ = ledger.handle(.topicPutOff(voip, deliveries[0], until: at(9_000)), at: at(6_000))
        #expect(!ledger.hasWork(for: voip, at: at(6_000)))
    }
}
