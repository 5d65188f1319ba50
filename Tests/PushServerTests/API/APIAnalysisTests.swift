import Foundation
import PushModel
import TestSupport
import Testing

/// Tests of requests that examine a delivery before it is sent.
@Suite struct APIAnalysisTests {
    private static let document =
        #"{"label": "l", "service": "shop", "target": {"all": true}, "content": {"title": "t"}}"#

    private static func subscribe(_ userKey: String, _ digits: String, in caller: APICaller) throws {
        let token = String(repeating: digits, count: 32)
        let form = "registrationToken=\(token)&mobileAppUuid=key&userKey=\(userKey)&method="
        let reply = try PlainHTTP.post(
            "/nms/mobile/1/registerIOS.jssp", Array(form.utf8), at: caller.web.address)
        #expect(reply.status == 200)
    }

    private static func deliveries(_ caller: APICaller) throws -> Int? {
        (try caller.ask("GET", "/deliveries")["items"] as? [Any])?.count
    }

    @Test func `a dry run takes a document and stores nothing`() async throws {
        try await APICaller.with { caller in
            for (key, digits) in [("anna", "a1"), ("bert", "b2")] {
                try Self.subscribe(key, digits, in: caller)
            }
            let found = try caller.ask("POST", "/deliveries/dry-run", Self.document)
            #expect(found.status == 200 && found["targeted"] as? Int == 2, "\(found.errors)")
            let app = try #require((found["apps"] as? [[String: Any]])?.first)
            let payload = (app["sample"] as? [String: Any])?["payload"] as? String
            #expect(payload?.contains(#""title":"t""#) == true)
            #expect(try Self.deliveries(caller) == 0)
            let wrong = #"{"lable": 1, "content": {"titel": 1}}"#
            let refused = try caller.ask("POST", "/deliveries/dry-run", wrong)
            #expect(refused.status == 422)
            let submitted = try caller.ask("POST", "/deliveries", wrong)
            #expect(refused.errors == submitted.errors && refused.errors.count >= 2)
            let key = ["Idempotency-Key": "k"]
            #expect(try caller.ask("POST", "/deliveries/dry-run", Self.document, headers: key).status == 400)
            #expect(try caller.ask("GET", "/deliveries/dry-run").status == 405)
            #expect(try caller.ask("POST", "/deliveries/dry-run?dryRun=true", Self.document).status == 400)
        }
    }

    @Test func `a preview can select a token or a user key`() async throws {
        try await APICaller.with { caller in
            try Self.subscribe("anna", "a1", in: caller)
            func preview(_ members: String) throws -> APICaller.Reply {
                try caller.ask(
                    "POST", "/deliveries/preview", #"{"document": \#(Self.document)\#(members)}"#)
            }
            for who in [
                #", "userKey": "anna""#, #", "token": "\#(String(repeating: "a1", count: 32))""#,
                #", "userKey": "anna", "app": "shop-ios""#,
            ] {
                let found = try preview(who)
                #expect(found.status == 200, "\(found.errors)")
                let device = try #require((found["devices"] as? [[String: Any]])?.first)
                #expect((device["message"] as? [String: Any])?["limitBytes"] as? Int == 4_096)
                #expect(
                    (device["headers"] as? [String: String])?["apns-topic"] == "com.example.shop")
            }
            #expect(try preview(#", "userKey": "bert""#).status == 404)
            #expect(try preview(#", "userKey": "anna", "app": "none""#).status == 404)
            for wrong in ["", #", "userKey": "anna", "token": "a""#, #", "userKey": "anna", "x": 1"#] {
                #expect(try preview(wrong).status == 422, "\(wrong)")
            }
            let bare = try caller.ask("POST", "/deliveries/preview", #"{"userKey": "anna"}"#)
            #expect(bare.status == 422 && bare.errors == ["document: missing"])
            let broken = try caller.ask(
                "POST", "/deliveries/preview", #"{"userKey": "anna", "document": {"label": 7}}"#)
            #expect(broken.status == 422 && broken.errors.allSatisfy { $0.hasPrefix("document: ") })
            #expect(try Self.deliveries(caller) == 0)
        }
    }

    @Test func `a proof is a separate delivery and appears in the audit trail`() async throws {
        try await APICaller.with { caller in
            try Self.subscribe("anna", "a1", in: caller)
            func proof(_ keys: String) throws -> APICaller.Reply {
                try caller.ask(
                    "POST", "/deliveries/proof", #"{"document": \#(Self.document), "userKeys": \#(keys)}"#)
            }
            let made = try proof(#"["anna"]"#)
            #expect(made.status == 201 && made["id"] as? Int == 1, "\(made.errors)")
            #expect(made.plain.header("location") == "/api/v1/deliveries/1")
            #expect(try caller.ask("GET", "/deliveries/1")["label"] as? String == "proof: l")
            #expect(try proof(#"["anna", "bert"]"#)["warnings"] as? [Any] != nil)
            for keys in [#"["bert"]"#, "[]", #"[""]"#, #""anna""#, "[7]"] {
                #expect(try proof(keys).status == 422, "\(keys)")
            }
            #expect(try Self.deliveries(caller) == 2)
            let audit = try #require(try caller.ask("GET", "/audit")["items"] as? [[String: Any]])
            #expect(audit.count { $0["action"] as? String == "delivery.proof" } == 2)
        }
    }

    @Test func `a proof and a draft are created once for an idempotency key`() async throws {
        try await APICaller.with { caller in
            try Self.subscribe("anna", "a1", in: caller)
            let proof = #"{"document": \#(Self.document), "userKeys": ["anna"]}"#
            let draft = #"{"document": \#(Self.document)}"#
            let key = ["Idempotency-Key": "k"]
            for (path, body) in [("/deliveries/proof", proof), ("/drafts", draft)] {
                let first = try caller.ask("POST", path, body, headers: key)
                #expect(first.status == 201, "\(first.errors)")
                let again = try caller.ask("POST", path, body, headers: key)
                #expect(again.status == 201 && again["id"] as? Int == first["id"] as? Int)
                #expect(again.plain.header("location") == first.plain.header("location"))
                let other = body.replacingOccurrences(of: #""l""#, with: #""other""#)
                #expect(try caller.ask("POST", path, other, headers: key).status == 409)
            }
            #expect(try Self.deliveries(caller) == 1)
            #expect((try caller.ask("GET", "/drafts")["items"] as? [Any])?.count == 1)
        }
    }

    @Test func `the send scope cannot view recipients, and the read scope cannot send`() async throws {
        let preview = #"{"document": \#(Self.document), "userKey": "anna"}"#
        try await APICaller.with([.send]) { caller in
            let refused = try caller.ask("POST", "/deliveries/preview", preview)
            #expect(refused.status == 403)
            #expect(try caller.ask("POST", "/deliveries/dry-run", Self.document).status == 403)
        }
        try await APICaller.with([.read]) { caller in
            let nobody = try caller.ask("POST", "/deliveries/preview", preview)
            #expect(nobody.status == 404)
            // The delivery's target contains no recipient.
            #expect(try caller.ask("POST", "/deliveries/dry-run", Self.document).status == 422)
            #expect(try caller.ask("POST", "/deliveries/proof", "{}").status == 403)
        }
    }
}
