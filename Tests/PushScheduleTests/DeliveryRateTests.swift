import PushModel
import PushSchedule
import Testing

@Suite struct DeliveryRateTests {
    private let t0 = MonotonicTime(nanoseconds: 5_000_000_000)

    /// Returns the number of messages that are granted to a caller that asks at this interval for this
    /// duration.
    private func taken(_ rate: Int, everyMilliseconds step: Int64, forMilliseconds length: Int64) -> Int {
        var rate = DeliveryRate(perSecond: rate, at: t0)
        var sum = 0
        for passed in stride(from: 0, through: length, by: Int64.Stride(step)) {
            let count = rate.available(.max, at: t0.advanced(byMilliseconds: passed))
            rate.take(count)
            rate.endReading(count)
            sum += count
        }
        return sum
    }

    @Test(arguments: [1, 3, 50, 2_000, 50_000], [1, 5, 17, 60] as [Int64])
    func `over ten seconds the rate is reached and never exceeded`(rate: Int, step: Int64) {
        let sum = taken(rate, everyMilliseconds: step, forMilliseconds: 10_000)
        #expect(sum <= rate * 10 + 1)
        #expect(Double(sum) >= Double(rate) * 10 * 0.98 - 1)
    }

    @Test func `an infrequent request may send for a tenth of a second, or at least one message`() {
        for (perSecond, most) in [(1, 1), (5, 1), (50, 5), (2_000, 200)] {
            var rate = DeliveryRate(perSecond: perSecond, at: t0)
            #expect(rate.available(.max, at: t0.advanced(bySeconds: 3_600)) == most)
            rate.take(most)
            rate.endReading(most)
            #expect(rate.available(.max, at: t0.advanced(bySeconds: 3_600)) == 0)
        }
    }

    @Test func `small grants wait until they are large enough, and the time when they will be is reported`() {
        var rate = DeliveryRate(perSecond: 2_000, at: t0)
        #expect(rate.available(.max, at: t0) == 0)
        #expect(rate.available(1, at: t0) == 1, "all that waits is one message")
        rate.take(1)
        rate.endReading(1)
        let moment = rate.nextMoment(at: t0)
        #expect(moment == t0.advanced(byMilliseconds: 20))
        #expect(rate.available(.max, at: t0.advanced(byMilliseconds: 19)) == 0)
        #expect(rate.available(.max, at: moment) == 40)
        #expect(rate.nextMoment(at: moment) == moment)
    }

    @Test func `an unused allowance may be taken again but does not accumulate`() {
        var rate = DeliveryRate(perSecond: 100, at: t0)
        let later = t0.advanced(bySeconds: 1)
        #expect(rate.available(.max, at: later) == 10)
        rate.take(10)
        rate.endReading(10)
        rate.giveBack(4)
        #expect(rate.available(.max, at: later) == 4)
        rate.giveBack(1_000)
        #expect(rate.available(.max, at: later) == 10)
        // Time that goes backwards, which should not happen, yields nothing.
        rate.take(10)
        rate.endReading(10)
        #expect(rate.available(.max, at: t0) == 0)
    }
}
