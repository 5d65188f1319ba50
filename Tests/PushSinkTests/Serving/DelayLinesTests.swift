import Testing
import pushsink

@Suite struct DelayLinesTests {
    private let start = Instant(nanoseconds: 1_000_000_000)

    @Test func `entries are returned in the order of their times, when they are due`() {
        var lines = DelayLines<String>()
        lines.add("late", after: .milliseconds(50), at: start)
        lines.add("early", after: .milliseconds(10), at: start)
        lines.add("middle", after: .milliseconds(10), at: start + .milliseconds(5))
        #expect(lines.next == start + .milliseconds(10))
        #expect(lines.take(at: start + .milliseconds(9)) == nil)
        let end = start + .milliseconds(60)
        #expect(
            [lines.take(at: end), lines.take(at: end), lines.take(at: end)] == ["early", "middle", "late"])
        #expect(lines.take(at: end) == nil && lines.next == nil)
    }

    @Test func `under random use, no entry is lost, early or out of order`() {
        var random = SystemRandomNumberGenerator()
        var lines = DelayLines<Int>()
        var due: [Int: Instant] = [:]
        var now = start
        for item in 0..<20_000 {
            let delay = Instant.Span.milliseconds([0, 1, 5, 70].randomElement(using: &random)!)
            lines.add(item, after: delay, at: now)
            due[item] = now + delay
            now = now + .milliseconds(UInt64.random(in: 0...3, using: &random))
            while let taken = lines.take(at: now) {
                let moment = due.removeValue(forKey: taken)
                #expect(moment.map { $0 <= now } == true)
            }
            if item % 512 == 0 { #expect(due.values.allSatisfy { $0 > now }) }
        }
        while let taken = lines.take(at: now + .seconds(1)) { #expect(due.removeValue(forKey: taken) != nil) }
        #expect(due.isEmpty && lines.next == nil)
    }
}
