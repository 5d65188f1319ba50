import PushStore
import Testing

@Suite struct CopyPaceTests {
    @Test func `steps grow while they are fast, up to the maximum size of a transaction`() {
        var pace = CopyPace()
        var sizes: [Int] = []
        for _ in 0..<10 {
            sizes.append(pace.rows)
            pace.note(milliseconds: 3)
        }
        #expect(sizes == sizes.sorted() && sizes.last == 4_980)
    }

    @Test func `a step that took too long shortens the next step, to a minimum of fifty rows`() {
        var pace = CopyPace()
        pace.note(milliseconds: 51)
        #expect(pace.rows == 98)
        pace.note(milliseconds: 30)
        #expect(pace.rows == 98)
        pace.note(milliseconds: 100_000)
        #expect(pace.rows == 50)
        pace.note(milliseconds: .max)
        #expect(pace.rows == 50)
        pace.note(milliseconds: 0)
        #expect(pace.rows == 100)
    }
}
