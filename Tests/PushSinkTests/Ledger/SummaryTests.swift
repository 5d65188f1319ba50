import Testing
import pushsink

@Suite struct SummaryTests {
    @Test func `a summary survives its JSON`() throws {
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

    @Test func `the text tells only of what there was`() {
        var summary = Summary()
        summary.requests = 7
        summary.rejectedByReason = ["Unregistered": 4]
        #expect(summary.text.contains("rejected     4  Unregistered"))
        #expect(!summary.text.contains("silent") && !summary.text.contains("faults"))
    }
}
