import Foundation
import PushAPI
import PushModel
import PushWire
import TestRequests
import TestSupport
import Testing

/// Tests that all operations report errors in a request in the same format.
@Suite struct APIBadInputTests {
    private static func raw(
        _ caller: APICaller, _ method: String, _ path: String, _ body: [UInt8], type: String?
    ) throws -> PlainHTTP.Reply {
        var head = "\(method) /api/v1\(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
        head += "Authorization: Bearer \(caller.token ?? "")\r\nContent-Length: \(body.count)\r\n"
        if let type { head += "Content-Type: \(type)\r\n" }
        let bytes = Array((head + "\r\n").utf8) + body
        return try #require(PlainHTTP.reply(try PlainHTTP.exchange(bytes, at: caller.web.address)))
    }

    /// The requests that have a body, sent to objects that exist.
    private static let bodied: [(method: String, path: String)] = UseCases.all.flatMap { type in
        type.body == nil ? [] : type.operations.filter { !$0.isLocal }
    }.map { operation in
        let name =
            operation.path.hasPrefix("/apps") ? "shop-ios" : operation.path.contains("{id}") ? "1" : "shop"
        return (
            operation.method.rawValue.uppercased(), operation.path.replacing(#/\{[a-z]+\}/#, with: name)
        )
    }

    private static let delivery =
        #"{"label": "l", "service": "shop", "target": {"all": true}, "allowEmpty": true, "content": {"title": "t"}}"#

    @Test func `malformed JSON receives 400 on every path`() async throws {
        try await APICaller.with { caller in
            #expect(try caller.ask("POST", "/deliveries", Self.delivery).status == 201)
            let wide = Self.delivery.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
            #expect(Self.bodied.count >= 12)
            for (method, path) in Self.bodied {
                for body in [Array("{\"name\": ".utf8), Array("x".utf8), wide, [0x22, 0xFF, 0x22]] {
                    let reply = try Self.raw(caller, method, path, body, type: "application/json")
                    #expect(reply.status == 400, "\(method) \(path): \(reply.body)")
                    #expect(reply.body.contains(#""code":"malformed""#), "\(method) \(path)")
                }
                let twice = try Self.raw(caller, method, path, Array(#"{"a":{"b":1,"b":1}}"#.utf8), type: nil)
                #expect(twice.status == 422 && twice.body.contains(#""path":"a.b""#), "\(method) \(path)")
            }
        }
    }

    @Test func `a body that is not declared as JSON is refused`() async throws {
        try await APICaller.with { caller in
            let body = Array(#"{"name": "x"}"#.utf8)
            for type in [
                "text/plain", "multipart/form-data; boundary=x", "application/jsonp", "application/xml",
            ] {
                for (method, path) in Self.bodied {
                    let reply = try Self.raw(caller, method, path, body, type: type)
                    #expect(reply.status == 415, "\(method) \(path)")
                    #expect(reply.body.contains(#""code":"unsupportedMediaType""#))
                }
            }
            let good = [
                nil, "application/json", "Application/JSON; charset=utf-8", "application/merge-patch+json",
                // The content type that curl sends with a body.
                "application/x-www-form-urlencoded",
            ]
            for (number, type) in good.enumerated() {
                let body = Array("{\"name\": \"s\(number)\"}".utf8)
                #expect(try Self.raw(caller, "POST", "/services", body, type: type).status == 201)
            }
        }
    }

    @Test func `all faults are listed with their paths and the allowed values`() async throws {
        try await APICaller.with { caller in
            let reply = try caller.ask(
                "POST", "/webhooks", #"{"name": "w", "url": 5, "events": ["sent", "fail"], "enable": true}"#)
            #expect(reply.status == 422 && reply["code"] as? String == "refused")
            let faults = try #require(reply["faults"] as? [[String: String]])
            #expect(faults.map { $0["path"] } == ["enable", "url", "events[1]"])
            let kinds =
                "sent, failed, quarantined, received, clicked, registered, unregistered, optedOut, excluded, "
                + "expired, cancelled"
            #expect(faults.last?["detail"] == #"must be one of \#(kinds), not "fail""#)
            #expect(reply.errors == faults.map { "\($0["path"] ?? ""): \($0["detail"] ?? "")" })
            let query = try caller.ask("GET", "/deliveries?limt=1&limit=1&limit=2")
            #expect(query.status == 400)
            #expect((query["faults"] as? [[String: String]])?.map { $0["path"] } == ["limt", "limit"])
            let person = try caller.ask("GET", "/subscribers?token=SECRET&userKey=SECRET&tok=1")
            #expect(person.status == 400 && !person.plain.body.contains("SECRET"))
        }
    }

    @Test func `no problem text contains a command or a path on the server`() async throws {
        try await APICaller.with { caller in
            let requests: [(String, String, String?)] = [
                ("GET", "/deliveries/9", nil), ("GET", "/services/none", nil), ("GET", "/apps/none", nil),
                ("GET", "/messages/none", nil), ("GET", "/webhooks/none", nil),
                ("GET", "/apps/shop-ios/icon", nil),
                (
                    "POST", "/messages",
                    #"{"service": "shop", "userKey": "u", "content": {"variables": {"v": "1"}}}"#
                ),
                (
                    "POST", "/deliveries",
                    Self.delivery.replacing(#""title""#, with: #""apps": 1, "title""#)
                ),
                ("POST", "/deliveries/9/stop", nil),
                ("PUT", "/services/shop/templates/x", "{}"),
            ]
            for (method, path, body) in requests {
                let reply = try caller.ask(method, path, body)
                #expect(reply.status >= 400, "\(method) \(path)")
                let text = reply.errors.joined(separator: " ")
                #expect(!text.contains("pushmta ") && !text.contains("'"), "\(method) \(path): \(text)")
                #expect(!text.contains("/tmp") && !text.contains("pushmta.db"), "\(text)")
            }
            let absent = try caller.ask("GET", "/deliveries/9")
            #expect(absent.errors == ["there is no delivery 9; GET /api/v1/deliveries shows all deliveries"])
        }
    }

    @Test func `an empty change succeeds without effect`() async throws {
        try await APICaller.with { caller in
            let webhook = #"{"name": "w", "url": "https://example.com/hook"}"#
            #expect(try caller.ask("POST", "/webhooks", webhook).status == 201)
            for path in ["/services/shop", "/apps/shop-ios", "/webhooks/w"] {
                let before = try caller.ask("GET", path).plain.body
                #expect(try caller.ask("PATCH", path, "{}").status == 200, "\(path)")
                #expect(try caller.ask("GET", path).plain.body == before)
            }
        }
    }

    @Test func `times in requests can have any offset, and times in answers end with Z`() async throws {
        try await APICaller.with { caller in
            for (start, written) in [
                ("2099-07-01T10:00:00+02:00", "2099-07-01T08:00:00Z"),
                ("2099-07-01t10:00:00.5z", "2099-07-01T10:00:00Z"),
            ] {
                let body = Self.delivery.replacing(
                    #""target""#, with: "\"schedule\": {\"startAt\": \"\(start)\"}, \"target\"")
                let made = try caller.ask("POST", "/deliveries", body)
                let id = try #require(made["id"] as? Int, "\(made.errors)")
                let shown = try caller.ask("GET", "/deliveries/\(id)").plain.body
                #expect(shown.contains("\"startAt\":\"\(written)\""), "\(shown)")
            }
            for start in ["2099-07-01T10:00:00", "2099-07-01T24:00:00Z", "2099-07-01T10:00:00+25:00"] {
                let body = Self.delivery.replacing(
                    #""target""#, with: "\"schedule\": {\"startAt\": \"\(start)\"}, \"target\"")
                let refused = try caller.ask("POST", "/deliveries", body)
                #expect(refused.status == 422)
                #expect(refused.errors.first?.hasPrefix("schedule.startAt: must be a time such as ") == true)
            }
        }
    }

    @Test
    func `an answer to a batch contains totals, and its idempotency key has the same limit as other keys`()
        async throws
    {
        try await APICaller.with { caller in
            let token = String(repeating: "a1", count: 32)
            let good =
                #"{"app": "shop-ios", "token": "\#(token)", "content": {"title": "t"}, "idempotencyKey": "KEY"}"#
            let form = "registrationToken=\(token)&mobileAppUuid=key&userKey=anna&method="
            _ = try PlainHTTP.post("/nms/mobile/1/registerIOS.jssp", Array(form.utf8), at: caller.web.address)
            func send(_ key: String) throws -> APICaller.Reply {
                let one = good.replacing("KEY", with: key)
                return try caller.ask("POST", "/messages", "[\(one), {\"app\": \"shop-ios\"}]")
            }
            let longest = String(repeating: "k", count: 255)
            let first = try send(longest)
            #expect(
                first["accepted"] as? Int == 1 && first["refused"] as? Int == 1
                    && first["repeated"] as? Int == 0)
            let again = try send(longest)
            #expect(again["accepted"] as? Int == 0 && again["repeated"] as? Int == 1)
            for key in [longest + "k", "k\u{e9}", ""] { #expect(try send(key)["refused"] as? Int == 2) }
            let message = good.replacing(#", "idempotencyKey": "KEY""#, with: "")
            let other = String(repeating: "h", count: 255)
            for (key, status) in [(other, 202), (other + "k", 400)] {
                let headers = ["Idempotency-Key": key]
                #expect(try caller.ask("POST", "/messages", message, headers: headers).status == status)
                #expect(
                    try caller.ask("POST", "/deliveries", Self.delivery, headers: headers).status
                        == (status == 202 ? 201 : status))
            }
        }
    }
}
