import Foundation
import PushAPI
import PushConfig
import PushModel
import PushServer
import TestSupport
import Testing

/// Tests of the console through a socket; `PushConsoleTests` test its pages.
@Suite struct ConsoleRoutesTests {
    private static let password = "correct horse battery staple"

    private static func addPerson(_ web: WebFixture) throws {
        var create = CreatePerson()
        (create.name, create.fields) = ("mara", RoleFields(role: .admin))
        let link = try web.operations.carryOut(create).link
        let key = try #require(link.split(separator: "=").last).description
        _ = try web.operations.carryOut(SetPassword(linkKey: key, password: password))
    }

    private static func post(
        _ path: String, _ body: String, at address: String,
        type: String = "application/x-www-form-urlencoded",
        fields: String...
    ) throws -> PlainHTTP.Reply {
        let head = [
            "POST \(path) HTTP/1.1", "Host: \(address)", "Connection: close", "Content-Type: \(type)",
            "Content-Length: \(body.utf8.count)",
        ]
        let text = (head + fields).joined(separator: "\r\n") + "\r\n\r\n" + body
        return try #require(PlainHTTP.reply(try PlainHTTP.exchange(Array(text.utf8), at: address)))
    }

    @Test func `a person signs in, and the root leads to the console`() async throws {
        try await WebFixture.with { web in
            try Self.addPerson(web)
            for path in ["/", "/console"] {
                let reply = try web.get(path)
                #expect(reply.status == 303 && reply.header("Location") == "/console/", "\(path)")
            }
            #expect(try web.get("/console/").header("Location") == "/console/sign-in")
            let page = try web.get("/console/sign-in")
            #expect(page.status == 200 && page.body.contains("Sign in"))
            let form = "name=mara&password=\(Self.password.replacing(" ", with: "+"))"
            let own = "Origin: http://\(web.address)"
            let answer = try Self.post("/console/sign-in", form, at: web.address, fields: own)
            #expect(answer.status == 303)
            let cookie = try #require(answer.header("Set-Cookie"))
            #expect(cookie.hasPrefix("pushmta-local=") && !cookie.contains("Secure"))
            let session = "Cookie: \(cookie.prefix { $0 != ";" })"
            let home = try PlainHTTP.get("/console/", at: web.address, fields: session)
            #expect(home.status == 200 && home.body.contains("<bdi>mara</bdi>"))
            #expect(home.header("Content-Security-Policy")?.hasPrefix("default-src 'none'") == true)
            #expect(home.header("Cache-Control") == "no-store")
            let asset = try #require(home.body.firstMatch(of: /href="(\/console\/assets\/[^"]+)"/)).output.1
            let style = try web.get(String(asset))
            #expect(style.status == 200 && style.header("Content-Type") == "text/css; charset=utf-8")
            let head = try web.get("/console/sign-in", method: "HEAD")
            #expect(head.status == 200 && head.body.isEmpty)
        }
    }

    @Test func `a request through a proxy that is not trusted is refused over HTTP`() async throws {
        try await WebFixture.with { web in
            let reply = try PlainHTTP.get(
                "/console/sign-in", at: web.address, fields: "X-Forwarded-For: 192.0.2.1",
                "X-Forwarded-Proto: https")
            #expect(reply.status == 403 && reply.body.contains("Use HTTPS"))
        }
    }

    @Test(arguments: [
        ("push.example", 403), ("localhost.example", 403), ("127.0.0.1.example", 403), ("192.0.2.1:80", 403),
        ("localhost", 200), ("LOCALHOST:8080", 200), ("127.0.0.1", 200), ("[::1]:8080", 200),
        ("0.0.0.0:8080", 200), ("[::]:8080", 200),
    ])
    func `over HTTP, only a host of the machine itself is answered`(host: String, status: Int) async throws {
        try await WebFixture.with { web in
            let text = "GET /console/sign-in HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n"
            let reply = PlainHTTP.reply(try PlainHTTP.exchange(Array(text.utf8), at: web.address))
            #expect(reply?.status == status)
        }
    }

    @Test func `a trusted proxy states whether the browser uses HTTPS`() async throws {
        try await WebFixture.with(changing: {
            $0.trustedProxies = [IPNetwork("127.0.0.0/8")].compactMap(\.self)
        }) {
            web in
            try Self.addPerson(web)
            func get(_ scheme: String) throws -> Int {
                try PlainHTTP.get(
                    "/console/sign-in", at: web.address, fields: "X-Forwarded-For: 192.0.2.1",
                    "X-Forwarded-Proto: \(scheme)"
                ).status
            }
            #expect(try get("https") == 200)
            #expect(try get("http") == 403)
            let form = "name=mara&password=\(Self.password.replacing(" ", with: "+"))"
            let answer = try Self.post(
                "/console/sign-in", form, at: web.address, fields: "X-Forwarded-For: 192.0.2.1",
                "X-Forwarded-Proto: https", "X-Forwarded-Host: push.example", "Origin: https://push.example")
            #expect(answer.status == 303)
            #expect(answer.header("Set-Cookie")?.hasPrefix("__Host-pushmta=") == true)
            #expect(answer.header("Set-Cookie")?.hasSuffix("; Secure") == true)
        }
    }

    @Test func `bodies are limited and must be forms`() async throws {
        try await WebFixture.with { web in
            let large = "a=\(String(repeating: "x", count: 256 << 10))"
            #expect(try Self.post("/console/sign-in", large, at: web.address).status == 413)
            for type in ["application/json", "text/plain", "multipart/form-data"] {
                let status = try Self.post("/console/sign-in", "{}", at: web.address, type: type).status
                #expect([400, 413].contains(status), "\(type)")
            }
            #expect(try Self.post("/console/sign-in", "a=%zz", at: web.address).status == 400)
            #expect(try web.get("/console/%zz").status == 400)
            #expect(try web.get("/console/sign-in", method: "DELETE").status == 404)
        }
    }

    @Test func `a body with files is large only in a session`() async throws {
        try await WebFixture.with { web in
            let type = "multipart/form-data; boundary=b"
            let file = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\n"
            let small = "\(file)x\r\n--b--\r\n"
            #expect(try Self.post("/console/imports", small, at: web.address, type: type).status == 303)
            let large = "\(file)\(String(repeating: "x", count: 256 << 10))\r\n--b--\r\n"
            let refused = try Self.post("/console/imports", large, at: web.address, type: type)
            #expect(refused.status == 413 && refused.body.contains("sign in"))
            try Self.addPerson(web)
            let form = "name=mara&password=\(Self.password.replacing(" ", with: "+"))"
            let own = "Origin: http://\(web.address)"
            let answer = try Self.post("/console/sign-in", form, at: web.address, fields: own)
            let cookie = "Cookie: \(try #require(answer.header("Set-Cookie")).prefix { $0 != ";" })"
            // The body is read. It lacks the session's token.
            let read = try Self.post(
                "/console/imports", large, at: web.address, type: type, fields: own, cookie)
            #expect(read.status == 403)
        }
    }

    @Test func `only a few bodies with files are in memory at a time`() {
        let slots = UploadSlots()
        for caller in ["a", "a", "b", "c"] { #expect(slots.enter(caller)) }
        for caller in ["a", "b", "d"] { #expect(!slots.enter(caller)) }
        slots.leave("b")
        #expect(!slots.enter("a") && slots.enter("d"))
        for caller in ["a", "a", "c", "d", "d"] { slots.leave(caller) }
        for caller in ["a", "a", "b", "c"] { #expect(slots.enter(caller)) }
    }

    @Test func `with a second port, only that port answers the console`() async throws {
        try await WebFixture.with(changing: { $0.adminPort = 0 }) { web in
            let admin = try #require(web.module.adminAddress)
            #expect(try PlainHTTP.get("/console/sign-in", at: admin).status == 200)
            for path in ["/", "/console", "/console/", "/console/sign-in"] {
                #expect(try web.get(path).status == 404, "\(path)")
            }
        }
    }

    @Test func `without the console, its paths do not exist`() async throws {
        try await WebFixture.with(changing: { $0.console = false }) { web in
            for path in ["/", "/console", "/console/", "/console/sign-in"] {
                let status = try web.get(path).status
                #expect(status == 404, "\(path)")
            }
        }
    }
}
