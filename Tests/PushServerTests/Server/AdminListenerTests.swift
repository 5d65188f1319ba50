import Foundation
import Glibc
import PushConfig
import PushModel
import PushServer
import PushStore
import PushSystem
import PushTransport
import TestSupport
import TestTLS
import Testing

/// Tests of a web module with a second port, `web/@adminPort`.
@Suite struct AdminListenerTests {
    private static let page = "/nms/mobile/1/registerIOS.jssp"
    private static let form = Array(
        "registrationToken=\(String(repeating: "a1", count: 32))&mobileAppUuid=key&userKey=anna".utf8)

    private static func two(_ settings: inout WebConfiguration) { settings.adminPort = 0 }

    @Test func `the port of devices answers registrations and reports, and 404 for everything else`()
        async throws
    {
        try await WebFixture.withApp(changing: Self.two) { web, app in
            #expect(try PlainHTTP.post(Self.page, Self.form, at: web.address).status == 200)
            #expect(try web.store.subscribers.count(of: app.id) == 1)
            for path in ["/r/?id=h1,1,1", "/r?id=h1,1,1", "/r/test"] {
                #expect(try web.get(path).status == 200, "\(path)")
            }
            for path in [
                "/healthz", "/readyz", "/metrics", "/metrics/", "/api", "/api/v1/", "/api/v1/apps",
                "/api/v1/openapi.json", "/api/v1/nothing", "/healtz", "/", "/R/",
            ] {
                for method in ["GET", "POST", "HEAD", "DELETE"] {
                    let reply = try web.get(path, method: method)
                    #expect(reply.status == 404, "\(method) \(path)")
                    for word in ["api", "metrics", "healthz", "readyz"] {
                        #expect(!reply.body.contains(word), "\(method) \(path): \(reply.body)")
                    }
                }
            }
            let message = Array(#"{"app": "ios", "userKey": "anna", "content": {"title": "Hi"}}"#.utf8)
            #expect(try PlainHTTP.post("/api/v1/messages", message, at: web.address).status == 404)
            // The wrong method for a path of devices is reported as on a single port.
            #expect(try web.get(Self.page).status == 405)
        }
    }

    @Test func `the second port answers everything except devices, and counts requests of both`() async throws
    {
        try await WebFixture.withApp(changing: Self.two) { web, app in
            let admin = try #require(web.module.adminAddress)
            #expect(admin != web.address && admin.hasPrefix("127.0.0.1:"))
            for path in ["/healthz", "/readyz"] {
                let status = try PlainHTTP.get(path, at: admin).status
                #expect([200, 503].contains(status), "\(path)")
            }
            #expect(try PlainHTTP.get("/api/v1/apps", at: admin).status == 401)
            #expect(try PlainHTTP.post(Self.page, Self.form, at: admin).status == 404)
            #expect(try PlainHTTP.get("/r/?id=h1,1,1", at: admin).status == 404)
            #expect(try web.store.subscribers.count(of: app.id) == 0)
            #expect(try PlainHTTP.post(Self.page, Self.form, at: web.address).status == 200)
            #expect(try web.get("/metrics").status == 404)
            let scrape = try Scrape(of: admin)
            #expect(scrape[#"pushmta_web_requests_total{route="\#(Self.page)",status="200"}"#] == 1)
            #expect((scrape["pushmta_web_connections"] ?? 0) >= 1)
        }
    }

    @Test func `without a second port, one port answers everything`() async throws {
        try await WebFixture.withApp { web, _ in
            #expect(web.module.adminAddress == nil)
            let statuses = try ["/metrics", "/api/v1/apps"].map { try web.get($0).status }
            #expect(statuses == [200, 401])
            #expect(try PlainHTTP.post(Self.page, Self.form, at: web.address).status == 200)
        }
    }

    @Test func `both ports use HTTPS if there is a certificate`() async throws {
        try await TemporaryFolder.with { folder in
            let (files, authority) = (TLSTestFiles(folder), TestAuthority())
            try files.write(authority.issue())
            try await WebFixture.with(changing: {
                files.name(&$0)
                Self.two(&$0)
            }) { web in
                let admin = try #require(web.module.adminAddress)
                #expect(try SecureHTTP.ask("/r/test", at: web.address, trusting: authority).status == 200)
                #expect(try SecureHTTP.ask("/metrics", at: admin, trusting: authority).status == 200)
                #expect(throws: PlainHTTP.Failure.self) { try PlainHTTP.get("/metrics", at: admin) }
            }
        }
    }

    @Test func `many connections of devices displace no connection of the second port`() async throws {
        try await WebFixture.with(changing: {
            Self.two(&$0)
            $0.maxConnections = 16
        }) { web in
            let admin = try #require(web.module.adminAddress)
            let idle = try PlainHTTP.connect(to: admin)
            defer { close(idle) }
            let crowd = try (0..<40).map { _ in try PlainHTTP.connect(to: web.address) }
            defer { for descriptor in crowd { close(descriptor) } }
            try await eventually("connections of devices are displaced") {
                crowd.contains { PlainHTTP.isClosed($0) }
            }
            try PlainHTTP.send(
                Array("GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".utf8), on: idle)
            let answer = PlainHTTP.reply(PlainHTTP.readToEnd(of: idle))
            #expect(answer?.status == 200)
        }
    }

    @Test func `if the second port is in use, the error names its setting, and the first port is released`()
        async throws
    {
        let (taken, port) = try PlainHTTP.listen()
        defer { close(taken) }
        let free = try PlainHTTP.unusedPort()
        let error = #expect(throws: WebError.self) {
            _ = try WebFixture {
                ($0.httpPort, $0.adminPort) = (free, port)
            }
        }
        #expect(error?.description.contains("127.0.0.1:\(port)") == true)
        #expect(error?.description.contains("set web/@adminPort") == true, "\(String(describing: error))")
        let second = try WebFixture { $0.httpPort = free }
        second.close()
    }

    @Test func `both ports end with the module`() async throws {
        let web = try WebFixture { Self.two(&$0) }
        let (address, admin) = (web.address, try #require(web.module.adminAddress))
        #expect(web.module.drain(until: Clocks.monotonic().advanced(bySeconds: 10)))
        for place in [address, admin] {
            #expect(throws: PlainHTTP.Failure.self) { try PlainHTTP.get("/", at: place) }
        }
        web.module.stop()
    }
}
