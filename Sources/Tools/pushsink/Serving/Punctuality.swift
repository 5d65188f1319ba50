/// How much too soon alarms have to ring so that delayed answers leave when they are due, on average.
///
/// A timer wakes its thread late, and a burst of answers takes time to be put together and written: behind a delay of
/// 20 ms that made 20.4 ms, so that a client was said to be slow by 2 % that were the gateway's. What answers
/// were late by in the past is what the next ones ring earlier by.
package struct Punctuality {
    private var lead = 0.0
    /// Of those that have not left yet: how many, and the sum of their moments after the first one's.
    private var count = 0.0
    private var first = Instant(nanoseconds: 0)
    private var sum = 0.0

    /// What one answer changes the lead by.
    private static let gain = 1.0 / 4096
    /// An answer comes too soon by a twentieth of its delay at most.
    private static let mostOfDelay = 20.0

    package init() {}

    /// How much too soon the alarm of an answer has to ring that is due after `delay`.
    package func lead(of delay: Instant.Span) -> Instant.Span {
        Instant.Span(nanoseconds: UInt64(min(lead, Double(delay.nanoseconds) / Self.mostOfDelay)))
    }

    /// An answer is being put together.
    package mutating func answers(dueAt due: Instant) {
        if count == 0 { first = due }
        count += 1
        sum += Self.nanoseconds(from: first, to: due)
    }

    /// Those that were put together have been written.
    package mutating func left(at now: Instant) {
        guard count > 0 else { return }
        let late = Self.nanoseconds(from: first, to: now) * count - sum
        lead = min(max(0, lead + late * Self.gain), Self.mostLead)
        (count, sum) = (0, 0)
    }

    /// A gateway that was stopped for long is not to make up for it.
    private static let mostLead = 1_000_000.0

    private static func nanoseconds(from start: Instant, to end: Instant) -> Double {
        Double(Int64(bitPattern: end.nanoseconds &- start.nanoseconds))
    }
}
