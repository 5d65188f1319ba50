import PushModel
import PushSchedule
import TestSupport
import Testing

@Suite struct WaitingRangesTests {
    static func range(
        _ part: Int64, _ messages: ClosedRange<Int64>, delivery: Int64 = 1, app: Int64 = 1,
        priority: DeliveryPriority = .normal, losses: Int = 0
    ) -> WaitingRange {
        var noted = Losses()
        noted.all = losses
        return WaitingRange(
            part: PartID(rawValue: part), delivery: DeliveryID(rawValue: delivery), app: AppID(rawValue: app),
            priority: priority,
            messages: MessageID(rawValue: messages.lowerBound)...MessageID(rawValue: messages.upperBound),
            losses: noted)
    }

    private func parts(of ranges: inout WaitingRanges, each wanted: Int = .max) -> [Int64] {
        var parts: [Int64] = []
        while let range = ranges.take(wanted) { parts.append(range.part.rawValue) }
        return parts
    }

    @Test func `higher priorities come first, regardless of arrival`() {
        var ranges = WaitingRanges()
        for (part, priority) in [DeliveryPriority.veryLow, .high, .normal, .low, .veryHigh].enumerated() {
            let part = Int64(part)
            ranges.add(Self.range(part, part...part, delivery: part, priority: priority))
        }
        #expect(ranges.count == 5 && ranges.urgentCount == 2)
        #expect(parts(of: &ranges) == [4, 1, 2, 3, 0])
        #expect(ranges.isEmpty && !ranges.hasUrgent)
    }

    @Test func `deliveries with the same priority take turns, and each continues where it stopped`() {
        var ranges = WaitingRanges()
        ranges.add(Self.range(1, 1...750, delivery: 1))
        ranges.add(Self.range(2, 751...1_000, delivery: 1))
        ranges.add(Self.range(3, 1_001...1_100, delivery: 2))
        #expect(parts(of: &ranges, each: 250) == [1, 3, 1, 1, 2])
    }

    @Test func `a turn has the same number of messages whether ranges are small or large`() {
        var ranges = WaitingRanges()
        for part in Int64(0)..<3 {
            ranges.add(Self.range(part, part * 1_000...part * 1_000 + 999, delivery: 1))
        }
        for part in Int64(10)..<310 { ranges.add(Self.range(part, part * 1_000...part * 1_000, delivery: 2)) }
        let order = parts(of: &ranges)
        #expect(order == [0] + Array(10..<260) + [1] + Array(260..<310) + [2])
    }

    @Test func `returned ranges precede their delivery's waiting ranges, and failed probes follow them`() {
        var ranges = WaitingRanges()
        ranges.add(Self.range(1, 1...10))
        ranges.add(Self.range(2, 11...20), isLast: false)
        ranges.add(Self.range(3, 21...30), isLast: true)
        #expect(parts(of: &ranges) == [2, 1, 3])
    }

    @Test func `a suspect's turn comes after all earlier ranges, even while more ranges arrive`() {
        var ranges = WaitingRanges()
        ranges.add(Self.range(1, 1...1))
        ranges.add(Self.range(2, 2...2, losses: 2))
        for part in Int64(3)...9 { ranges.add(Self.range(part, part...part)) }
        #expect(parts(of: &ranges).prefix(3) == [1, 2, 3])
    }

    @Test func `urgent messages do not wait for a suspect`() {
        var ranges = WaitingRanges()
        ranges.add(Self.range(1, 1...4, losses: 2))
        ranges.add(Self.range(2, 5...5, priority: .veryHigh))
        #expect(ranges.next?.part == PartID(rawValue: 2))
        #expect(parts(of: &ranges, each: 2) == [2, 1, 1])
    }

    @Test func `a removed delivery or app leaves no waiting range`() {
        var ranges = WaitingRanges()
        ranges.add(Self.range(1, 1...1, delivery: 1, app: 1))
        ranges.add(Self.range(2, 2...2, delivery: 1, app: 2))
        ranges.add(Self.range(3, 3...3, delivery: 2, app: 1, priority: .high))
        ranges.add(Self.range(4, 4...4, delivery: 2, app: 2, losses: 5))
        #expect(Set(ranges.removeAll(of: AppID(rawValue: 1)).map(\.part.rawValue)) == [1, 3])
        #expect(ranges.count == 2 && ranges.urgentCount == 0)
        #expect(ranges.removeAll(of: DeliveryID(rawValue: 2)).map(\.part.rawValue) == [4])
        #expect(ranges.removeAll(of: DeliveryID(rawValue: 7)).isEmpty)
        #expect(parts(of: &ranges) == [2])
    }

    @Test(arguments: 0..<40)
    func `in any sequence of events, each message is granted once and never before a higher priority`(
        seed: UInt64
    ) {
        var random = SeededRandom(seed: seed)
        var ranges = WaitingRanges()
        var waiting: [Int64: DeliveryPriority] = [:]
        var suspects: Set<Int64> = []
        var last: Int64 = 0
        for _ in 0..<600 {
            switch random.below(8) {
            case 0...2:
                let count = Int64(random.below(20) + 1)
                let priority = DeliveryPriority.allCases[random.below(5)]
                let isSuspect = random.below(6) == 0
                let range = Self.range(
                    last, last + 1...last + count, delivery: Int64(random.below(4) * 5 + priority.rank),
                    app: Int64(random.below(3)), priority: priority, losses: isSuspect ? 2 : 0)
                for message in last + 1...last + count {
                    waiting[message] = priority
                    if isSuspect { suspects.insert(message) }
                }
                last += count
                ranges.add(range, isLast: random.below(2) == 0)
            case 3 where random.below(5) == 0:
                forget(
                    ranges.removeAll(of: DeliveryID(rawValue: Int64(random.below(20)))), &waiting, &suspects)
            case 4 where random.below(5) == 0:
                forget(ranges.removeAll(of: AppID(rawValue: Int64(random.below(3)))), &waiting, &suspects)
            default:
                let next = ranges.next
                guard let taken = ranges.take(random.below(12) + 1) else {
                    #expect(waiting.isEmpty && next == nil)
                    continue
                }
                #expect(taken.part == next?.part && taken.messages.lowerBound == next?.messages.lowerBound)
                let isSound = !suspects.contains(taken.messages.lowerBound.rawValue)
                let highest = waiting.filter { !suspects.contains($0.key) }.values.map(\.rank).max() ?? -1
                if isSound { #expect(taken.priority.rank == highest) }
                if !isSound { #expect(highest <= DeliveryPriority.normal.rank) }
                forget([taken], &waiting, &suspects)
            }
        }
        while let taken = ranges.take(random.below(12) + 1) { forget([taken], &waiting, &suspects) }
        #expect(waiting.isEmpty && ranges.isEmpty && ranges.urgentCount == 0)
    }

    private func forget(
        _ ranges: [WaitingRange], _ waiting: inout [Int64: DeliveryPriority], _ suspects: inout Set<Int64>
    ) {
        for range in ranges {
            for message in range.messages.lowerBound.rawValue...range.messages.upperBound.rawValue {
                #expect(
                    waiting.removeValue(forKey: message) == range.priority,
                    "message \(message) came out twice")
                suspects.remove(message)
            }
        }
    }
}
