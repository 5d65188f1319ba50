import Testing
import pushsink

@Suite struct SummaryTests {
    @Test func `a summary is unchanged after conversion to JSON and back`() throws {
        var summary = Summary()
        summary.requests = 7
        summary.accepted = 3
        summary.distinctTokens = 2
        summary.rejectedByReason = ["Unregistered": 4]
        summary.requestsPerSecond = 12.5
        let again = try #require(Summary(json: summary.json))
        #expect(again == summary)
        #expect(Summary(json: Array("{".utf8)) == nil)
    }

    @Test func `requests are counted for each second since the first request, if requested`() {
        let begin = Instant(nanoseconds: 5_000_000_000)
        let counts = SinkCounts(countsDistinct: false)
        let silent = SinkCounts(countsDistinct: false)
        counts.seen.requestsBySecond = []
        for milliseconds in [0, 999, 1_000, 3_500] as [UInt64] {
            counts.arrived(at: begin + .milliseconds(milliseconds))
            silent.arrived(at: begin + .milliseconds(milliseconds))
        }
        #expect(counts.summary(peak: (0, 0)).requestsBySecond == [2, 1, 0, 1])
        #expect(silent.summary(peak: (0, 0)).requestsBySecond == nil)
    }

    @Test func `the text mentions only counts above zero`() {
        var summary = Summary()
        summary.requests = 7
        summary.rejectedByReason = ["Unregistered": 4]
        #expect(summary.text.contains("rejected     4  Unregistered"))
        #expect(!summary.text.contains("silent") && !summary.text.contains("faults"))
    }
}
