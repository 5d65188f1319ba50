import PushConfig
import PushModel
import PushServer
import TestSupport
import Testing

/// Tests of the number of requests that each client may make, and of how clients are identified.
@Suite struct ClientLimitsTests {
    private static func status(_ web: WebFixture, from client: String, _ path: String = "/r/test") throws
        -> Int
    {
        try PlainHTTP.get(path, at: web.address, fields: "X-Forwarded-For: \(client)").status
    }

    private static func proxied(_ settings: inout WebConfiguration) {
        settings.maxRequestsPerSecondPerAddress = 1
        settings.trustedProxies = [IPNetwork("127.0.0.0/8")].compactMap(\.self)
    }

    @Test func `a client that exceeds its rate is refused with a reason, and other clients are not refused`()
        async throws
    {
        try await WebFixture.with(changing: Self.proxied) { web in
            try await eventually("the first is refused") {
                try Self.status(web, from: "203.0.113.1") == 429
            }
            #expect(try Self.status(web, from: "203.0.113.2") == 200)
            var reply: PlainHTTP.Reply?
            try await eventually("a refusal") {
                reply = try PlainHTTP.get(
                    "/api/v1/status", at: web.address, fields: "X-Forwarded-For: 203.0.113.1")
                return reply?.status == 429
            }
            #expect(reply?.header("retry-after") == "1")
            #expect(reply?.header("content-type") == "application/problem+json")
            let scrape = try Scrape(of: web.address)
            #expect(scrape[#"pushmta_web_requests_total{route="/r/test",status="429"}"#] ?? 0 >= 1)
        }
    }

    @Test func `new limits take effect without a restart, and headers from untrusted clients are ignored`()
        async throws
    {
        try await WebFixture.with(changing: Self.proxied) { web in
            try await eventually("it is refused") { try Self.status(web, from: "203.0.113.1") == 429 }
            var settings = WebConfiguration()
            settings.maxRequestsPerSecondPerAddress = 1
            web.module.go(on: settings)
            // The client now counts as a client on this machine, whatever address it states.
            for _ in 0..<20 { #expect(try Self.status(web, from: "203.0.113.1") == 200) }
            Self.proxied(&settings)
            web.module.go(on: settings)
            try await eventually("it is refused again") { try Self.status(web, from: "203.0.113.1") == 429 }
            settings.maxRequestsPerSecondPerAddress = 0
            web.module.go(on: settings)
            for _ in 0..<20 { #expect(try Self.status(web, from: "203.0.113.1") == 200) }
        }
    }
}
