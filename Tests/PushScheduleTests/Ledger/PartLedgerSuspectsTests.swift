import PushModel
import PushSchedule
import Testing

extension `The ledger of parts` {
    @Test
    func `a message that crashes every child is isolated and given up, and all other messages are sent`() {
        var ledger = ledger()
        var (sent, givenUp): (Set<Int64>, [ReadOrder]) = ([], [])
        let deadly: Int64 = 77
        _ = ledger.handle(.found(.of(1...100), account), at: t0)
        // A single message from another account, which is often in the same child.
        _ = ledger.handle(.found(.of(1_001...1_001, part: 2), other), at: t0)
        for number in UInt32(1)...60 where sent.count < 100 || givenUp.isEmpty {
            let child = ChildID(rawValue: number)
            var orders = ledger.handle(.joined(child, capacity: 800), at: t0).reads
            // The message that crashes children does so before any other message in the child is answered.
            var filled: [(ReadOrder, [Int64])] = []
            var isAlive = true
            while isAlive, !orders.isEmpty {
                for order in orders {
                    guard case .range(_, let range) = order.source else { continue }
                    let ids = (range.lowerBound.rawValue...range.upperBound.rawValue).filter {
                        !sent.contains($0)
                    }
                    _ = ledger.handle(.filled(order.grant, messages: ids.count), at: t0)
                    if !ids.isEmpty { filled.append((order, ids)) }
                }
                orders = []
                if filled.contains(where: { $0.1.contains(deadly) }) {
                    isAlive = false
                    givenUp += ledger.handle(.lost(child, byFault: true), at: t0).compactMap {
                        if case .abandon(let order) = $0 { order } else { nil }
                    }
                } else {
                    for (order, ids) in filled {
                        sent.formUnion(ids)
                        orders +=
                            ledger.handle(.settled(order.grant, outcomes: ids.count, requeued: 0), at: t0)
                            .reads
                    }
                    filled = []
                }
            }
        }
        #expect(sent.count == 100)
        #expect(givenUp.map(\.source) == [.part(1, deadly...deadly)])
    }

    @Test(arguments: [1, 2, 20, 77, 100])
    func `a message that crashes every child is found among retries and is given up`(
        deadly: Int64
    ) {
        var ledger = ledger()
        let app = AppID(rawValue: 1)
        var due = Array(Int64(1)...100)
        var givenUp: [Int64] = []
        var crashes = 0
        for number in UInt32(1)...60 where !due.isEmpty {
            let child = ChildID(rawValue: number)
            var orders = ledger.handle(.joined(child, capacity: 800), at: t0).reads
            orders += ledger.handle(.retriesDue(app, account), at: t0).reads
            var held: [GrantID: [Int64]] = [:]
            var isAlive = true
            while isAlive, !orders.isEmpty {
                for order in orders {
                    guard case .retries(app, let limit) = order.source else { continue }
                    let free = due.filter { id in !held.values.contains { $0.contains(id) } }.prefix(limit)
                    held[order.grant] = Array(free)
                    _ = ledger.handle(.filled(order.grant, messages: free.count), at: t0)
                }
                orders = []
                if held.values.contains(where: { $0.contains(deadly) }) {
                    // The message crashes the child before any other message in the child is answered.
                    isAlive = false
                    crashes += 1
                    for case .abandon(let order) in ledger.handle(.lost(child, byFault: true), at: t0) {
                        givenUp += held[order.grant] ?? []
                        due.removeAll { givenUp.contains($0) }
                    }
                } else {
                    for (grant, ids) in held.sorted(by: { $0.key < $1.key }) where !ids.isEmpty {
                        due.removeAll { ids.contains($0) }
                        orders +=
                            ledger.handle(.settled(grant, outcomes: ids.count, requeued: 0), at: t0).reads
                    }
                    held = [:]
                    orders += ledger.handle(.retriesDue(app, account), at: t0).reads
                }
            }
        }
        #expect(due == [])
        #expect(givenUp == [deadly])
        #expect(crashes <= 20)
    }

    @Test func `retries that crashed children do not block any part of their account`() {
        var ledger = ledger()
        for number in UInt32(1)...2 {
            let child = ChildID(rawValue: number)
            var reads = ledger.handle(.joined(child, capacity: 80), at: t0).reads
            reads += ledger.handle(.retriesDue(AppID(rawValue: 2), account), at: t0).reads
            for order in reads { _ = ledger.handle(.filled(order.grant, messages: 1), at: t0) }
            _ = ledger.handle(.lost(child, byFault: true), at: t0)
        }
        _ = ledger.handle(.found(.of(1...10), account), at: t0)
        let reads = ledger.handle(.joined(ChildID(rawValue: 3), capacity: 80), at: t0).reads
        #expect(reads.map(\.source) == [.part(1, 1...10)])
        let alone = ledger.handle(.joined(ChildID(rawValue: 4), capacity: 80), at: t0).reads
        #expect(alone.map(\.source) == [.retries(AppID(rawValue: 2), limit: 1)])
    }

    @Test
    func `a suspect waits for a child without other messages, and other accounts use the other children`() {
        var ledger = ledger()
        for number in UInt32(1)...2 {
            let child = ChildID(rawValue: number)
            for order in ledger.handle(.joined(child, capacity: 80), at: t0).reads {
                _ = ledger.handle(.filled(order.grant, messages: order.source.count), at: t0)
            }
            for order in ledger.handle(.found(.of(1...10), account), at: t0).reads {
                _ = ledger.handle(.filled(order.grant, messages: order.source.count), at: t0)
            }
            _ = ledger.handle(.lost(child, byFault: true), at: t0)
        }
        let suspects = ledger.handle(.joined(ChildID(rawValue: 3), capacity: 80), at: t0).reads
        #expect(suspects.map(\.source) == [.part(1, 1...5)], "half of it, and the child is its own")
        let none = ledger.handle(.found(.of(101...110, part: 2), other), at: t0).reads
        #expect(none.isEmpty)
        let others = ledger.handle(.joined(ChildID(rawValue: 4), capacity: 80), at: t0).reads
        #expect(others.map(\.account) == [other])
    }

    @Test func `a child that keeps messages for too long is reported`() {
        var ledger = ledger()
        _ = ledger.handle(.joined(.a, capacity: 160), at: t0)
        let order = ledger.handle(.found(.of(1...20), account), at: t0).reads[0]
        _ = ledger.handle(.filled(order.grant, messages: 20), at: t0)
        _ = ledger.handle(.settled(order.grant, outcomes: 19, requeued: 0), at: t0.advanced(bySeconds: 5))
        #expect(ledger.overdueChildren(at: t0.advanced(bySeconds: 59), afterSeconds: 60).isEmpty)
        #expect(ledger.overdueChildren(at: t0.advanced(bySeconds: 60), afterSeconds: 60) == [.a])
        _ = ledger.handle(.settled(order.grant, outcomes: 1, requeued: 0), at: t0.advanced(bySeconds: 60))
        #expect(ledger.overdueChildren(at: t0.advanced(bySeconds: 60), afterSeconds: 60).isEmpty)
    }
}
