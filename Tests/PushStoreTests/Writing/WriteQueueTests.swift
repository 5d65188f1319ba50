import PushModel
import PushStore
import Testing

@Suite struct WriteQueueTests {
    private static let start = MonotonicTime(nanoseconds: 1_000_000_000_000)

    private func unit(
        _ id: UInt64, _ kind: WriteClass = .outcomes, rows: Int = 10, merges: Bool = false,
        of delivery: Int64? = nil,
        at time: MonotonicTime = start.advanced(bySeconds: -1)
    ) -> WriteQueue.Unit {
        WriteQueue.Unit(
            id: id, kind: kind, rows: rows, merges: merges,
            delivery: delivery.map(DeliveryID.init(rawValue:)),
            submitted: time)
    }

    /// Returns the ids to be written next; `nil` if there are none now.
    private func next(_ queue: inout WriteQueue, at time: MonotonicTime = start) -> [UInt64]? {
        if case .run(let units) = queue.next(at: time) { units.map(\.id) } else { nil }
    }

    private func end(
        _ queue: inout WriteQueue, _ end: WriteQueue.End, at time: MonotonicTime = start
    ) -> [WriteQueue.Action] {
        queue.ended(end, nanoseconds: 1_000_000, at: time)
    }

    @Test func `classes are served in their order, and share a commit while it is short`() {
        var queue = WriteQueue()
        for (id, kind) in [WriteClass.preparation, .control, .outcomes].enumerated() {
            _ = queue.add(unit(UInt64(id), kind))
        }
        #expect(next(&queue) == [2, 1, 0])
    }

    @Test func `units that are recorded together come first in their group, in order`() {
        var queue = WriteQueue()
        for (id, merges) in [true, false, true].enumerated() {
            _ = queue.add(unit(UInt64(id), merges: merges))
        }
        #expect(next(&queue) == [0, 2, 1])
    }

    @Test func `the number of rows in a group is limited, and a larger unit is written alone`() {
        var queue = WriteQueue()
        for (id, rows) in [2_000, 2_900, 1, 5_000].enumerated() {
            _ = queue.add(unit(UInt64(id), rows: rows))
        }
        #expect(next(&queue) == [0, 1])
        _ = end(&queue, .committed(units: 2))
        #expect(next(&queue) == [2])
        _ = end(&queue, .committed(units: 1))
        #expect(next(&queue) == [3])
    }

    @Test
    func
        `if commits are expensive, chunks are prepared while outcomes gather, and no other unit has to wait`()
    {
        var queue = WriteQueue(batching: .byAServer)
        _ = queue.add(unit(0, at: Self.start))
        #expect(next(&queue) == [0])
        _ = end(&queue, .committed(units: 1))
        _ = queue.add(unit(1, at: Self.start))
        for id in 2...4 { _ = queue.add(unit(UInt64(id), .preparation, rows: 4_900, at: Self.start)) }
        let soon = Self.start.advanced(byMilliseconds: 39)
        #expect(next(&queue, at: soon) == [2])
        _ = end(&queue, .committed(units: 1), at: soon)
        // The units wait for other units no longer than that.
        let gathered = Self.start.advanced(byMilliseconds: 40)
        #expect(next(&queue, at: gathered) == [1])
        _ = end(&queue, .committed(units: 1), at: gathered)
        _ = queue.add(unit(5, at: gathered))
        _ = queue.add(unit(6, .control, at: gathered))
        #expect(next(&queue, at: gathered) == [5, 6])
        _ = end(&queue, .committed(units: 2), at: gathered)
        _ = queue.add(unit(7, rows: 4_000, at: gathered))
        #expect(next(&queue, at: gathered) == [7])
    }

    @Test
    func `outcomes are gathered between consecutive commits, unless many outcomes or other units wait`() {
        var queue = WriteQueue()
        _ = queue.add(unit(0, at: Self.start))
        #expect(next(&queue) == [0])
        _ = end(&queue, .committed(units: 1))
        let gathered = Self.start.advanced(byMilliseconds: 3)
        let soon = Self.start.advanced(byMilliseconds: 1)
        _ = queue.add(unit(0, at: soon))
        #expect(queue.next(at: soon) == .rest(until: gathered))
        #expect(next(&queue, at: gathered) == [0])
        _ = end(&queue, .committed(units: 1))
        // Many rows, and soon more.
        let half = WriteQueue.BatchingPolicy.inAFile.rows / 2
        _ = queue.add(unit(0, rows: half, at: Self.start))
        #expect(queue.next(at: gathered) == .rest(until: Self.start.advanced(byMilliseconds: 8)))
        #expect(next(&queue, at: Self.start.advanced(byMilliseconds: 8)) == [0])
        _ = end(&queue, .committed(units: 1))
        for id in [1, 2] as [UInt64] { _ = queue.add(unit(id, rows: half, at: Self.start)) }
        #expect(next(&queue) == [1, 2])
        _ = end(&queue, .committed(units: 2))
        _ = queue.add(unit(3, at: Self.start))
        _ = queue.add(unit(4, .preparation, rows: 4_900, at: Self.start))
        #expect(next(&queue) == [3])
        _ = end(&queue, .committed(units: 1))
        #expect(next(&queue) == [4])
    }

    @Test
    func `device reports are written immediately, together with outcomes while a delivery has outcomes`() {
        var queue = WriteQueue()
        for id in [0, 1] as [UInt64] {
            _ = queue.add(unit(id, .hits, at: Self.start))
            #expect(next(&queue) == [id])
            _ = end(&queue, .committed(units: 1))
        }
        _ = queue.add(unit(2, at: Self.start))
        let gathered = Self.start.advanced(byMilliseconds: 3)
        #expect(queue.next(at: Self.start) == .rest(until: gathered))
        _ = queue.add(unit(3, .registrations, at: Self.start))
        _ = queue.add(unit(4, .hits, at: Self.start))
        #expect(queue.next(at: Self.start) == .rest(until: gathered))
        #expect(next(&queue, at: gathered) == [2, 3, 4])
        _ = end(&queue, .committed(units: 3), at: gathered)
        // Outcomes have just been written, so more outcomes are expected.
        _ = queue.add(unit(5, .hits, at: gathered))
        #expect(queue.next(at: gathered) == .rest(until: gathered.advanced(byMilliseconds: 3)))
        // An order does not wait, and takes the waiting units along.
        _ = queue.add(unit(6, .control, at: gathered))
        #expect(next(&queue, at: gathered) == [6, 5])
        _ = end(&queue, .committed(units: 2), at: gathered.advanced(byMilliseconds: 4))
        _ = queue.add(unit(7, .hits, at: gathered.advanced(byMilliseconds: 4)))
        #expect(next(&queue, at: gathered.advanced(byMilliseconds: 4)) == [7])
    }

    @Test func `gathering outcomes never exhausts a child's credit`() {
        var queue = WriteQueue(batching: .byAServer.within(capacity: 400))
        _ = queue.add(unit(0, at: Self.start))
        #expect(next(&queue) == [0])
        _ = end(&queue, .committed(units: 1))
        _ = queue.add(unit(1, rows: 99, at: Self.start))
        let gathered = Self.start.advanced(byMilliseconds: WriteQueue.BatchingPolicy.byAServer.milliseconds)
        #expect(queue.next(at: Self.start) == .rest(until: gathered))
        _ = queue.add(unit(2, at: Self.start))
        #expect(next(&queue) == [1, 2])
        #expect(WriteQueue.BatchingPolicy.inAFile.within(capacity: 1).rows == 1)
        #expect(WriteQueue.BatchingPolicy.inAFile.within(capacity: 1_000_000) == .inAFile)
    }

    @Test func `units that are not tried within their group's time come first in the next group`() {
        var queue = WriteQueue()
        for id in 0..<3 { _ = queue.add(unit(UInt64(id))) }
        _ = next(&queue)
        #expect(end(&queue, .committed(units: 1)) == [.committed(unit(0))])
        #expect(next(&queue) == [1, 2])
    }

    @Test func `a group that fails permanently is halved until the unit that fails is alone`() {
        var queue = WriteQueue()
        for id in 0..<4 { _ = queue.add(unit(UInt64(id))) }
        #expect(next(&queue) == [0, 1, 2, 3])
        #expect(end(&queue, .failed(.setAside, delivery: nil)) == [])
        #expect(next(&queue) == [0, 1])
        #expect(end(&queue, .failed(.setAside, delivery: nil)) == [])
        #expect(next(&queue) == [0])
        #expect(end(&queue, .committed(units: 1)) == [.committed(unit(0))])
        #expect(next(&queue) == [1])
        let delivery = DeliveryID(rawValue: 7)
        #expect(end(&queue, .failed(.setAside, delivery: delivery)) == [.setAside(unit(1), delivery)])
        #expect(next(&queue) == [2, 3])
        #expect(end(&queue, .committed(units: 2)) == [.committed(unit(2)), .committed(unit(3))])
        #expect(queue.isEmpty)
    }

    @Test func `an error that a caller caused affects only this caller`() {
        var queue = WriteQueue()
        for id in 0..<2 { _ = queue.add(unit(UInt64(id), .control)) }
        _ = next(&queue)
        #expect(end(&queue, .failed(.refuse, delivery: nil)) == [])
        #expect(next(&queue) == [0])
        #expect(end(&queue, .failed(.refuse, delivery: nil)) == [.refused(unit(0, .control))])
        #expect(next(&queue) == [1])
    }

    @Test(arguments: [WriteRemedy.wait, .engineFault])
    func `a failure of the store is reported once, and all units wait`(remedy: WriteRemedy) {
        var queue = WriteQueue()
        _ = queue.add(unit(0))
        _ = next(&queue)
        #expect(end(&queue, .failed(remedy, delivery: DeliveryID(rawValue: 1))) == [.failure])
        _ = queue.add(unit(1))
        #expect(next(&queue, at: Self.start.advanced(byMilliseconds: 999)) == nil)
        let later = Self.start.advanced(bySeconds: 1)
        #expect(next(&queue, at: later) == [0, 1])
        #expect(end(&queue, .failed(remedy, delivery: nil), at: later) == [])
        let latest = Self.start.advanced(bySeconds: 2)
        #expect(next(&queue, at: latest) == [0, 1])
        #expect(
            end(&queue, .committed(units: 2), at: latest) == [
                .committed(unit(0)), .committed(unit(1)), .recovered,
            ])
    }

    @Test(arguments: WriteClass.allCases)
    func `during a store failure, waiting callers receive an answer, and all other units wait`(
        kind: WriteClass
    ) {
        var queue = WriteQueue()
        _ = queue.add(unit(0, kind))
        _ = next(&queue)
        let isAnswered = [.control, .registrations, .hits].contains(kind)
        let answer: [WriteQueue.Action] = isAnswered ? [.refused(unit(0, kind))] : []
        #expect(end(&queue, .failed(.wait, delivery: nil)) == answer + [.failure])
        #expect(queue.isEmpty == isAnswered)
    }

    @Test func `a group that can be retried is retried immediately, for a limited number of times`() {
        var queue = WriteQueue()
        _ = queue.add(unit(0))
        for _ in 0..<3 {
            #expect(next(&queue) == [0])
            #expect(end(&queue, .failed(.tryAgain, delivery: nil)) == [])
        }
        #expect(next(&queue) == [0])
        #expect(end(&queue, .failed(.tryAgain, delivery: nil)) == [.failure])
        #expect(next(&queue) == nil)
    }

    @Test func `failures for three deliveries within a minute count as a store failure`() {
        var queue = WriteQueue()
        func fail(_ delivery: Int64, after seconds: Int64) -> [WriteQueue.Action] {
            let now = Self.start.advanced(bySeconds: seconds)
            _ = next(&queue, at: now)
            return end(&queue, .failed(.setAside, delivery: DeliveryID(rawValue: delivery)), at: now)
        }
        for (id, delivery) in [1, 2, 2, 3].enumerated() {
            _ = queue.add(unit(UInt64(id), rows: 4_900))
            let actions = fail(Int64(delivery), after: 0)
            let expected: WriteQueue.Action =
                delivery < 3
                ? .setAside(unit(UInt64(id), rows: 4_900), DeliveryID(rawValue: Int64(delivery))) : .failure
            #expect(actions == [expected])
        }
        #expect(next(&queue, at: Self.start.advanced(byMilliseconds: 500)) == nil)
        #expect(fail(3, after: 59) == [])
        let last = unit(3, rows: 4_900)
        #expect(fail(3, after: 61) == [.recovered, .setAside(last, DeliveryID(rawValue: 3))])
    }

    /// Runs two deliveries that cannot be written, then a group that can, and then a third delivery that
    /// cannot.
    private func third(after group: [WriteQueue.Unit]) -> (queue: WriteQueue, actions: [WriteQueue.Action]) {
        var queue = WriteQueue()
        for id in [1, 2] as [UInt64] {
            _ = queue.add(unit(id, of: Int64(id)))
            _ = next(&queue)
            #expect(end(&queue, .failed(.setAside, delivery: DeliveryID(rawValue: Int64(id)))).count == 1)
        }
        for unit in group { _ = queue.add(unit) }
        _ = next(&queue)
        _ = end(&queue, .committed(units: group.count))
        _ = queue.add(unit(3, of: 3))
        _ = next(&queue)
        let actions = end(&queue, .failed(.setAside, delivery: DeliveryID(rawValue: 3)))
        return (queue, actions)
    }

    @Test func `a commit for another delivery is evidence that the store works`() {
        #expect(
            third(after: [unit(8), unit(9, of: 9)]).actions == [
                .setAside(unit(3, of: 3), DeliveryID(rawValue: 3))
            ])
    }

    @Test func `a commit for the damaged deliveries, or for no delivery, does not count as such evidence`() {
        #expect(third(after: [unit(8), unit(9, of: 2)]).actions == [.failure])
    }

    @Test func `while the store seems damaged, its units are tried in turns`() {
        var queue = third(after: [unit(8)]).queue
        _ = queue.add(unit(9, rows: 4_900, of: 9))
        var now = Self.start.advanced(bySeconds: 1)
        #expect(next(&queue, at: now) == [3])
        #expect(end(&queue, .failed(.setAside, delivery: DeliveryID(rawValue: 3)), at: now) == [])
        now = now.advanced(bySeconds: 1)
        #expect(next(&queue, at: now) == [9])
        #expect(
            end(&queue, .committed(units: 1), at: now) == [
                .committed(unit(9, rows: 4_900, of: 9)), .recovered,
            ])
        #expect(next(&queue, at: now) == [3])
        let last = end(&queue, .failed(.setAside, delivery: DeliveryID(rawValue: 3)), at: now)
        #expect(last == [.setAside(unit(3, of: 3), DeliveryID(rawValue: 3))])
    }

    @Test func `a group whose commit is uncertain is not written a second time`() {
        var queue = WriteQueue()
        for id in 0..<2 { _ = queue.add(unit(UInt64(id))) }
        _ = next(&queue)
        #expect(end(&queue, .unknown) == [.unknown(unit(0)), .unknown(unit(1))])
        #expect(queue.isEmpty)
    }

    @Test func `a class whose queue is full refuses units, and outcomes are never refused`() {
        var queue = WriteQueue()
        let admitted = (0..<30_000).count { queue.add(unit(UInt64($0), .control)) }
        #expect(admitted == 1_000)
        let outcomes = (0..<30_000).count { queue.add(unit(UInt64($0), .outcomes)) }
        #expect(outcomes == 30_000)
        // A unit that waits too long shows that further units would wait even longer.
        let hits = [0, 10, 11].map { queue.add(unit(1, .hits, at: Self.start.advanced(bySeconds: $0))) }
        #expect(hits == [true, true, false])
    }

    @Test func `only units that have not begun are dropped, including suspect units`() {
        var queue = WriteQueue()
        for (id, kind) in [WriteClass.bulk, .outcomes, .bulk].enumerated() {
            _ = queue.add(unit(UInt64(id), kind))
        }
        _ = next(&queue)
        _ = end(&queue, .failed(.setAside, delivery: nil))
        _ = queue.add(unit(9, .bulk))
        #expect(Set(queue.drop([.bulk]).map(\.id)) == [0, 2, 9])
        #expect(next(&queue) == [1])
        _ = end(&queue, .committed(units: 1))
        #expect(queue.isEmpty)
    }
}
