import Foundation
import PushAPI
import PushModel
import PushStore
import TestSupport
import Testing

@Suite struct APIRoutesTests {
    private static let subscriber = """
        registrationToken,userKey
        \(String(repeating: "a1", count: 32)),anna
        """

    @Test func `a request with a missing or wrong token, or without the scope, is refused with the reason`()
        async throws
    {
        try await APICaller.with([.read]) { caller in
            let none = try APICaller(web: caller.web, token: nil).ask("GET", "/services")
            #expect(none.status == 401 && none.plain.header("www-authenticate") == "Bearer")
            #expect(none.plain.header("content-type") == "application/problem+json")
            let unknown = "pmta_" + String(repeating: "a", count: 43)
            for (header, fault) in [
                (nil, "the header Authorization is missing; "),
                ("Basic YTpi", "the header Authorization does not have the form 'Bearer TOKEN'; "),
                (unknown, "the header Authorization does not have the form 'Bearer TOKEN'; "),
                ("Bearer ", "the header Authorization does not have the form 'Bearer TOKEN'; "),
                ("Bearer pmta_guess", "the token is incomplete or has additional characters; "),
                ("Bearer \(unknown)", "the token is unknown or was revoked; "),
            ] as [(String?, String)] {
                let headers = header.map { ["Authorization": $0] } ?? [:]
                let reply = try APICaller(web: caller.web, token: nil).ask(
                    "GET", "/services", headers: headers)
                let error = try #require(reply.errors.first)
                #expect(reply.status == 401 && error.hasPrefix(fault), "\(error)")
                #expect(error.contains("send the header 'Authorization: Bearer pmta_…' "), "\(error)")
                #expect(error.contains("'pushmta token create NAME --scope read'"), "\(error)")
                #expect(!error.contains(unknown))
            }
            #expect(try caller.ask("GET", "/services").status == 200)
            let refused = try caller.ask("POST", "/services", #"{"name": "other"}"#)
            #expect(
                refused.status == 403
                    && refused.errors[0].hasPrefix("the token caller does not have the scope admin; "))
            #expect(try caller.ask("POST", "/messages", "{}").status == 403)
        }
    }

    @Test
    func `requests for missing objects, forbidden requests and malformed requests have different answers`()
        async throws
    {
        try await APICaller.with { caller in
            #expect(try caller.ask("GET", "/nothing").status == 404)
            let method = try caller.ask("PUT", "/services/shop", "{}")
            #expect(method.status == 405 && method.plain.header("allow") == "GET, HEAD, PATCH, DELETE")
            for unusual in ["OPTIONS", "TRACE", "QUERY"] {
                let reply = try caller.ask(unusual, "/services")
                #expect(reply.status == 405 && reply.plain.header("allow") == "GET, HEAD, POST", "\(unusual)")
            }
            let dryRun = try caller.ask("OPTIONS", "/deliveries/dry-run")
            #expect(dryRun.status == 405 && dryRun.plain.header("allow") == "POST")
            for path in ["/storms/none/confirm", "/storms/none/discard"] {
                #expect(try caller.ask("POST", path).status == 404, "\(path)")
            }
            for path in ["/services/none", "/apps/none", "/deliveries/99", "/deliveries/x", "/messages/1"] {
                #expect(try caller.ask("GET", path).status == 404, "\(path)")
            }
            for path in [
                "/services?x=1", "/deliveries?limit=0", "/deliveries?cursor=a", "/apps/%zz",
                "/subscribers", "/subscribers?token=a&userKey=b", "/deliveries?limit=1&limit=2",
                "/quarantine?state=none", "/services/%ff", "/services/a%00", "/apps?service=a%00b",
            ] {
                #expect(try caller.ask("GET", path).status == 400, "\(path)")
            }
            #expect(try caller.ask("GET", "/services", "{}").status == 400)
            #expect(try caller.ask("POST", "/services", "{").status == 400)
            #expect(try caller.ask("POST", "/services", "[]").status == 422)
            let unknown = try caller.ask("POST", "/services", #"{"name": "a", "lable": "b"}"#)
            #expect(unknown.status == 422)
            #expect(unknown.errors == ["lable: unknown; allowed: name, label, frequencyCap, description"])
            let missing = try caller.ask("POST", "/services", #"{"label": "b"}"#)
            #expect(missing.status == 422 && missing.errors == ["name: missing"])
            let type = try caller.ask("POST", "/services", #"{"name": 7}"#)
            #expect(type.status == 422 && type.errors == ["name: must be a string, not 7"])
            let large = try caller.ask(
                "POST", "/services", #"{"name": "\#(String(repeating: "a", count: 70_000))"}"#)
            #expect(large.status == 413)
            let key = try caller.ask("DELETE", "/services/shop", headers: ["Idempotency-Key": "1"])
            #expect(key.status == 400)
        }
    }

    @Test func `services and apps are created, updated and deleted, and the audit trail names the caller`()
        async throws
    {
        try await APICaller.with { caller in
            let made = try caller.ask("POST", "/services", #"{"name": "a b"}"#)
            #expect(made.status == 201 && made.plain.header("location") == "/api/v1/services/a%20b")
            #expect(try caller.ask("PATCH", "/services/a%20b", #"{"label": "B"}"#)["label"] as? String == "B")
            let app = try caller.ask(
                "POST", "/apps",
                #"""
                {"name": "and", "service": "a b", "platform": "android", "integrationKey": "k",
                 "connector": "stub", "environment": "production", "variables": [{"name": "x"}]}
                """#)
            #expect(app.status == 201, "\(app.errors)")
            let changed = try caller.ask("PATCH", "/apps/and", #"{"integrationKey": "k2"}"#)
            let view = try #require(changed["app"] as? [String: Any], "\(changed.errors)")
            #expect(view["integrationKey"] as? String == "k2")
            #expect((view["variables"] as? [Any])?.count == 1)
            #expect(try caller.ask("DELETE", "/services/a%20b").status == 409)
            #expect(try caller.ask("DELETE", "/apps/and").status == 200)
            #expect(try caller.ask("DELETE", "/services/a%20b").status == 200)
            let audit = try #require(try caller.ask("GET", "/audit?limit=6")["items"] as? [[String: Any]])
            #expect(
                audit.compactMap { $0["action"] as? String } == [
                    "service.delete", "app.delete", "app.update", "app.create", "service.update",
                    "service.create",
                ])
            #expect(audit.allSatisfy { $0["who"] as? String == "caller" })
        }
    }

    @Test func `a service's frequency cap can be changed and removed`() async throws {
        try await APICaller.with { caller in
            let capped = try caller.ask("PATCH", "/services/shop", #"{"frequencyCap": "3 in 168h"}"#)
            #expect(capped["frequencyCap"] as? String == "3 in 7d")
            for body in [#"{"frequencyCap": "3"}"#, #"{"frequencyCap": 3}"#] {
                #expect(try caller.ask("PATCH", "/services/shop", body).status == 422)
            }
            let free = try caller.ask("PATCH", "/services/shop", #"{"frequencyCap": null}"#)
            #expect(free.status == 200 && free["frequencyCap"] is NSNull)
        }
    }

    @Test func `a credential can be written but never read`() async throws {
        try await APICaller.with { caller in
            let secret = "AAAAsecret-secret-secret-secret"
            let wrong = try caller.ask(
                "PATCH", "/apps/shop-ios", #"{"credential": {"type": "projectKey", "data": "\#(secret)"}}"#)
            #expect(wrong.status == 422 && !wrong.plain.body.contains(secret))
            for credential in [
                #"{"type": "none"}"#, #"{"type": "pem"}"#, #""text""#,
                #"{"type": "pem", "data": "a", "more": 1}"#,
                #"{"type": "pkcs12", "data": "*", "password": ""}"#,
            ] {
                let reply = try caller.ask("PATCH", "/apps/shop-ios", #"{"credential": \#(credential)}"#)
                #expect(reply.status == 422 && reply.errors.first?.hasPrefix("credential") == true)
            }
        }
    }

    @Test
    func `a delivery is submitted, listed and shown, and errors in its document are returned immediately`()
        async throws
    {
        try await APICaller.with { caller in
            let document =
                #"{"label": "l", "service": "shop", "apps": ["shop-ios"], "target": {"all": true}, "allowEmpty": true, "content": {"title": "t"}}"#
            for number in 1...3 {
                let made = try caller.ask("POST", "/deliveries", document)
                #expect(made.status == 201, "\(made.errors)")
                #expect(made.plain.header("location") == "/api/v1/deliveries/\(number)")
            }
            let first = try caller.ask("GET", "/deliveries?limit=2")
            #expect((first["items"] as? [[String: Any]])?.compactMap { $0["id"] as? Int } == [3, 2])
            let cursor = try #require(first["next"] as? String)
            let second = try caller.ask("GET", "/deliveries?limit=2&cursor=\(cursor)")
            #expect((second["items"] as? [[String: Any]])?.compactMap { $0["id"] as? Int } == [1])
            #expect(second["next"] is NSNull)
            #expect(try caller.ask("GET", "/deliveries/1")["label"] as? String == "l")
            #expect(try caller.ask("GET", "/deliveries/1/statistics")["label"] as? String == "l")
            let wrong = try caller.ask("POST", "/deliveries", #"{"lable": 1, "content": {"titel": 1}}"#)
            #expect(wrong.status == 422 && wrong.errors.count >= 2)
            #expect(try caller.ask("POST", "/deliveries/1/retry-failed").status == 422)
            #expect(try caller.ask("POST", "/deliveries/1/recount").status == 200)
            #expect(try caller.ask("POST", "/deliveries/1/pause")["state"] as? String == "paused")
            #expect(try caller.ask("POST", "/deliveries/1/resume")["changed"] as? Bool == true)
            #expect(try caller.ask("POST", "/deliveries/9/pause").status == 404)
            let stopped = try caller.ask("POST", "/deliveries/1/stop")
            #expect(stopped["changed"] as? Bool == true && stopped["state"] as? String == "stopped")
            #expect(stopped["onTheWire"] as? Int == 0)
            #expect(try caller.ask("POST", "/deliveries/1/stop")["changed"] as? Bool == false)
            #expect(try caller.ask("POST", "/deliveries/1/resume").status == 422)
            #expect(try caller.ask("POST", "/deliveries/9/stop").status == 404)
        }
    }

    @Test func `a delivery is submitted once for an idempotency key, and the key belongs to the token`()
        async throws
    {
        try await APICaller.with { caller in
            let document =
                #"{"label": "l", "service": "shop", "target": {"all": true}, "allowEmpty": true, "content": {"title": "t"}}"#
            let header = ["Idempotency-Key": "k"]
            let made = try caller.ask("POST", "/deliveries", document, headers: header)
            #expect(made.status == 201 && made["isRepeated"] as? Bool == false, "\(made.errors)")
            let again = try caller.ask("POST", "/deliveries", document, headers: header)
            #expect(again.status == 201 && again["isRepeated"] as? Bool == true)
            #expect(again["id"] as? Int == 1 && (again["warnings"] as? [Any])?.count == 1)
            #expect(again.plain.header("location") == "/api/v1/deliveries/1")
            let other = document.replacingOccurrences(of: "\"l\"", with: "\"m\"")
            let conflict = try caller.ask("POST", "/deliveries", other, headers: header)
            #expect(conflict.status == 409 && conflict.errors.count == 1)
            for key in [String(repeating: "k", count: 256), "\u{FC}"] {
                let refused = try caller.ask(
                    "POST", "/deliveries", document, headers: ["Idempotency-Key": key])
                #expect(refused.status == 400 && refused["code"] as? String == "badRequest", "\(key)")
                // The key is refused, whatever the result of its request would be.
                let nothing = try caller.ask(
                    "POST", "/messages", "[null]", headers: ["Idempotency-Key": key])
                #expect(nothing.status == 400, "\(key)")
            }
            let longest = ["Idempotency-Key": String(repeating: "k", count: 255)]
            #expect(try caller.ask("POST", "/deliveries", document, headers: longest).status == 201)
            #expect(try caller.ask("POST", "/messages", "[null]", headers: longest).status == 202)
            let bill = try caller.ask("POST", "/tokens", #"{"name": "bill", "scopes": ["send"]}"#)
            var second = caller
            second.token = bill["token"] as? String
            #expect(try second.ask("POST", "/deliveries", other, headers: header)["id"] as? Int == 3)
            // Requests that changed nothing are not in the audit trail.
            let audit = try #require(try caller.ask("GET", "/audit")["items"] as? [[String: Any]])
            #expect(audit.count { $0["action"] as? String == "delivery.submit" } == 3)
        }
    }

    @Test func `one request submits a message once for an idempotency key, and shows the message`()
        async throws
    {
        try await APICaller.with { caller in
            try Self.subscribe("anna", in: caller)
            let message = #"{"app": "shop-ios", "userKey": "anna", "content": {"title": "t"}}"#
            let sent = try caller.ask("POST", "/messages", message, headers: ["Idempotency-Key": "k"])
            #expect(sent.status == 202, "\(sent.errors)")
            let id = try #require((sent["devices"] as? [[String: Any]])?.first?["id"] as? String)
            #expect(sent.plain.header("location") == "/api/v1/messages/\(id)")
            let again = try caller.ask("POST", "/messages", message, headers: ["Idempotency-Key": "k"])
            #expect(again.status == 202 && again["isRepeated"] as? Bool == true)
            #expect((again["devices"] as? [[String: Any]])?.first?["id"] as? String == id)
            let turned = #"{"content":{"title":"\u0074"},"userKey":"anna","app":"shop-ios"}"#
            let turnedAnswer = try caller.ask(
                "POST", "/messages", turned, headers: ["Idempotency-Key": "k"])
            #expect(turnedAnswer.status == 202 && turnedAnswer["isRepeated"] as? Bool == true)
            let other = message.replacingOccurrences(of: "\"t\"", with: "\"u\"")
            #expect(
                try caller.ask("POST", "/messages", other, headers: ["Idempotency-Key": "k"]).status == 409)
            let shown = try caller.ask("GET", "/messages/\(id)")
            #expect(shown["state"] as? String == "pending" && shown["userKey"] as? String == "anna")
            let nobody = message.replacingOccurrences(of: "anna", with: "bert")
            #expect(try caller.ask("POST", "/messages", nobody).status == 404)
            #expect(try caller.ask("POST", "/messages", #"{"app": "shop-ios"}"#).status == 422)
            #expect(try caller.ask("POST", "/messages", "[]").status == 422)
        }
    }

    @Test func `each message in an array has its own result and its own position under one key`() async throws
    {
        try await APICaller.with { caller in
            try Self.subscribe("anna", in: caller)
            let good = #"{"app": "shop-ios", "userKey": "anna", "content": {"title": "t"}}"#
            let bad = #"{"app": "none", "userKey": "anna", "content": {"title": "t"}}"#
            let header = ["Idempotency-Key": "k"]
            let sent = try caller.ask("POST", "/messages", "[\(good), \(bad), \(good)]", headers: header)
            let items = try #require(sent["items"] as? [[String: Any]])
            #expect(sent.status == 202 && items.count == 3)
            #expect(items.map { $0["fault"] as? String } == [nil, "refused", nil])
            let ids = items.compactMap { ($0["devices"] as? [[String: Any]])?.first?["id"] as? String }
            #expect(Set(ids).count == 2)
            let again = try caller.ask("POST", "/messages", "[\(good), \(bad), \(good)]", headers: header)
            let repeated = try #require(again["items"] as? [[String: Any]])
            #expect(
                repeated.compactMap { ($0["devices"] as? [[String: Any]])?.first?["id"] as? String } == ids)
        }
    }

    @Test func `if a person's devices exceed one page, the others appear on the next page`() async throws {
        try await APICaller.with { caller in
            let app = try #require(try caller.web.store.catalogue.app(named: "shop-ios"))
            for first in [0, 1_000] {
                let records = (first..<first + 1_000).map { number in
                    let digits = String(number, radix: 16)
                    return SubscriberRecord(
                        token: String(repeating: "0", count: 64 - digits.count) + digits, userKey: "anna",
                        parametersJSON: nil)
                }
                _ = try caller.web.store.subscriberImporter.upsert(records, into: app.id, at: WebFixture.noon)
            }
            var tokens: Set<String> = []
            var path = "/subscribers?userKey=anna"
            for _ in 0..<4 {
                let page = try caller.ask("GET", path)
                let items = page["items"] as? [[String: Any]] ?? []
                tokens.formUnion(items.compactMap { $0["token"] as? String })
                guard let next = page["next"] as? String else { break }
                path = "/subscribers?userKey=anna&cursor=\(next)"
            }
            #expect(tokens.count == 2_000)
            #expect(try caller.ask("GET", "/subscribers?userKey=anna&cursor=x").status == 400)
        }
    }

    @Test func `subscribers are shown, removed and erased by token or user key`() async throws {
        try await APICaller.with { caller in
            try Self.subscribe("anna", in: caller)
            let found = try caller.ask("GET", "/subscribers?userKey=anna")
            #expect((found["items"] as? [[String: Any]])?.first?["app"] as? String == "shop-ios")
            #expect(try caller.ask("DELETE", "/subscribers?userKey=anna")["removed"] as? Int == 1)
            #expect((try caller.ask("GET", "/subscribers?userKey=anna")["items"] as? [Any])?.isEmpty == true)
            #expect(try caller.ask("DELETE", "/subscribers?userKey=anna")["removed"] as? Int == 0)
            #expect(try caller.ask("GET", "/subscribers?userKey=anna&app=none").status == 404)

            try Self.subscribe("bert", in: caller)
            func erased(_ key: String) async throws -> [String: Any]? {
                let begun = try caller.ask("POST", "/subscribers/erase", #"{"userKey": "\#(key)"}"#)
                #expect(begun.status == 202)
                return try await caller.job(of: begun)["result"] as? [String: Any]
            }
            let bert = try await erased("bert")
            #expect(bert?["removed"] as? Int == 1 && bert?["listed"] as? Int == 0)
            // Logs may still contain the key of a device that was removed.
            let anna = try await erased("anna")
            #expect(anna?["removed"] as? Int == 0 && anna?["remembered"] as? Int == 1)
            #expect(try await erased("anna")?["remembered"] as? Int == 0)
            for (body, status) in [
                (#"{"userKey": ""}"#, 400), ("{}", 422), (#"{"userKey": "a", "token": "b"}"#, 422),
                ("[", 400),
            ] {
                #expect(try caller.ask("POST", "/subscribers/erase", body).status == status)
            }
        }
    }

    @Test func `a revoked token stays valid for a moment at most`() async throws {
        try await APICaller.with { caller in
            let made = try caller.ask("POST", "/tokens", #"{"name": "bill", "scopes": ["send"]}"#)
            #expect(made.status == 201)
            var bill = caller
            bill.token = made["token"] as? String
            #expect(try bill.ask("GET", "/services").status == 403)
            #expect(try caller.ask("DELETE", "/tokens/bill").status == 200)
            let revoked = bill
            try await eventually("the token to be revoked") {
                try revoked.ask("GET", "/services").status == 401
            }
            #expect(try caller.ask("POST", "/tokens", #"{"name": "b", "scopes": ["root"]}"#).status == 422)
        }
    }

    private static func subscribe(_ userKey: String, in caller: APICaller) throws {
        let form =
            "registrationToken=\(String(repeating: "a1", count: 32))&mobileAppUuid=key&userKey=\(userKey)&method="
        let reply = try PlainHTTP.post(
            "/nms/mobile/1/registerIOS.jssp", Array(form.utf8), at: caller.web.address)
        #expect(reply.status == 200)
    }

    @Test func `a delivery's log can be listed for all users or for one user`() async throws {
        try await APICaller.with { caller in
            let document =
                #"{"label": "l", "service": "shop", "target": {"all": true}, "allowEmpty": true, "content": {"title": "t"}}"#
            #expect(try caller.ask("POST", "/deliveries", document).status == 201)
            for query in ["", "?limit=2", "?userKey=bert", "?limit=5000"] {
                let page = try caller.ask("GET", "/deliveries/1/log\(query)")
                #expect(page.status == 200 && (page["items"] as? [Any])?.isEmpty == true, "\(query)")
                #expect(page["next"] is NSNull, "\(query)")
            }
            #expect(try caller.ask("GET", "/deliveries/9/log").status == 404)
            #expect(try caller.ask("GET", "/deliveries/1/log?limit=5001").status == 400)
            #expect(try caller.ask("POST", "/deliveries/1/log", "{}").status == 405)
        }
    }
}
