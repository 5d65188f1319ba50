import Logging
import PushModel
import Testing
import pushmta

struct RepeatFilterTests {
    private static func record(_ message: String, at milliseconds: Int64) -> LogRecord {
        LogRecord(
            time: WallMoment(millisecondsSince1970: milliseconds), level: .warning, message: message)
    }
    private static let window = RepeatFilter.windowMilliseconds

    @Test func `a line is logged once within a minute, and the next line states how often it was repeated`() {
        var filter = RepeatFilter()
        #expect(filter.take(Self.record("a", at: 0))?.repeats == 0)
        #expect(filter.take(Self.record("a", at: 1)) == nil)
        #expect(filter.take(Self.record("a", at: Self.window - 1)) == nil)
        #expect(filter.hasUnreported)
        #expect(filter.take(Self.record("b", at: 5))?.repeats == 0)
        let next = filter.take(Self.record("a", at: Self.window))
        #expect(next?.repeats == 2 && next?.since?.millisecondsSince1970 == 0)
    }

    @Test func `if no equal line follows, the count is reported after the minute, with the current time`() {
        var filter = RepeatFilter()
        _ = filter.take(Self.record("a", at: 10))
        _ = filter.take(Self.record("a", at: 40))
        _ = filter.take(Self.record("b", at: 50))
        #expect(filter.tell(at: WallMoment(millisecondsSince1970: Self.window - 1)).isEmpty)
        let told = filter.tell(at: WallMoment(millisecondsSince1970: Self.window + 20))
        #expect(told.map(\.repeats) == [1] && told.first?.time.millisecondsSince1970 == Self.window + 20)
        #expect(told.first?.since?.millisecondsSince1970 == 10)
        #expect(!filter.hasUnreported)
        #expect(filter.take(Self.record("a", at: Self.window + 21))?.repeats == 0)
    }

    @Test func `all counts are reported at the end, in the order of the lines`() {
        var filter = RepeatFilter()
        for message in ["c", "a", "b", "c", "b", "a"] {
            _ = filter.take(Self.record(message, at: message == "c" ? 0 : message == "a" ? 1 : 2))
        }
        let told = filter.tell(at: WallMoment(millisecondsSince1970: 2), all: true)
        #expect(told.map(\.message) == ["c", "a", "b"])
    }

    @Test func `a clock that is set back does not suppress any line`() {
        var filter = RepeatFilter()
        _ = filter.take(Self.record("a", at: 1_000_000))
        #expect(filter.take(Self.record("a", at: 10)) != nil)
    }

    @Test func `very many different lines are all logged, and the filter's memory stays small`() {
        var filter = RepeatFilter()
        let said = (0..<5_000).count { filter.take(Self.record("line \($0)", at: 0)) != nil }
        #expect(said == 5_000)
        #expect(filter.take(Self.record("line 4999", at: 1)) != nil)
        #expect(filter.take(Self.record("line 1", at: 1)) == nil)
    }
}
