import Testing
import pushsink

@Suite struct PunctualityTests {
    private let delay = Instant.Span.milliseconds(20)

    /// Returns the delay of the last hundred answers after they were due, if each answer leaves `late` after
    /// its alarm.
    private func lateness(of punctuality: inout LatenessCorrection, each late: UInt64, count: Int) -> [Int64]
    {
        var now = Instant(nanoseconds: 1_000_000_000)
        return (0..<count).map { _ in
            now = now + .milliseconds(1)
            let due = now + delay
            let left = due - punctuality.lead(of: delay) + Instant.Span(nanoseconds: late)
            punctuality.answers(dueAt: due)
            punctuality.left(at: left)
            return Int64(bitPattern: left.nanoseconds &- due.nanoseconds)
        }.suffix(100)
    }

    @Test func `a constant delay in sending answers is compensated`() {
        var punctuality = LatenessCorrection()
        #expect(punctuality.lead(of: delay) == .zero)
        #expect(lateness(of: &punctuality, each: 400_000, count: 40_000).allSatisfy { abs($0) < 1_000 })
        // The machine has become faster.
        #expect(lateness(of: &punctuality, each: 100_000, count: 40_000).allSatisfy { abs($0) < 1_000 })
    }

    @Test func `a long suspension is not compensated, and a short delay stays short`() {
        var punctuality = LatenessCorrection()
        _ = lateness(of: &punctuality, each: 60_000_000_000, count: 10)
        #expect(punctuality.lead(of: .seconds(60)) == .milliseconds(1))
        #expect(punctuality.lead(of: .milliseconds(2)) == Instant.Span(nanoseconds: 100_000))
    }
}
