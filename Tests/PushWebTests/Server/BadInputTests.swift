import Foundation
import PushWeb
import PushWire
import TestSupport
import Testing

/// What strangers send.
@Suite struct BadInputTests {
    @Test func `a path that is not there is 404, and another method 405`() async throws {
        try await WebFixture.with { web in
            #expect(try web.get("/").status == 404)
            #expect(try web.get("/metrics/more").status == 404)
            #expect(try web.get("/%00%ff").status == 404)
            for method in ["POST", "PUT", "DELETE", "HEAD", "OPTIONS"] {
                let reply = try web.get("/metrics", method: method)
                #expect(reply.status == 405, "\(method)")
                #expect(reply.header("allow") == "GET")
            }
            #expect(try web.get("/metrics", method: "BREW").status == 400)
        }
    }

    @Test(arguments: [
        "GET /\(String(repeating: "a", count: 20_000)) HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "b", count: 20_000))\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost: a\r\n\(String(repeating: "X: y\r\n", count: 1_000))\r\n",
        "nonsense\r\n\r\n", "GET /healthz HTTP/9.9\r\n\r\n", "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{1}",
        "GET /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: -5\r\n\r\n",
    ])
    func `what is no request, or too large, is refused and the connection closed`(text: String) async throws {
        try await WebFixture.with { web in
            let bytes = try PlainHTTP.exchange(Array(text.utf8), at: web.address)
            let reply = PlainHTTP.reply(bytes)
            #expect(reply.map { (400..<600).contains($0.status) } ?? true, "\(reply?.head ?? "")")
            #expect(try web.get("/healthz").status == 200)
        }
    }

    @Test func `a request whose end never comes is given up`() async throws {
        try await WebFixture.with { web in
            let slow = try PlainHTTP.connect(to: web.address)
            defer { close(slow) }
            try PlainHTTP.send(Array("GET /healthz HTTP/1.1\r\nHo".utf8), on: slow)
            // The server's time-out is what is waited for.
            _ = PlainHTTP.readToEnd(of: slow)
            #expect(try web.get("/healthz").status == 200)
        }
    }

    @Test func `connections beyond the cap wait until others have gone`() async throws {
        try await WebFixture.with { web in
            var held: [Int32] = []
            defer { for descriptor in held { close(descriptor) } }
            for _ in 0..<300 { held.append(try PlainHTTP.connect(to: web.address)) }
            for descriptor in held { close(descriptor) }
            held = []
            try await eventually("it answers again") { (try? web.get("/healthz").status) == 200 }
        }
    }

    @Test func `a pipeline of requests is answered in order`() async throws {
        try await WebFixture.with { web in
            let request = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
            let last = "GET /nowhere HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
            let bytes = try PlainHTTP.exchange(Array((request + request + last).utf8), at: web.address)
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(text.components(separatedBy: "HTTP/1.1 200 OK").count == 3)
            #expect(text.components(separatedBy: "HTTP/1.1 404").count == 2)
        }
    }
}
