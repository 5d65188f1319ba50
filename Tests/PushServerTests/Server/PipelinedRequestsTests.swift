import PushServer
import Testing

@Suite struct PipelinedRequestsTests {
    @Test func `one request is waited for, worked at, and followed by a wait for the next`() {
        var requests = PipelinedRequests()
        #expect(requests.headCame() == .forRequest)
        #expect(requests.endCame() == .forService)
        #expect(requests.wasAnswered() == .forNextRequest)
    }

    @Test
    func `a request that has not come whole is no wait for the client while the one before is worked at`() {
        var requests = PipelinedRequests()
        _ = (requests.headCame(), requests.endCame())
        #expect(requests.headCame() == nil)
        // Now only the rest of the request is missing.
        #expect(requests.wasAnswered() == .forRequest)
        #expect(requests.endCame() == .forService)
    }

    @Test func `of several that have come, the last answer begins the wait`() {
        var requests = PipelinedRequests()
        for _ in 0..<3 { _ = (requests.headCame(), requests.endCame()) }
        #expect(requests.areSeveral)
        #expect(requests.wasAnswered() == nil)
        #expect(requests.wasAnswered() == nil)
        #expect(!requests.areSeveral)
        #expect(requests.wasAnswered() == .forNextRequest)
    }

    @Test func `the rest of a request that was answered before it came whole is waited for`() {
        var requests = PipelinedRequests()
        _ = requests.headCame()
        #expect(requests.wasAnswered() == .forRequest)
        #expect(requests.endCame() == nil)
        #expect(requests.headCame() == .forRequest)
        #expect(requests.endCame() == .forService)
    }

    @Test func `a client that does not read is waited for, however much it has asked`() {
        var requests = PipelinedRequests()
        for _ in 0..<3 { _ = (requests.headCame(), requests.endCame()) }
        #expect(requests.became(isRead: false) == .forReader)
        #expect(requests.became(isRead: false) == nil)
        // Neither the client's requests nor the answers to them restart the wait.
        #expect(requests.headCame() == nil)
        #expect(requests.endCame() == nil)
        #expect(requests.wasAnswered() == nil)
        #expect(requests.became(isRead: true) == .forService)
        for _ in 0..<3 { _ = requests.wasAnswered() }
        #expect(requests.became(isRead: false) == .forReader)
        #expect(requests.became(isRead: true) == .forNextRequest)
    }
}
