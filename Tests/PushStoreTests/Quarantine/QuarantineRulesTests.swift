import PushModel
import PushStore
import Testing

@Suite struct QuarantineRulesTests {
    private static let day: Int64 = 86_400
    private static let start = WallTime(secondsSince1970: 1_795_262_400)
    private let rules = QuarantineRules(maxErrors: 5, significantErrorDelaySeconds: day)

    /// Adds errors at the given numbers of seconds after the first error.
    /// - Returns: The count after each error.
    private func counts(_ offsets: [Int64], under rules: QuarantineRules? = nil) -> [Int] {
        var errors = TokenErrors(at: Self.start)
        return offsets.map {
            errors.note(at: Self.start.advanced(bySeconds: $0), under: rules ?? self.rules)
            return errors.count
        }
    }

    @Test func `errors one day apart count, and the fifth error exceeds the limit`() {
        #expect(counts([Self.day, 2 * Self.day, 3 * Self.day, 4 * Self.day]) == [2, 3, 4, 5])
        #expect(!TokenErrors(count: 4, last: Self.start).quarantines(under: rules))
        #expect(TokenErrors(count: 5, last: Self.start).quarantines(under: rules))
    }

    @Test func `an error soon after the last counted error does not count`() {
        #expect(counts([0, 1, Self.day - 1]) == [1, 1, 1])
        // The distance is measured from the last error that counted, not from the last error.
        #expect(counts([Self.day - 1, Self.day, 2 * Self.day - 1, 2 * Self.day]) == [1, 2, 2, 3])
    }

    @Test func `the count restarts after ten days without errors`() {
        #expect(counts([Self.day, 11 * Self.day]) == [2, 3])
        #expect(counts([Self.day, 11 * Self.day + 1, 12 * Self.day + 1]) == [2, 1, 2])
    }

    @Test func `if the required delay is longer than the quiet period, a second error never counts`() {
        let slow = QuarantineRules(maxErrors: 2, significantErrorDelaySeconds: 20 * Self.day)
        #expect(
            counts([5 * Self.day, 10 * Self.day, 15 * Self.day, 30 * Self.day], under: slow) == [1, 1, 1, 1])
    }

    @Test func `if no delay is required, every error counts, except an error dated before the last one`() {
        let strict = QuarantineRules(maxErrors: 1, significantErrorDelaySeconds: 0)
        #expect(counts([0, 0, 5, -1], under: strict) == [2, 3, 4, 4])
        #expect(TokenErrors(at: Self.start).quarantines(under: strict))
        let odd = QuarantineRules(maxErrors: 1, significantErrorDelaySeconds: -9)
        #expect(counts([-1, 0], under: odd) == [1, 2])
    }
}
