import PushWeb
import Testing

@Suite struct PipelinedRequestsTests {
    @Test func `one request is waited for, worked at, and followed by a wait for the next`() {
        var requests = PipelinedRequests()
        #expect(requests.headCame() == .forClient)
        #expect(requests.endCame() == .forService)
        #expect(requests.wasAnswered() == .forClient)
    }

    @Test
    func `a request that has not come whole is no wait for the client while the one before is worked at`() {
        var requests = PipelinedRequests()
        _ = (requests.headCame(), requests.endCame())
        #expect(requests.headCame() == nil)
        // Now nothing but its rest is missing.
        #expect(requests.wasAnswered() == .forClient)
        #expect(requests.endCame() == .forService)
    }

    @Test func `of several that have come, the last answer begins the wait`() {
        var requests = PipelinedRequests()
        for _ in 0..<3 { _ = (requests.headCame(), requests.endCame()) }
        #expect(requests.wasAnswered() == nil)
        #expect(requests.wasAnswered() == nil)
        #expect(requests.wasAnswered() == .forClient)
    }

    @Test func `the rest of a request that was answered before it came whole is waited for`() {
        var requests = PipelinedRequests()
        _ = requests.headCame()
        #expect(requests.wasAnswered() == .forClient)
        #expect(requests.endCame() == nil)
        #expect(requests.headCame() == .forClient)
        #expect(requests.endCame() == .forService)
    }
}
