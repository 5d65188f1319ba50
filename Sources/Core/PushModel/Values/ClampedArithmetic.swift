/// Reckoning with numbers from a store that may be damaged: it ends at the ends of the range, where `+` would
/// end the process. Moments clamp here and nowhere else.
extension Int64 {
    package func clampedSum(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    /// From `-Int64.max` on: it can be negated.
    package func clampedDifference(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : -.max) : Swift.max(difference, -.max)
    }

    package func clampedProduct(_ other: Int64) -> Int64 {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? ((self < 0) == (other < 0) ? .max : .min) : product
    }
}
