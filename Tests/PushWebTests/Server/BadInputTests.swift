import Foundation
import PushConfig
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

    @Test func `a body that breaks off is the client's trouble, and an answer to HEAD has none`() async throws
    {
        try await WebFixture.with { web in
            for path in ["/nms/mobile/1/registerIOS.jssp", "/nms/mobile/1/registerAndroid.jssp"] {
                let head = "POST \(path) HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                let bytes = try PlainHTTP.exchange(Array("\(head)5\r\nregis\r\nzz\r\n".utf8), at: web.address)
                #expect(PlainHTTP.reply(bytes)?.status == 400, "\(path)")
            }
            for path in ["/metrics", "/r/test", "/api/v1/services", "/nothing"] {
                let both = "HEAD \(path) HTTP/1.1\r\nHost: a\r\n\r\nGET /healthz HTTP/1.1\r\nHost: a\r\n"
                let bytes = try PlainHTTP.exchange(
                    Array("\(both)Connection: close\r\n\r\n".utf8), at: web.address)
                let answers = String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n\r\n")
                #expect(answers.count == 3 && answers[1].hasPrefix("HTTP/1.1 200"), "\(path)")
            }
        }
    }

    @Test func `who keeps the server waiting is let go, however slowly it sends`() async throws {
        try await WebFixture.with { web in
            let head = "POST /nms/mobile/1/registerIOS.jssp HTTP/1.1\r\nHost: a\r\nContent-Length: 99\r\n"
            let starts = [
                "", "GET /healthz HTTP/1.1\r\nHo", head + "\r\n<", "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n",
            ]
            let slow = try starts.map { start in
                let descriptor = try PlainHTTP.connect(to: web.address)
                try PlainHTTP.send(Array(start.utf8), on: descriptor)
                return descriptor
            }
            defer { for descriptor in slow { close(descriptor) } }
            // The server's time-outs are what is waited for.
            try await eventually("all are let go") {
                // A byte more each time: of a head, or a body, that never ends.
                for descriptor in slow[1...2] { try PlainHTTP.send([UInt8(ascii: "x")], on: descriptor) }
                return slow.allSatisfy { PlainHTTP.isClosed($0) }
            }
            #expect(try web.get("/healthz").status == 200)
        }
    }

    @Test func `idle connections lock out nobody`() async throws {
        try await WebFixture.with(changing: { $0.maxConnections = 16 }) { web in
            let idle = try (0..<300).map { _ in try PlainHTTP.connect(to: web.address) }
            defer { for descriptor in idle { close(descriptor) } }
            for _ in 0..<20 { #expect(try web.get("/healthz").status == 200) }
            try await eventually("most were let go") { idle.count { PlainHTTP.isClosed($0) } >= 284 }
        }
    }

    @Test func `a body that never ends ends with its answer`() async throws {
        try await WebFixture.with { web in
            let head =
                "POST /nms/mobile/1/registerIOS.jssp HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
            let client = try PlainHTTP.connect(to: web.address)
            defer { close(client) }
            try PlainHTTP.send(Array(head.utf8), on: client)
            let chunk = Array("4000\r\n".utf8) + [UInt8](repeating: 0x61, count: 0x4000) + Array("\r\n".utf8)
            try await eventually("it is let go") {
                PlainHTTP.sendWhatFits(chunk, on: client)
                return PlainHTTP.isClosed(client)
            }
            #expect(try web.get("/healthz").status == 200)
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
