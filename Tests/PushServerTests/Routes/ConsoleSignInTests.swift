import Foundation
import PushAPI
import PushConfig
import PushModel
import PushServer
import Synchronization
import TestSupport
import Testing

/// Tests, through a socket, of signing in to the console with a provider and through a proxy.
@Suite struct ConsoleSignInTests {
    private static let loopback = [IPNetwork("127.0.0.0/8")].compactMap(\.self)

    private static func addPerson(_ name: String, _ web: WebFixture) throws {
        var create = CreatePerson()
        (create.name, create.fields) = (name, RoleFields(role: .viewer))
        _ = try web.operations.carryOut(create)
    }

    private static func withProvider(
        changing change: (inout WebConfiguration) -> Void = { _ in },
        _ story: (WebFixture, SyntheticProvider) async throws -> Void
    ) async throws {
        let provider = try SyntheticProvider(hasSecret: false) { WebFixture.noon.time.secondsSince1970 }
        let settings =
            "<web><openId issuer='\(provider.issuer)' clientId='\(SyntheticProvider.client)'/></web>"
        try await WebFixture.with(settings: settings, changing: change) { web in
            try addPerson("mara", web)
            try await story(web, provider)
        }
    }

    private static func cookie(_ reply: PlainHTTP.Reply) throws -> String {
        "Cookie: \(try #require(reply.header("Set-Cookie")).prefix { $0 != ";" })"
    }

    @Test func `a person signs in with a provider on this machine`() async throws {
        try await Self.withProvider { web, provider in
            #expect(try web.get("/console/sign-in").body.contains("/console/sign-in/openid"))
            let left = try web.get("/console/sign-in/openid?next=%2Faccount")
            let address = try #require(left.header("Location"))
            #expect(left.status == 303 && address.hasPrefix("\(provider.issuer)/authorize?tenant=1&"))
            let redirect = "redirect_uri=http%3A%2F%2F\(web.address.replacing(":", with: "%3A"))%2Fconsole%2F"
            #expect(address.contains(redirect))
            let attempt = try Self.cookie(left)
            #expect(attempt.hasPrefix("Cookie: pushmta-local-openid="))
            let query = try provider.signIn(at: address, ["preferred_username": "\"mara\""])
            let path = "/console/sign-in/openid/callback?\(query)"
            #expect(try web.get(path).status == 400)
            let back = try PlainHTTP.get(path, at: web.address, fields: attempt)
            #expect(back.status == 303 && back.header("Location") == "/console/account")
            let session = try Self.cookie(back)
            #expect(session.hasPrefix("Cookie: pushmta-local="))
            let account = try PlainHTTP.get("/console/account", at: web.address, fields: session)
            #expect(account.status == 200 && account.body.contains("<bdi>mara</bdi>"))
            // The same answer counts once.
            #expect(try PlainHTTP.get(path, at: web.address, fields: attempt).status == 400)
            #expect(provider.faults.isEmpty)
        }
    }

    @Test func `behind a trusted proxy, the provider sends the browser back to the proxy`() async throws {
        try await Self.withProvider(changing: { $0.trustedProxies = Self.loopback }) { web, provider in
            let left = try PlainHTTP.get(
                "/console/sign-in/openid", at: web.address, fields: "X-Forwarded-For: 192.0.2.1",
                "X-Forwarded-Proto: https", "X-Forwarded-Host: push.example:8443")
            #expect(left.status == 303)
            let redirect = "redirect_uri=https%3A%2F%2Fpush.example%3A8443%2Fconsole%2Fsign-in%2Fopenid%2F"
            #expect(left.header("Location")?.contains(redirect) == true)
            #expect(left.header("Set-Cookie")?.hasPrefix("__Host-pushmta-openid=") == true)
        }
    }

    @Test func `pages do not wait for a provider that does not answer`() async throws {
        try await Self.withProvider { web, provider in
            provider.change { $0.answers["/.well-known/openid-configuration"] = .hang }
            let statuses = Statuses()
            for _ in 0..<4 {
                Thread.detachNewThread {
                    statuses.add((try? web.get("/console/sign-in/openid").status) ?? 0)
                }
            }
            try await eventually("the provider is asked") { !provider.asked.isEmpty }
            for _ in 0..<20 { #expect(try web.get("/console/sign-in").status == 200) }
            provider.stop()
            try await eventually("all requests are answered") { statuses.all.count == 4 }
            #expect(statuses.all == [503, 503, 503, 503])
        }
    }

    @Test func `a trusted proxy states the person, and other peers cannot`() async throws {
        let forwarded = ["X-Forwarded-For: 192.0.2.1", "X-Forwarded-Proto: https"]
        func get(_ web: WebFixture, _ fields: String...) throws -> PlainHTTP.Reply {
            let head = ["GET /console/account HTTP/1.1", "Host: push.example", "Connection: close"]
            let text = (head + forwarded + fields).joined(separator: "\r\n") + "\r\n\r\n"
            return try #require(PlainHTTP.reply(try PlainHTTP.exchange(Array(text.utf8), at: web.address)))
        }
        try await WebFixture.with(changing: {
            ($0.trustedProxies, $0.personHeader) = (Self.loopback, "X-Forwarded-User")
        }) { web in
            try Self.addPerson("mara", web)
            let answer = try get(web, "x-forwarded-user: mara")
            #expect(answer.status == 303 && answer.header("Location") == "/console/account")
            let session = try Self.cookie(answer)
            #expect(session.hasPrefix("Cookie: __Host-pushmta="))
            let page = try get(web, "X-Forwarded-User: mara", session)
            #expect(page.status == 200 && page.body.contains("<bdi>mara</bdi>"))
            #expect(try get(web, "X-Forwarded-User: nobody").status == 403)
            #expect(try get(web, "X-Forwarded-User: mara", "X-Forwarded-User: nobody").status == 403)
            // Only the field that is configured counts.
            for other in ["X-Forwarded-Users: mara", "X_Forwarded_User: mara", "X-Remote-User: mara"] {
                #expect(try get(web, other).header("Location")?.hasPrefix("/console/sign-in") == true)
            }
        }
        // The peer is not a trusted proxy: neither the field nor the scheme is believed.
        try await WebFixture.with(changing: {
            ($0.trustedProxies, $0.personHeader) = ([IPNetwork("192.0.2.0/24")].compactMap(\.self), "X-User")
        }) { web in
            try Self.addPerson("mara", web)
            let own = try PlainHTTP.get("/console/account", at: web.address, fields: "X-User: mara")
            #expect(own.status == 303 && own.header("Location")?.hasPrefix("/console/sign-in") == true)
            #expect(own.header("Set-Cookie") == nil)
            #expect(try get(web, "X-User: mara").status == 403)
        }
    }
}

/// Statuses that several threads report.
private final class Statuses: Sendable {
    private let statuses = Mutex<[Int]>([])
    var all: [Int] { statuses.withLock(\.self) }
    func add(_ status: Int) { statuses.withLock { $0.append(status) } }
}
