/// Calculates how early alarms must ring so that delayed answers leave when they are due, on average.
///
/// A timer wakes its thread late, and a burst of answers takes time to be composed and written. Without the
/// correction, a delay of 20 ms became 20.4 ms, so that the gateway made a client appear 2 % slower. The
/// lateness of past answers determines how much earlier the alarms of the next answers ring.
package struct LatenessCorrection {
    private var lead = 0.0
    /// The number of answers that have not left yet, and the sum of their due times relative to the first due
    /// time.
    private var count = 0.0
    private var first = Instant(nanoseconds: 0)
    private var sum = 0.0

    /// The fraction of an answer's lateness that is added to the lead.
    private static let gain = 1.0 / 4096
    /// The divisor that limits the lead: an answer is early by at most a twentieth of its delay.
    private static let mostOfDelay = 20.0

    package init() {}

    /// Returns how early the alarm must ring for an answer that is due after `delay`.
    package func lead(of delay: Instant.Span) -> Instant.Span {
        Instant.Span(nanoseconds: UInt64(min(lead, Double(delay.nanoseconds) / Self.mostOfDelay)))
    }

    /// Records that an answer is being composed.
    package mutating func answers(dueAt due: Instant) {
        if count == 0 { first = due }
        count += 1
        sum += Self.nanoseconds(from: first, to: due)
    }

    /// Records that the composed answers have been written.
    package mutating func left(at now: Instant) {
        guard count > 0 else { return }
        let late = Self.nanoseconds(from: first, to: now) * count - sum
        lead = min(max(0, lead + late * Self.gain), Self.mostLead)
        (count, sum) = (0, 0)
    }

    /// The maximum lead, in nanoseconds, so that a gateway that was stopped for a long time does not send all
    /// later answers too early.
    private static let mostLead = 1_000_000.0

    private static func nanoseconds(from start: Instant, to end: Instant) -> Double {
        Double(Int64(bitPattern: end.nanoseconds &- start.nanoseconds))
    }
}
