import PushModel
import PushWire
import Testing

@Suite struct RetryAfterTests {
    private let now = WallTime(secondsSince1970: 1_795_255_200)

    @Test(arguments: [
        ("0", 0), ("10", 10), (" 120\t", 120), ("86400", 86_400), ("86401", 86_400),
        ("99999999999999999999999999", 86_400),
    ])
    func `a number means seconds, up to one day`(text: String, seconds: Int32) {
        #expect(RetryAfter(text, now: now)?.seconds(from: now) == seconds)
    }

    @Test(arguments: [
        "Sat, 21 Nov 2026 10:01:30 GMT", "Saturday, 21-Nov-26 10:01:30 GMT", "Sat Nov 21 10:01:30 2026",
    ])
    func `a date in any of the three HTTP formats means an interval from now`(text: String) {
        #expect(RetryAfter(text, now: now) == .date(WallTime(secondsSince1970: 1_795_255_290)))
        #expect(RetryAfter(text, now: now)?.seconds(from: now) == 90)
        #expect(RetryAfter(text, now: now)?.seconds(from: now.advanced(bySeconds: 1_000)) == 0)
    }

    @Test func `the examples in RFC 9110 all mean the same moment`() {
        let moment = WallTime(secondsSince1970: 784_111_777)
        for text in [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        ] { #expect(RetryAfter(text, now: now) == .date(moment)) }
        #expect(RetryAfter("Sun, 06 Nov 1994 08:49:37 GMT", now: now)?.seconds(from: now) == 0)
    }

    @Test func `a year with two digits is never more than fifty years ahead`() {
        for (text, year) in [("Saturday, 21-Nov-76", "2076"), ("Monday, 21-Nov-77", "1977")] {
            let expected = WallTime(utc: "\(year)-11-21T10:00:00Z")
            #expect(RetryAfter("\(text) 10:00:00 GMT", now: now) == expected.map(RetryAfter.date))
        }
    }

    @Test func `a date far in the future means one day`() {
        #expect(RetryAfter("Fri, 31 Dec 9999 23:59:59 GMT", now: now)?.seconds(from: now) == 86_400)
    }

    @Test(arguments: [
        "", " ", "-1", "1.5", "+3", "soon", "10 s", "Sat, 21 Nov 2026 10:01:30",
        "Sat, 21 Nov 2026 10:01:30 CET",
        "Sat, 32 Nov 2026 10:01:30 GMT", "Sat, 21 Nox 2026 10:01:30 GMT", "Sat, 21 Nov 26 10:01:30 GMT",
        "Sat, 21 Nov 2026 25:01:30 GMT", "Saturday, 21-Nov-2026 10:01:30 GMT", "Sat, 21 Nov 2026 10:01 GMT",
        "١٠",
    ])
    func `any other value is ignored`(text: String) {
        #expect(RetryAfter(text, now: now) == nil)
    }
}
