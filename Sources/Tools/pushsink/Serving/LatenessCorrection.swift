/// Calculates how early alarms must ring so that delayed answers leave when they are due, on average.
///
/// A timer wakes its thread late, and a burst of answers takes time to be composed and written. A delay of 20
/// ms became 20.4 ms, so that a client appeared to be slower by 2 % because of the gateway. The lateness of
/// past answers determines how much earlier the alarms of the next ones ring.
package struct LatenessCorrection {
    private var lead = 0.0
    /// For the answers that have not left yet: their number, and the sum of their due times relative to the
    /// first one.
    private var count = 0.0
    private var first = Instant(nanoseconds: 0)
    private var sum = 0.0

    /// The fraction of an answer's lateness that is added to the lead.
    private static let gain = 1.0 / 4096
    /// An answer is early by at most a twentieth of its delay.
    private static let mostOfDelay = 20.0

    package init() {}

    /// Returns how early the alarm must ring for an answer that is due after `delay`.
    package func lead(of delay: Instant.Span) -> Instant.Span {
        Instant.Span(nanoseconds: UInt64(min(lead, Double(delay.nanoseconds) / Self.mostOfDelay)))
    }

    /// Notes that an answer is being composed.
    package mutating func answers(dueAt due: Instant) {
        if count == 0 { first = due }
        count += 1
        sum += Self.nanoseconds(from: first, to: due)
    }

    /// Notes that the composed answers have been written.
    package mutating func left(at now: Instant) {
        guard count > 0 else { return }
        let late = Self.nanoseconds(from: first, to: now) * count - sum
        lead = min(max(0, lead + late * Self.gain), Self.mostLead)
        (count, sum) = (0, 0)
    }

    /// A gateway that was stopped for a long time must not make up for it.
    private static let mostLead = 1_000_000.0

    private static func nanoseconds(from start: Instant, to end: Instant) -> Double {
        Double(Int64(bitPattern: end.nanoseconds &- start.nanoseconds))
    }
}
