import Foundation
import PushAPI
import PushConfig
import PushModel
import PushServer
import PushWire
import TestRequests
import TestSupport
import Testing

/// Tests with requests from unknown clients.
@Suite struct BadInputTests {
    @Test func `an unknown path receives 404, and a wrong method 405`() async throws {
        try await WebFixture.with { web in
            #expect(try web.get("/none").status == 404)
            #expect(try web.get("/metrics/more").status == 404)
            #expect(try web.get("/%00%ff").status == 404)
            for method in ["POST", "PUT", "DELETE", "OPTIONS"] {
                let reply = try web.get("/metrics", method: method)
                #expect(reply.status == 405, "\(method)")
                #expect(reply.header("allow") == "GET, HEAD")
            }
            #expect(try web.get("/metrics", method: "BREW").status == 400)
        }
    }

    @Test(arguments: [
        ("/nms/mobile/1/registeriOS.jssp", "/nms/mobile/1/registerIOS.jssp"),
        ("/nms/mobile/1/registerAndriod.jssp", "/nms/mobile/1/registerAndroid.jssp"),
        ("/registerIOS.jssp", "/nms/mobile/1/registerIOS.jssp"),
        ("/push/nms/mobile/1/registerios.jssp", "/nms/mobile/1/registerIOS.jssp"),
        ("/health", "/healthz"), ("/R/test", "/r/test"), ("/messages", "/api/v1/messages"),
        ("/API/v1/messages", "/api/v1/messages"), ("/api/v1/Message", "/api/v1/messages"),
        ("/api/v1/delivery/7", "/api/v1/deliveries/{id}"), ("/apps/shop-ios", "/api/v1/apps/{name}"),
    ])
    func `the answer to a misspelled path names the nearest path`(path: String, nearest: String)
        async throws
    {
        try await WebFixture.with { web in
            let reply = try web.get(path)
            #expect(reply.status == 404 && reply.body.contains("the nearest path is \(nearest);"), "\(reply)")
        }
    }

    @Test(arguments: [
        "/none", "/api", "/api/push", "/api/v1", "/api/v1/push", "/wp-login.php", "/a/b/c/d/e/f/g/h/i/j/r",
        "/x", "/api/v1/\(String(repeating: "services", count: 100))", "/%00%ff",
    ])
    func `the answer to any other path names the list of the API's paths`(path: String) async throws {
        try await WebFixture.with { web in
            let reply = try web.get(path)
            #expect(reply.status == 404 && !reply.body.contains("nearest"), "\(reply)")
            #expect(reply.body.contains("GET /api/v1/openapi.json lists the API's paths"), "\(reply)")
            let isProblem = reply.header("content-type") == "application/problem+json"
            #expect(isProblem == path.hasPrefix("/api"), "\(reply)")
        }
    }

    @Test(arguments: [
        "GET /\(String(repeating: "a", count: 20_000)) HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "b", count: 20_000))\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost: a\r\n\(String(repeating: "X: y\r\n", count: 1_000))\r\n",
        "nonsense\r\n\r\n", "GET /healthz HTTP/9.9\r\n\r\n", "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{1}",
        "GET /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: -5\r\n\r\n",
    ])
    func `a malformed or oversized request is refused, and its connection is closed`(text: String)
        async throws
    {
        try await WebFixture.with { web in
            let bytes = try PlainHTTP.exchange(Array(text.utf8), at: web.address)
            let reply = PlainHTTP.reply(bytes)
            #expect(reply.map { (400..<600).contains($0.status) } ?? true, "\(reply?.head ?? "")")
            #expect(try web.get("/healthz").status == 200)
        }
    }

    @Test func `HEAD receives the same answer as GET, without the body`() async throws {
        try await WebFixture.with { web in
            web.engine.say(.running())
            try await eventually("it is ready") { try web.get("/readyz").status == 200 }
            let token = try web.operations.carryOut(
                CreateAccessToken(name: "caller", scopes: [.read])
            ).token
            for path in [
                "/healthz", "/readyz", "/r/test", "/r/?id=nonsense", "/r?id=nonsense", "/api/v1/services",
                "/api/v1/services/none", "/api/v1/openapi.json", "/nothing",
                "/nms/mobile/1/registerIOS.jssp",
            ] {
                let fields = "Authorization: Bearer \(token)"
                let get = try PlainHTTP.get(path, at: web.address, fields: fields)
                let head = try PlainHTTP.get(path, at: web.address, method: "HEAD", fields: fields)
                #expect(head.status == get.status && head.body.isEmpty, "\(path)")
                for name in ["content-type", "content-length", "allow", "cache-control", "connection"] {
                    // The second answer contains a different date.
                    guard path != "/r/test" || name != "content-length" else { continue }
                    #expect(head.header(name) == get.header(name), "\(path) \(name)")
                }
            }
            let metrics = try web.get("/metrics", method: "HEAD")
            #expect(
                metrics.status == 200 && metrics.body.isEmpty
                    && Int(metrics.header("content-length") ?? "") ?? 0 > 0)
            #expect(try web.get("/api/v1/services", method: "HEAD").status == 401)
        }
    }

    @Test func `a truncated body is the client's error, and an answer to HEAD has no body`() async throws {
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

    @Test func `the server disconnects a client that makes it wait, however slowly the client sends`()
        async throws
    {
        try await WebFixture.with(changing: { $0.keepAliveSec = 2 }) { web in
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
            // This test waits for the server's timeouts.
            try await eventually("all are let go") {
                // Sends one more byte each time, for a head or a body that never ends.
                for descriptor in slow[1...2] { try PlainHTTP.send([UInt8(ascii: "x")], on: descriptor) }
                return slow.allSatisfy { PlainHTTP.isClosed($0) }
            }
            #expect(try web.get("/healthz").status == 200)
        }
    }

    @Test func `idle connections do not lock out another client`() async throws {
        try await WebFixture.with(changing: { $0.maxConnections = 16 }) { web in
            let idle = try (0..<300).map { _ in try PlainHTTP.connect(to: web.address) }
            defer { for descriptor in idle { close(descriptor) } }
            for _ in 0..<20 { #expect(try web.get("/healthz").status == 200) }
            try await eventually("most were let go") { idle.count { PlainHTTP.isClosed($0) } >= 284 }
        }
    }

    @Test func `an idle connection stays open between two requests for as long as the settings allow`()
        async throws
    {
        try await WebFixture.with(changing: { $0.keepAliveSec = 1 }) { web in
            let request = Array("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
            func idle() throws -> Int32 {
                let descriptor = try PlainHTTP.connect(to: web.address)
                try PlainHTTP.send(request, on: descriptor)
                _ = PlainHTTP.readSome(from: descriptor) { $0.hasSuffix("alive\n") }
                return descriptor
            }
            let short = try idle()
            defer { close(short) }
            try await eventually("it is closed") { PlainHTTP.isClosed(short) }
            var settings = WebConfiguration()
            settings.keepAliveSec = 3_600
            web.module.go(on: settings)
            let long = try idle()
            defer { close(long) }
            settings.keepAliveSec = 1
            web.module.go(on: settings)
            let other = try idle()
            defer { close(other) }
            try await eventually("the other one is closed") { PlainHTTP.isClosed(other) }
            #expect(!PlainHTTP.isClosed(long))
            #expect(WebConfiguration().keepAlive == .seconds(75))
        }
    }

    @Test func `clients that do not read their answers do not lock out another client`() async throws {
        try await WebFixture.with(changing: { $0.maxConnections = 16 }) { web in
            web.engine.say(.running { $0.accounts = (1...500).map { MasterStatus.account("account \($0)") } })
            // Each page is large, so that a client's buffers are full after some of them.
            let page = "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n"
            let requests = Array(String(repeating: page, count: 500).utf8)
            let silent = try (0..<16).map { _ in
                let descriptor = try PlainHTTP.connect(to: web.address)
                PlainHTTP.sendWhatFits(requests, on: descriptor)
                return descriptor
            }
            defer { for descriptor in silent { close(descriptor) } }
            try await eventually("others are answered") {
                (try? (0..<5).allSatisfy { _ in try web.get("/healthz").status == 200 }) == true
            }
        }
    }

    @Test func `the connection of a request with an endless body is closed once the answer is sent`()
        async throws
    {
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

    @Test func `pipelined requests are answered in order`() async throws {
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
