import PushModel
import PushSchedule
import Testing

@Suite struct `The ledger and accounts` {
    let t0 = MonotonicTime(nanoseconds: 0)
    let account = AccountID(rawValue: 1)
    let other = AccountID(rawValue: 2)

    func ledger() -> PartLedger { PartLedger(jitter: { $0 }) }

    @Test func `a closed account becomes idle when its only app is deleted, even if retries are known`() {
        var ledger = ledger()
        let app = AppID(rawValue: 1)
        _ = ledger.handle(.stopped(account, reason: "x"), at: t0)
        _ = ledger.handle(.joined(.a, capacity: 16), at: t0)
        _ = ledger.handle(.retriesDue(app, account), at: t0)
        #expect(!ledger.rests(account))
        let actions = ledger.handle(.deleted(app), at: t0)
        #expect(actions == [.rests(account)])
        #expect(ledger.rests(account))
    }

    @Test func `retries that were not read do not wait again after their app is deleted`() {
        var ledger = ledger()
        let app = AppID(rawValue: 1)
        _ = ledger.handle(.joined(.a, capacity: 16), at: t0)
        let order = ledger.handle(.retriesDue(app, account), at: t0).reads[0]
        _ = ledger.handle(.deleted(app), at: t0)
        _ = ledger.handle(.unread(order.grant), at: t0)
        #expect(ledger.rests(account))
    }

    @Test func `an account in trouble waits, then sends one message as a probe`() {
        var ledger = ledger()
        _ = ledger.handle(.failure(account, .refused, reason: "x"), at: t0)
        _ = ledger.handle(.joined(.a, capacity: 200), at: t0)
        let first = ledger.handle(.found(.of(1...50), account), at: t0).reads
        #expect(first.count == 2)
        for order in first { _ = ledger.handle(.filled(order.grant, messages: 25), at: t0) }
        _ = ledger.handle(.failure(account, .refused, reason: "InvalidProviderToken"), at: t0)
        for order in first {
            let staysClosed = ledger.handle(.settled(order.grant, outcomes: 25, requeued: 25), at: t0).reads
                .isEmpty
            #expect(staysClosed)
        }
        let waits = ledger.handle(.tick, at: t0.advanced(bySeconds: 29)).reads.isEmpty
        #expect(waits)
        let probe = ledger.handle(.tick, at: t0.advanced(bySeconds: 30)).reads
        #expect(probe.count == 1)
        #expect(probe[0].source.count == 1)
        let waitsForTheProbe = ledger.handle(.tick, at: t0.advanced(bySeconds: 31)).reads.isEmpty
        #expect(waitsForTheProbe)
        _ = ledger.handle(.filled(probe[0].grant, messages: 1), at: t0.advanced(bySeconds: 31))
        let opened = ledger.handle(.proved(account), at: t0.advanced(bySeconds: 31)).reads
        #expect(opened.reduce(0) { $0 + $1.source.count } == 49)
    }

    @Test func `a probe skips messages that already have outcomes`() {
        var ledger = ledger()
        _ = ledger.handle(.joined(.a, capacity: 800), at: t0)
        let order = ledger.handle(.found(.of(1...100), account), at: t0).reads[0]
        _ = ledger.handle(.filled(order.grant, messages: 100), at: t0)
        _ = ledger.handle(.failure(account, .unreachable, reason: "down"), at: t0)
        _ = ledger.handle(.settled(order.grant, outcomes: 100, requeued: 10), at: t0)
        let later = t0.advanced(bySeconds: 1)
        var probes = ledger.handle(.tick, at: later).reads
        for id in 1...90 {
            #expect(probes.map(\.source) == [.part(1, Int64(id)...Int64(id))])
            probes = ledger.handle(.filled(probes[0].grant, messages: 0), at: later).reads
        }
        #expect(probes.map(\.source) == [.part(1, 91...91)])
        let others = ledger.handle(.filled(probes[0].grant, messages: 1), at: later).reads
        #expect(others.isEmpty)
    }

    @Test func `a closed account does not block another account`() {
        var ledger = ledger()
        _ = ledger.handle(.joined(.a, capacity: 100), at: t0)
        let orders = ledger.handle(.found(.of(1...10), account), at: t0).reads
        _ = ledger.handle(.filled(orders[0].grant, messages: 10), at: t0)
        _ = ledger.handle(.failure(account, .unreachable, reason: "down"), at: t0)
        _ = ledger.handle(.settled(orders[0].grant, outcomes: 10, requeued: 10), at: t0)
        let reads = ledger.handle(.found(.of(11...20, part: 2), other), at: t0).reads
        #expect(reads.map(\.account) == [other])
    }

    @Test func `accounts take turns in receiving grants`() {
        var ledger = ledger()
        _ = ledger.handle(.found(.of(1...1_000), account), at: t0)
        _ = ledger.handle(.found(.of(1_001...2_000, part: 2), other), at: t0)
        let orders = ledger.handle(.joined(.a, capacity: 80), at: t0).reads
        #expect(orders.map(\.account) == [account, other, account, other, account])
    }

    @Test func `an account stays with the child that has its connection`() {
        var ledger = ledger()
        _ = ledger.handle(.joined(.a, capacity: 100), at: t0)
        _ = ledger.handle(.found(.of(1...10), account), at: t0)
        _ = ledger.handle(.joined(.b, capacity: 100), at: t0)
        let children = ledger.handle(.found(.of(11...20, part: 2), account), at: t0).reads.map(\.child)
        #expect(children == [.a])
    }

    @Test func `a quota slows down only the grants of its own account`() {
        var ledger = ledger()
        let bucket = TokenBucket(messagesPerMinute: 60_000, rampUpSeconds: 0)
        _ = ledger.handle(.described(account, AccountLimits(quota: bucket)), at: t0)
        _ = ledger.handle(.joined(.a, capacity: 100_000), at: t0)
        let atOnce = ledger.handle(.found(.of(1...10_000), account), at: t0).reads
        #expect(atOnce.isEmpty)
        let unlimited = ledger.handle(.found(.of(10_001...10_100, part: 2), other), at: t0).reads
        #expect(unlimited.map(\.source.count) == [100])
        var granted = 0
        for millisecond in stride(from: Int64(0), through: 4_000, by: 10) {
            for order in ledger.handle(.tick, at: t0.advanced(byMilliseconds: millisecond)).reads {
                #expect(order.source.count <= 500, "a grant is at most half a second of the rate")
                granted += order.source.count
                _ = ledger.handle(.filled(order.grant, messages: order.source.count), at: t0)
            }
        }
        #expect((3_900...4_000).contains(granted))
    }

    @Test func `apps that share an account take turns with their retries`() {
        var ledger = ledger()
        _ = ledger.handle(.retriesDue(AppID(rawValue: 1), account), at: t0)
        _ = ledger.handle(.retriesDue(AppID(rawValue: 2), account), at: t0)
        var apps: [ReadOrder.Source] = []
        var orders = ledger.handle(.joined(.a, capacity: 4), at: t0).reads
        for _ in 0..<4 {
            guard let order = orders.first else { break }
            apps.append(order.source)
            orders.removeFirst()
            orders += ledger.handle(.filled(order.grant, messages: 1), at: t0).reads
            orders += ledger.handle(.settled(order.grant, outcomes: 1, requeued: 1), at: t0).reads
        }
        #expect(Set(apps.map { "\($0)" }).count == 2)
    }

    @Test func `the due retries of an app are read by one grant at a time`() {
        var ledger = ledger()
        let app = AppID(rawValue: 7)
        _ = ledger.handle(.joined(.a, capacity: 100), at: t0)
        let first = ledger.handle(.retriesDue(app, account), at: t0).reads
        #expect(first.map(\.source) == [.retries(app, limit: 12)])
        let readsOnce = ledger.handle(.retriesDue(app, account), at: t0).reads.isEmpty
        #expect(readsOnce)
        let readsAgain = ledger.handle(.filled(first[0].grant, messages: 3), at: t0).reads.count
        #expect(readsAgain == 1)
        #expect(ledger.outstanding(of: .a) == 15)
    }

    @Test func `a stopped account waits for an operator, whatever events it receives`() {
        var ledger = ledger()
        _ = ledger.handle(.joined(.a, capacity: 800), at: t0)
        let order = ledger.handle(.found(.of(1...100), account), at: t0).reads[0]
        _ = ledger.handle(.filled(order.grant, messages: 100), at: t0)
        _ = ledger.handle(.stopped(account, reason: "storm"), at: t0)
        _ = ledger.handle(.settled(order.grant, outcomes: 100, requeued: 50), at: t0)
        let tomorrow = t0.advanced(bySeconds: 86_400)
        _ = ledger.handle(.proved(account), at: tomorrow)
        _ = ledger.handle(.pause(account, seconds: 1, reason: "busy"), at: tomorrow)
        let waits = ledger.handle(.tick, at: tomorrow).reads.isEmpty
        #expect(waits)
        #expect(ledger.nextMoment == nil)
        let again = ledger.handle(.resumed(account), at: tomorrow).reads
        #expect(again.map(\.source) == [.part(1, 1...100)])
    }

    @Test(arguments: [true, false])
    func `messages that were read while their account was stopped or refused are not sent and wait again`(
        isStopped: Bool
    ) {
        var ledger = ledger()
        _ = ledger.handle(.joined(.a, capacity: 800), at: t0)
        let order = ledger.handle(.found(.of(1...100), account), at: t0).reads[0]
        #expect(ledger.mayGo(order.grant))
        let failure = PartLedger.Event.failure(account, .refused, reason: "InvalidProviderToken")
        _ = ledger.handle(isStopped ? .stopped(account, reason: "storm") : failure, at: t0)
        #expect(!ledger.mayGo(order.grant))
        #expect(ledger.handle(.unread(order.grant), at: t0) == [.released(order.grant)])
        #expect(ledger.outstanding(of: .a) == 0)
        let later = t0.advanced(bySeconds: 30)
        let reads = ledger.handle(isStopped ? .resumed(account) : .tick, at: later).reads
        #expect(reads.map(\.source) == [.part(1, 1...(isStopped ? 100 : 1))])
        #expect(reads.allSatisfy { ledger.mayGo($0.grant) }, "a probe may, whatever the breaker")
    }

    @Test func `a probe that is being read while its account is stopped is not sent`() {
        var ledger = ledger()
        _ = ledger.handle(.joined(.a, capacity: 800), at: t0)
        let order = ledger.handle(.found(.of(1...100), account), at: t0).reads[0]
        _ = ledger.handle(.failure(account, .refused, reason: "InvalidProviderToken"), at: t0)
        _ = ledger.handle(.unread(order.grant), at: t0)
        let probe = ledger.handle(.tick, at: t0.advanced(bySeconds: 30)).reads[0]
        _ = ledger.handle(.stopped(account, reason: "storm"), at: t0.advanced(bySeconds: 30))
        #expect(!ledger.mayGo(probe.grant))
    }

    @Test func `an app whose credential has changed continues through its new account`() {
        var ledger = ledger()
        _ = ledger.handle(.joined(.a, capacity: 80), at: t0)
        let out = ledger.handle(.found(.of(1...1_000), account), at: t0).reads
        for order in out { _ = ledger.handle(.filled(order.grant, messages: 10), at: t0) }
        _ = ledger.handle(.failure(account, .refused, reason: "InvalidProviderToken"), at: t0)
        let next = ledger.handle(.moved(AppID(rawValue: 1), to: other), at: t0).reads
        #expect(next.map(\.source) == [.part(1, 41...50), .part(1, 51...60)])
        #expect(next.allSatisfy { $0.account == other })
        _ = ledger.handle(.filled(next[0].grant, messages: 10), at: t0)
        _ = ledger.handle(.settled(out[0].grant, outcomes: 10, requeued: 10), at: t0)
        let back = ledger.handle(.settled(next[0].grant, outcomes: 10, requeued: 0), at: t0).reads
        #expect(
            back.first?.source == .part(1, 1...10),
            "what comes back of the old account goes to the new one first")
        #expect(back.allSatisfy { $0.account == other })
    }

    @Test func `an account is idle when it has no outstanding and no waiting messages`() {
        var ledger = ledger()
        _ = ledger.handle(.joined(.a, capacity: 160), at: t0)
        let orders = ledger.handle(.found(.of(1...30), account), at: t0).reads
        for order in orders { _ = ledger.handle(.filled(order.grant, messages: order.source.count), at: t0) }
        let first = ledger.handle(.settled(orders[0].grant, outcomes: 20, requeued: 0), at: t0)
        #expect(!first.contains(.rests(account)))
        let last = ledger.handle(.settled(orders[1].grant, outcomes: 10, requeued: 0), at: t0)
        #expect(last.contains(.rests(account)))
    }
}
