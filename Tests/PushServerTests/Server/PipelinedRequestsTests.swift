import PushServer
import Testing

@Suite struct PipelinedRequestsTests {
    @Test func `the server waits for a request, processes it, and then waits for the next request`() {
        var requests = PipelinedRequests()
        #expect(requests.headCame() == .forRequest)
        #expect(requests.endCame() == .forService)
        #expect(requests.wasAnswered() == .forNextRequest)
    }

    @Test
    func `an incomplete request starts no wait for the client while the previous request is processed`() {
        var requests = PipelinedRequests()
        _ = (requests.headCame(), requests.endCame())
        #expect(requests.headCame() == nil)
        // Now only the rest of the request has not arrived.
        #expect(requests.wasAnswered() == .forRequest)
        #expect(requests.endCame() == .forService)
    }

    @Test func `if several requests were received, the wait starts with the last answer`() {
        var requests = PipelinedRequests()
        for _ in 0..<3 { _ = (requests.headCame(), requests.endCame()) }
        #expect(requests.areSeveral)
        #expect(requests.wasAnswered() == nil)
        #expect(requests.wasAnswered() == nil)
        #expect(!requests.areSeveral)
        #expect(requests.wasAnswered() == .forNextRequest)
    }

    @Test func `the server waits for the rest of a request that it answered before the request was complete`()
    {
        var requests = PipelinedRequests()
        _ = requests.headCame()
        #expect(requests.wasAnswered() == .forRequest)
        #expect(requests.endCame() == nil)
        #expect(requests.headCame() == .forRequest)
        #expect(requests.endCame() == .forService)
    }

    @Test func `the server waits for a client that does not read, however many requests the client has sent`()
    {
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
