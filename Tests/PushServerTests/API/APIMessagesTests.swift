import Foundation
import PushAPI
import PushModel
import PushStore
import TestSupport
import Testing

@Suite struct APIMessagesTests {
    private static let token = String(repeating: "a1", count: 32)

    private static func subscribe(_ caller: APICaller) throws {
        let app = try #require(try caller.web.store.catalogue.app(named: "shop-ios"))
        let record = SubscriberRecord(token: token, userKey: "anna", parametersJSON: nil)
        _ = try caller.web.store.subscriberImporter.upsert(
            [record], into: app.id, at: WallMoment(WallTime(secondsSince1970: 1_700_000_000)))
    }

    private static func send(_ caller: APICaller, _ title: String, _ members: String = "") throws -> String {
        let reply = try caller.ask(
            "POST", "/messages",
            #"{"app": "shop-ios", "userKey": "anna", "content": {"title": "\#(title)"}\#(members)}"#)
        #expect(reply.status == 202, "\(reply.errors)")
        let devices = try #require(reply["devices"] as? [[String: Any]])
        return try #require(devices.first?["id"] as? String)
    }

    private static func ids(_ reply: APICaller.Reply) throws -> [String] {
        try #require(reply["items"] as? [[String: Any]], "\(reply.errors)").compactMap { $0["id"] as? String }
    }

    @Test func `one person's messages, and the reason why a push did not arrive, are explained over HTTP`()
        async throws
    {
        try await APICaller.with { caller in
            try Self.subscribe(caller)
            let document =
                #"{"label": "l", "service": "shop", "target": {"all": true}, "content": {"title": "t"}}"#
            #expect(try caller.ask("POST", "/deliveries", document).status == 201)
            let store = caller.web.store
            let delivery = DeliveryID(rawValue: 1)
            let now = WallMoment(WallTime(secondsSince1970: 1_700_000_000))
            while try !store.preparation.prepareChunk(of: delivery, at: now).isComplete {}
            let single = try Self.send(caller, "x")
            let listed = try caller.ask("GET", "/messages?userKey=anna")
            let items = try #require(listed["items"] as? [[String: Any]])
            #expect(items.map { $0["delivery"] as? Int } == [2, 1])
            #expect(items.first?["id"] as? String == single)
            #expect(try Self.ids(caller.ask("GET", "/messages?single=true")) == [single])
            let id = try #require(items.last?["messageId"] as? String)
            #expect(try caller.ask("GET", "/messages/\(id)?delivery=1")["delivery"] as? Int == 1)
            #expect(try caller.ask("GET", "/messages/\(id)").status == 404)
            let name = try caller.ask("GET", "/messages/projects%2Fp%2Fmessages%2F0:15%2531")
            #expect(name.status == 404 && name.errors.first?.contains("keepMessageIds") == true)
            let description = try APIDescription(try caller.ask("GET", "/openapi.json").json)
            for query in ["userKey=anna", "userKey=anna&delivery=1", "token=\(Self.token)", "userKey=bert"] {
                let path = "/subscribers/explanation"
                let reply = try caller.ask("GET", "\(path)?\(query)")
                #expect(reply.status == 200, "\(reply.errors)")
                #expect(try description.faults(of: reply.json, "GET", path, status: 200) == [], "\(query)")
                #expect(reply["registered"] as? Bool == (query != "userKey=bert"))
            }
            for (query, status) in [
                ("", 400), ("userKey=a&token=b", 400), ("userKey=anna&delivery=9", 404),
                ("userKey=anna&delivery=x", 400), ("userKey=anna&app=none", 404), ("userKey=", 400),
            ] {
                let reply = try caller.ask("GET", "/subscribers/explanation?\(query)")
                #expect(reply.status == status, "\(query): \(reply.errors)")
            }
            #expect(try caller.ask("GET", "/subscribers?service=shop").status == 200)
            #expect(
                try caller.ask("GET", "/subscribers?service=shop&where=%7B%22a%22:%22b%22%7D").status == 200)
            #expect(try caller.ask("GET", "/subscribers?service=shop&where=a").status == 400)
        }
    }

    @Test func `messages are listed page by page, newest first`() async throws {
        try await APICaller.with { caller in
            #expect(try Self.ids(caller.ask("GET", "/messages")).isEmpty)
            try Self.subscribe(caller)
            let sent = try (1...3).map { try Self.send(caller, "\($0)") }
            let newest = Array(sent.reversed())
            let all = try caller.ask("GET", "/messages")
            #expect(try Self.ids(all) == newest && all["next"] is NSNull)
            let description = try APIDescription(try caller.ask("GET", "/openapi.json").json)
            #expect(try description.faults(of: all.json, "GET", "/messages", status: 200) == [])
            let first = try caller.ask("GET", "/messages?limit=2")
            #expect(try Self.ids(first) == Array(newest.prefix(2)))
            let next = try #require(first["next"] as? String)
            #expect(try Self.ids(caller.ask("GET", "/messages?limit=2&cursor=" + next)) == [newest[2]])
            #expect(try caller.ask("POST", "/messages/\(sent[0])/cancel").status == 200)
            for (query, wanted) in [
                ("app=shop-ios", newest), ("userKey=anna", newest), ("userKey=bert", []),
                ("token=\(Self.token)", newest), ("token=\(Self.token.uppercased())", newest),
                ("state=cancelled", [sent[0]]), ("state=pending&userKey=anna&limit=1", [sent[2]]),
            ] {
                #expect(try Self.ids(caller.ask("GET", "/messages?" + query)) == wanted, "\(query)")
            }
            for (query, status) in [
                ("app=none", 404), ("state=none", 400), ("limit=0", 400), ("limit=1001", 400),
                ("cursor=-1", 400), ("cursor=x", 400), ("token=a&userKey=b", 400), ("label=a", 400),
            ] {
                #expect(try caller.ask("GET", "/messages?" + query).status == status, "\(query)")
            }
        }
        try await APICaller.with([.send]) { caller in
            let refused = try caller.ask("GET", "/messages")
            #expect(refused.status == 403)
        }
    }

    @Test func `a scheduled message can be cancelled once, and stays cancelled`() async throws {
        try await APICaller.with { caller in
            try Self.subscribe(caller)
            let now = WebFixture.noon.time.secondsSince1970
            func time(in seconds: Int64) -> String { WallTime(secondsSince1970: now + seconds).utcText }
            let start = time(in: 86_400)
            let id = try Self.send(caller, "later", #", "sendAt": "\#(start)", "validity": "1h""#)
            let shown = try caller.ask("GET", "/messages/\(id)")
            #expect(shown["state"] as? String == "scheduled")
            #expect(shown["sendAt"] as? String == start)
            // The end of the validity is rounded up to a minute.
            let end = try #require(WallTime(utc: shown["expiresAt"] as? String ?? ""))
            #expect((now + 90_000...now + 90_060).contains(end.secondsSince1970))
            #expect(try Self.ids(caller.ask("GET", "/messages?state=scheduled")) == [id])
            let description = try APIDescription(try caller.ask("GET", "/openapi.json").json)
            for changed in [true, false] {
                let reply = try caller.ask("POST", "/messages/\(id)/cancel")
                #expect(reply.status == 200 && reply["state"] as? String == "cancelled")
                #expect(reply["changed"] as? Bool == changed)
                #expect(
                    try description.faults(of: reply.json, "POST", "/messages/{id}/cancel", status: 200) == []
                )
            }
            #expect(try caller.ask("GET", "/messages/\(id)")["sendAt"] is NSNull)
            let sent = try Self.send(caller, "now")
            let store = caller.web.store
            let message = try #require(try store.messageStatus.page(limit: 1).messages.first)
            var batch = OutcomeBatch(delivery: message.delivery)
            batch.accepted = [message.entry.message]
            _ = try store.outcomes.record([batch], at: WallMoment(WallTime(secondsSince1970: 1_700_000_000)))
            let refused = try caller.ask("POST", "/messages/\(sent)/cancel")
            #expect(refused.status == 409 && refused["code"] as? String == "conflict")
            #expect(refused.errors.first?.hasSuffix("it is sent") == true)
            for id in ["1", "x", "%00", "00000000-0000-8000-8000-000000000000"] {
                #expect(try caller.ask("POST", "/messages/\(id)/cancel").status >= 400, "\(id)")
            }
            #expect(try caller.ask("POST", "/messages/\(id)/cancel", #"{"now": true}"#).status >= 400)
            let audit = try #require(try caller.ask("GET", "/audit")["items"] as? [[String: Any]])
            #expect(audit.count { $0["action"] as? String == "message.cancel" } == 1)
            for wrong in ["soon", time(in: -3_600), time(in: 400 * 86_400)] {
                let refused = try caller.ask(
                    "POST", "/messages",
                    #"{"app": "shop-ios", "userKey": "anna", "content": {"title": "x"}, "sendAt": "\#(wrong)"}"#
                )
                #expect(refused.status == 422 && refused.errors.first?.hasPrefix("sendAt: ") == true)
            }
        }
        try await APICaller.with([.read]) { caller in
            let refused = try caller.ask("POST", "/messages/1/cancel")
            #expect(refused.status == 403)
        }
    }

    @Test func `a message without a value that its template needs is refused, and the error names the value`()
        async throws
    {
        try await APICaller.with { caller in
            try Self.subscribe(caller)
            let saved = try caller.ask(
                "PUT", "/services/shop/templates/code",
                #"{"content": {"title": "{{name|Hello}}", "body": "{{code}} {{shop}}"}}"#)
            #expect(saved.status < 300, "\(saved.errors)")
            func send(_ members: String) throws -> APICaller.Reply {
                try caller.ask(
                    "POST", "/messages",
                    #"{"app": "shop-ios", "userKey": "anna", "template": "code"\#(members)}"#)
            }
            let lacking = try send(#", "variables": {"shop": "Ulm"}"#)
            #expect(lacking.status == 422 && lacking["code"] as? String == "refused")
            #expect(lacking.errors.first?.hasPrefix("variables: no value for {{code}}; ") == true)
            let accepted = try send(#", "variables": {"shop": "Ulm", "code": 1234}"#)
            #expect(accepted.status == 202, "\(accepted.errors)")
            #expect(try Self.ids(caller.ask("GET", "/messages")).count == 1)
            let real = try send(#", "variables": {"shop": 1.5, "code": []}"#)
            #expect(real.status == 422 && real.errors.count == 2, "\(real.errors)")
            #expect(real.errors.allSatisfy { $0.hasPrefix("variables.") })
        }
    }
}
