import PushModel
import PushSystem
import Testing

@Suite struct ClocksTests {
    @Test func `the steady clock never goes back, in either of its forms`() {
        var last = Clocks.monotonic().nanoseconds
        for _ in 0..<1_000 {
            let numbers = [Clocks.monotonicNanoseconds(), Clocks.monotonic().nanoseconds]
            #expect(last <= numbers[0] && numbers[0] <= numbers[1])
            last = numbers[1]
        }
    }

    @Test func `the wall clock's second matches its moment`() {
        let before = Clocks.wall()
        let moment = Clocks.moment().time
        #expect(before <= moment && moment <= Clocks.wall())
    }
}
