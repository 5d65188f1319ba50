import PushModel
import PushSystem
import Testing

@Suite struct ClocksTests {
    @Test func `neither form of the steady clock ever goes back`() {
        var last = Clocks.monotonic().nanoseconds
        for _ in 0..<1_000 {
            let numbers = [Clocks.monotonicNanoseconds(), Clocks.monotonic().nanoseconds]
            #expect(last <= numbers[0] && numbers[0] <= numbers[1])
            last = numbers[1]
        }
    }

    @Test func `the second that the wall clock returns matches its moment`() {
        let before = Clocks.wall()
        let moment = Clocks.moment().time
        #expect(before <= moment && moment <= Clocks.wall())
    }
}
