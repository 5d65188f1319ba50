import PushModel
import Testing

@Suite struct DurationTextTests {
    @Test(arguments: [
        ("90s", 90), ("5m", 300), ("1h", 3_600), ("5d", 432_000), ("90", 90), ("0", 0), ("0s", 0),
        ("007m", 420),
    ])
    func `a duration is a number with its unit, or a number of seconds`(text: String, seconds: Int64) {
        #expect(DurationText.seconds(text) == seconds)
    }

    @Test(arguments: [
        "", "s", "-1", "+1s", "1.5h", "1 h", " 1h", "1H", "1w", "1h30m", "١s", "9223372036854775807m",
    ])
    func `any other text is refused as a duration`(text: String) {
        #expect(DurationText.seconds(text) == nil)
    }

    @Test(arguments: [
        (90, "90s"), (300, "5m"), (3_600, "1h"), (432_000, "5d"), (0, "0s"), (86_401, "86401s"),
    ])
    func `a duration is written in the largest unit that divides it`(seconds: Int64, text: String) {
        #expect(DurationText.text(seconds: seconds) == text)
        #expect(DurationText.seconds(text) == seconds)
    }
}
