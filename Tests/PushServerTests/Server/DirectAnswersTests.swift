import Foundation
import Glibc
import PushConfig
import PushModel
import PushServer
import PushStore
import PushSystem
import TestSupport
import Testing

/// Tests of requests that are answered before the router receives them, also between other requests on the
/// same connection.
@Suite struct DirectAnswersTests {
    private static let ios = "/nms/mobile/1/registerIOS.jssp"

    private static func registration(of number: Int, more headers: String = "") -> String {
        let token = String(repeating: "a\(number)", count: 32)
        let form = "registrationToken=\(token)&mobileAppUuid=key&userKey=user-\(number)"
        return
            "POST \(ios) HTTP/1.1\r\nHost: a\r\nContent-Length: \(form.utf8.count)\r\n\(headers)\r\n\(form)"
    }

    /// Runs `story` with an app that the service already knows, so that a registration does not require a
    /// read.
    private static func withKnownApp(
        changing change: (inout WebConfiguration) -> Void = { _ in },
        _ story: (WebFixture, App) async throws -> Void
    ) async throws {
        try await WebFixture.with(changing: change) { web in
            let writer = web.store.catalogueWriter(key: try web.store.instanceKey())
            _ = try writer.createService(name: "shop", label: "Shop")
            let app = try writer.createApp(
                AppSettings(
                    name: "ios", platform: .ios, integrationKey: "key", connector: .stub,
                    environment: .production, bundleID: "com.example.shop", credentialIdentity: "",
                    messageIDFormat: .integer), service: "shop", credential: nil)
            let first = registration(of: 0, more: "Connection: close\r\n")
            #expect(try exchange(first, with: web).contains(#"<register status="ok"/>"#))
            try await story(web, app)
        }
    }

    private static func exchange(_ text: String, with web: WebFixture) throws -> String {
        String(decoding: try PlainHTTP.exchange(Array(text.utf8), at: web.address), as: UTF8.self)
    }

    @Test func `answers have the order of their requests, whichever component produces the answers`()
        async throws
    {
        try await Self.withKnownApp { web, app in
            let alive = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
            let unknown = "GET /r/?id=nonsense HTTP/1.1\r\nHost: a\r\n\r\n"
            let last = "GET /nowhere HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
            let text = try Self.exchange(
                Self.registration(of: 1) + Self.registration(of: 2) + alive + Self.registration(of: 3)
                    + unknown + Self.registration(of: 4) + last, with: web)
            let words = text.split(separator: "HTTP/1.1 ").map { answer in
                answer.hasPrefix("404")
                    ? "nowhere"
                    : answer.contains("alive") ? "alive" : answer.contains("ok\"/>") ? "registered" : "empty"
            }
            #expect(
                words == [
                    "registered", "registered", "alive", "registered", "empty", "registered", "nowhere",
                ], "\(text)")
            #expect(try web.store.subscribers.count(of: app.id) == 5)
            let scrape = try Scrape(of: web.address)
            #expect(scrape[#"pushmta_web_requests_total{route="\#(Self.ios)",status="200"}"#] == 5)
        }
    }

    @Test func `a client that has closed its sending side still receives the answer`() async throws {
        try await Self.withKnownApp { web, _ in
            for _ in 0..<20 {
                let socket = try PlainHTTP.connect(to: web.address)
                defer { close(socket) }
                try PlainHTTP.send(Array(Self.registration(of: 5).utf8), on: socket)
                shutdown(socket, Int32(SHUT_WR))
                let text = String(decoding: PlainHTTP.readToEnd(of: socket), as: UTF8.self)
                #expect(text.hasPrefix("HTTP/1.1 200 OK") && text.hasSuffix(#"<register status="ok"/>"#))
            }
        }
    }

    @Test
    func `if bytes that are not HTTP follow a registration, their error follows the registration's answer`()
        async throws
    {
        try await Self.withKnownApp { web, _ in
            let text = try Self.exchange(Self.registration(of: 6) + "nonsense\r\n\r\n", with: web)
            let answers = text.split(separator: "HTTP/1.1 ")
            #expect(
                answers.count == 2 && answers[0].hasPrefix("200") && answers[1].hasPrefix("400"), "\(text)")
        }
    }

    @Test func `a body that arrives in pieces is assembled, and an oversized body is refused`() async throws {
        try await Self.withKnownApp { web, app in
            let socket = try PlainHTTP.connect(to: web.address)
            defer { close(socket) }
            let bytes = Array(Self.registration(of: 7, more: "Connection: keep-alive\r\n").utf8)
            for byte in bytes { try PlainHTTP.send([byte], on: socket) }
            let long =
                "POST \(Self.ios) HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 70000\r\n\r\n"
            try PlainHTTP.send(Array(long.utf8) + [UInt8](repeating: 0x61, count: 70_000), on: socket)
            let text = String(decoding: PlainHTTP.readToEnd(of: socket), as: UTF8.self)
            let answers = text.split(separator: "HTTP/1.1 ").map { $0.prefix(3) }
            #expect(answers == ["200", "413"], "\(text)")
            #expect(try web.store.subscriberFinder.find(userKey: "user-7", in: app.id).count == 1)
        }
    }

    @Test func `hundreds of requests that arrive in one read are answered one by one`() async throws {
        try await Self.withKnownApp { web, app in
            let count = 300
            let requests = (0..<count).map { number in
                Self.registration(of: number % 10, more: number == count - 1 ? "Connection: close\r\n" : "")
            }
            let text = try Self.exchange(requests.joined(), with: web)
            #expect(text.components(separatedBy: "HTTP/1.1 200 OK").count == count + 1)
            #expect(try web.store.subscribers.count(of: app.id) == 10)
        }
    }

    @Test func `requests after the last request on a connection are not executed`() async throws {
        try await Self.withKnownApp { web, app in
            for number in 10..<30 {
                let last = "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
                let text = try Self.exchange(last + Self.registration(of: number), with: web)
                #expect(text.components(separatedBy: "HTTP/1.1 ").count == 2, "\(text)")
            }
            #expect(try web.store.subscribers.count(of: app.id) == 1)
        }
    }

    @Test func `a request that is handed back to the router counts only once against its client's address`()
        async throws
    {
        let change = { (settings: inout WebConfiguration) in
            settings.maxRequestsPerSecondPerAddress = 1
            settings.trustedProxies = [IPNetwork("127.0.0.0/8")].compactMap(\.self)
        }
        try await Self.withKnownApp(changing: change) { web, _ in
            for number in 0..<2 {
                let unknown = Self.registration(
                    of: number, more: "X-Forwarded-For: 203.0.113.1\r\nConnection: close\r\n")
                let text = try Self.exchange(
                    unknown.replacingOccurrences(of: "mobileAppUuid=key", with: "mobileAppUuid=kex"),
                    with: web)
                #expect(text.hasPrefix("HTTP/1.1 404"), "\(text)")
            }
        }
    }

    @Test func `a request that is being read while the server stops is still answered`() async throws {
        // The shutdown has a deadline, which a busy machine may miss.
        for _ in 0..<20 {
            var text = ""
            try await Self.withKnownApp { web, _ in text = try await Self.answerAtTheEnd(of: web) }
            if text.isEmpty { continue }
            #expect(text.hasPrefix("HTTP/1.1 200") && text.hasSuffix(#"<register status="ok"/>"#), "\(text)")
            return
        }
        Issue.record("it never was")
    }

    private static func answerAtTheEnd(of web: WebFixture) async throws -> String {
        let socket = try PlainHTTP.connect(to: web.address)
        defer { close(socket) }
        let bytes = Array(registration(of: 8).utf8)
        // When the server answers the first request, it has begun to read the second request.
        try PlainHTTP.send(Array(registration(of: 9).utf8) + bytes.dropLast(5), on: socket)
        let first = PlainHTTP.readSome(from: socket) { $0.hasSuffix(#"<register status="ok"/>"#) }
        #expect(first.hasPrefix("HTTP/1.1 200"))
        let module = web.module
        Thread.detachNewThread {
            _ = module.drain(until: Clocks.monotonic().advanced(bySeconds: 1))
            module.stop()
        }
        try await eventually("the server takes no more") {
            guard let other = try? PlainHTTP.connect(to: web.address) else { return true }
            close(other)
            return false
        }
        try PlainHTTP.send(Array(bytes.suffix(5)), on: socket)
        return String(decoding: PlainHTTP.readToEnd(of: socket), as: UTF8.self)
    }

    @Test func `the server soon stops producing answers for a client that does not read its answers`()
        async throws
    {
        try await WebFixture.with { web in
            let socket = try PlainHTTP.connect(to: web.address)
            defer { close(socket) }
            let request = "GET /r/?id=nonsense HTTP/1.1\r\nHost: a\r\n\r\n"
            let many = Array(String(repeating: request, count: 1_000).utf8)
            var sent = 0
            // This loop would never end if the server accepted everything that it receives.
            try await eventually("the server takes no more, and closes") {
                while sent < 100_000_000 {
                    let count = PlainHTTP.sendWhatFits(many, on: socket)
                    guard count > 0 else { return count < 0 && errno != EAGAIN }
                    sent += count
                }
                throw Patience.Exhausted("it took \(sent) bytes of requests")
            }
        }
    }
}
