import Testing
import pushsink

@Suite struct FCMRouteTests {
    private func route(_ path: String, _ method: String = "POST") -> FCMRoute? {
        method.asBytes { method in path.asBytes { FCMRoute(method: method, path: $0) } }
    }

    @Test func `each of the two APIs has its own path`() {
        #expect(route("/v1/projects/ab/messages:send") == .v1(project: 13..<15))
        #expect(route("/v1/projects/ab/messages:send?alt=json") == .v1(project: 13..<15))
        #expect(route("/fcm/send") == .legacy)
    }

    @Test(arguments: [
        "", "/", "/fcm/send/", "/v1/projects//messages:send", "/v1/projects/a/b/messages:send",
        "/v1/projects/ab/messages", "/v1/projects/messages:send", "/batch", "/v1/projects/",
    ])
    func `other paths and methods are refused as nonexistent`(path: String) {
        #expect(route(path) == nil)
        #expect(route("/fcm/send", "GET") == nil)
    }
}
