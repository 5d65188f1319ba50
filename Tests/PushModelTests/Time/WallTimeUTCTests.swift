import PushModel
import Testing

@Suite struct WallTimeUTCTests {
    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0), ("2000-02-29T23:59:59Z", 951_868_799),
        ("2026-11-21T10:00:00Z", 1_795_255_200),
        ("2100-03-01T00:00:00Z", 4_107_542_400), ("9999-12-31T23:59:59Z", 253_402_300_799),
        ("2024-12-31T00:00:00Z", 1_735_603_200),
    ])
    func `a time in UTC is parsed to its second, and is written back identically`(
        text: String, seconds: Int64
    ) {
        #expect(WallTime(utc: text)?.secondsSince1970 == seconds)
        #expect(WallTime(secondsSince1970: seconds).utcText == text)
    }

    @Test func `a fraction of a second is dropped`() {
        #expect(WallTime(utc: "2026-11-21T10:00:00.999Z")?.secondsSince1970 == 1_795_255_200)
    }

    @Test(arguments: [
        "", "2026-11-21", "2026-11-21T10:00:00", "2026-11-21T10:00:00+01:00", "2026-11-21 10:00:00Z",
        "2026-02-29T00:00:00Z", "2100-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z",
        "2026-04-31T00:00:00Z", "2026-11-00T00:00:00Z", "2026-11-21T24:00:00Z", "2026-11-21T10:60:00Z",
        "2026-11-21T10:00:60Z", "1969-12-31T23:59:59Z", "2026-11-21T10:00:00.Z", "2026-11-21T10:00:00,5Z",
        "2026-11-21T10:00:00z", "2026-1a-21T10:00:00Z", "2026-11-21T10:00:00.1234567890Z",
        "٢٠٢٦-11-21T10:00Z",
    ])
    func `a text that is not a time in UTC is refused`(text: String) {
        #expect(WallTime(utc: text) == nil)
    }

    @Test(arguments: [
        ("2026-11-21T10:00:00Z", 0), ("2026-11-21t10:00:00z", 0), ("2026-11-21T12:00:00+02:00", 0),
        ("2026-11-21T04:30:00.123456789-05:30", 0), ("2026-11-21T10:00:00-00:00", 0),
        ("2026-11-22T09:59:00+23:59", 0), ("2026-11-21T10:00:01.999Z", 1),
    ])
    func `a time may have any UTC offset`(text: String, seconds: Int64) {
        #expect(WallTime(rfc3339: text)?.secondsSince1970 == 1_795_255_200 + seconds)
        #expect(WallMoment(rfc3339: text)?.time == WallTime(rfc3339: text))
    }

    @Test(arguments: [
        "", "2026-11-21", "2026-11-21T10:00:00", "2026-11-21 10:00:00Z", "2026-11-21T10:00:00+24:00",
        "2026-11-21T10:00:00+01:60", "2026-11-21T10:00:00+0100", "2026-11-21T10:00:00+01",
        "2026-11-21T10:00:00+1:00",
        "2026-11-21T24:00:00+01:00", "2026-11-21T23:59:60Z", "2026-11-21T10:00:00Z+01:00",
        "1970-01-01T00:59:59+01:00",
        "9999-12-31T23:59:59-00:01", "2026-11-21T10:00:00.+01:00", "2026-11-21T10:00:00*01:00", "+01:00",
        "2026-11-21T10:00:00+٠١:00",
    ])
    func `a time without an offset, or with an impossible offset, is refused`(text: String) {
        #expect(WallTime(rfc3339: text) == nil)
        #expect(WallMoment(rfc3339: text) == nil)
    }

    @Test func `a moment that is written with an offset keeps its milliseconds`() {
        let moment = WallMoment(rfc3339: "2026-11-21T12:00:00.0419+02:00")
        #expect(moment?.millisecondsSince1970 == 1_795_255_200_041)
    }

    @Test func `every day in four centuries is unchanged after writing and parsing`() {
        for day in stride(from: Int64(0), to: 146_097, by: 1) {
            let time = WallTime(secondsSince1970: day * 86_400 + day % 86_400)
            guard WallTime(utc: time.utcText) == time else {
                Issue.record("day \(day) became \(time.utcText)")
                return
            }
        }
    }

    @Test(arguments: [
        (Int64.min, "0000-01-01T00:00:00Z"), (-62_167_219_201, "0000-01-01T00:00:00Z"),
        (253_402_300_800, "9999-12-31T23:59:59Z"), (.max, "9999-12-31T23:59:59Z"),
    ])
    func `a time beyond four-digit years is written as the nearest possible time`(
        seconds: Int64, text: String
    ) {
        #expect(WallTime(secondsSince1970: seconds).utcText == text)
    }

    @Test func `a moment before 1970 can be written`() {
        #expect(WallTime(secondsSince1970: -1).utcText == "1969-12-31T23:59:59Z")
    }
}
