import Testing
import pushsink

@Suite struct HTTPDateTests {
    @Test(arguments: [
        (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
        (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (951_868_800, "Wed, 01 Mar 2000 00:00:00 GMT"),
        (1_798_761_599, "Thu, 31 Dec 2026 23:59:59 GMT"), (1_798_761_600, "Fri, 01 Jan 2027 00:00:00 GMT"),
    ])
    func `seconds are converted to an HTTP date`(seconds: Int, text: String) {
        #expect(HTTPDate.text(seconds) == text)
    }

    @Test func `a retry date is calculated from the moment of the answer`() {
        #expect(RetryAfter.seconds(5).text(atSeconds: 784_111_777) == "5")
        #expect(RetryAfter.date(3).text(atSeconds: 784_111_777) == "Sun, 06 Nov 1994 08:49:40 GMT")
    }
}
