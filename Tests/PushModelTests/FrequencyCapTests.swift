import PushModel
import Testing

@Suite struct FrequencyCapTests {
    @Test(
        arguments: [
            ("3 in 7d", 3, 604_800, "3 in 7d"), ("100 in 366d", 100, 366 * 86_400, "100 in 366d"),
            ("1 in 60s", 1, 60, "1 in 1m"), ("2 in 3600", 2, 3_600, "2 in 1h"),
        ] as [(String, Int, Int64, String)])
    func `a cap consists of a number of messages and a period`(
        text: String, messages: Int, seconds: Int64, shortest: String
    ) throws {
        let cap = try #require(FrequencyCap(text))
        #expect(cap.messages == messages && cap.seconds == seconds && cap.description == shortest)
        #expect(FrequencyCap(shortest) == cap)
    }

    @Test(arguments: [
        "", "3", "3 in", "in 7d", "0 in 7d", "101 in 7d", "3 in 0s", "3 in 59s", "3 in 367d", "-1 in 7d",
        "3 In 7d", "3  in 7d", " 3 in 7d", "3 in 7d ", "3 in 7w", "+3 in 7d", "3 in 99999999999999999999d",
        "99999999999999999999 in 7d", "three in 7d", "3 in 7d in 7d", "none",
    ])
    func `any other text is refused as a cap`(text: String) { #expect(FrequencyCap(text) == nil) }
}
