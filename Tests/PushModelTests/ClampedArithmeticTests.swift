import PushModel
import Testing

/// Tests that a damaged moment in a row cannot end a process.
struct ClampedArithmeticTests {
    private static let extremes: [Int64] = [.min, .min + 1, -1_001, -1, 0, 1, 1_795_255_200, .max - 1, .max]

    @Test func `within the range, the results equal those of plus and minus`() {
        #expect((5 as Int64).clampedSum(-7) == -2 && (5 as Int64).clampedDifference(7) == -2)
        #expect((-5 as Int64).clampedProduct(7) == -35)
    }

    @Test func `beyond the range, the result is the nearest end of the range`() {
        #expect(Int64.max.clampedSum(1) == .max && Int64.min.clampedSum(-1) == .min)
        #expect(Int64.max.clampedDifference(-1) == .max && Int64.min.clampedDifference(1) == -.max)
        #expect(Int64.min.clampedDifference(0) == -.max && Int64.max.clampedDifference(.min) == .max)
        #expect(Int64.max.clampedProduct(2) == .max && Int64.min.clampedProduct(2) == .min)
        #expect(Int64.min.clampedProduct(-1) == .max && Int64.max.clampedProduct(-2) == .min)
    }

    @Test func `no calculation with a moment overflows`() {
        for one in Self.extremes {
            let (time, moment) = (WallTime(secondsSince1970: one), WallMoment(millisecondsSince1970: one))
            #expect(time.utcText.count == 20 && moment.utcText.count == 24, "\(one)")
            #expect(
                WallMoment(time) <= WallMoment(millisecondsSince1970: .max)
                    && moment.time <= WallTime(secondsSince1970: .max))
            for other in Self.extremes {
                let seconds = time.seconds(since: WallTime(secondsSince1970: other))
                #expect(abs(seconds) >= 0 && (seconds >= 0) == (one >= other))
                let later = time.advanced(bySeconds: other)
                #expect(other >= 0 ? later >= time : later <= time, "\(one) \(other)")
                #expect(moment.seconds(since: WallMoment(millisecondsSince1970: other)).isFinite)
            }
        }
    }

    @Test func `a moment between two seconds belongs to the earlier second, even before 1970`() {
        #expect(WallMoment(millisecondsSince1970: -1).time.secondsSince1970 == -1)
        #expect(
            WallMoment(millisecondsSince1970: 9_007_199_254_740_993_999).time.secondsSince1970
                == 9_007_199_254_740_993)
    }
}
