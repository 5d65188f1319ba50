/// Arithmetic with numbers from a store that may be damaged. It saturates at the ends of the range, where `+`
/// would terminate the process. Moments are clamped only here.
extension Int64 {
    package func clampedSum(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    /// Returns a difference that is at least `-Int64.max`, so that it can be negated.
    package func clampedDifference(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : -.max) : Swift.max(difference, -.max)
    }

    package func clampedProduct(_ other: Int64) -> Int64 {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? ((self < 0) == (other < 0) ? .max : .min) : product
    }
}
