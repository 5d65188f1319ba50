import Foundation
import PushAPI
import PushModel
import PushStore
import TestSupport
import Testing

@Suite struct APIDeliveriesTests {
    private static func document(_ label: String, _ members: String = "") -> String {
        #"""
        {"label": "\#(label)", "service": "shop", "target": {"all": true}, "allowEmpty": true,
         "content": {"title": "t"}\#(members)}
        """#
    }

    private static func ids(_ reply: APICaller.Reply) throws -> [Int] {
        try #require(reply["items"] as? [[String: Any]], "\(reply.errors)").compactMap { $0["id"] as? Int }
    }

    @Test func `deliveries are listed by service, state, label and time, page by page`() async throws {
        try await APICaller.with { caller in
            for label in ["spring 1", "spring 2", "summer"] {
                #expect(try caller.ask("POST", "/deliveries", Self.document(label)).status == 201)
            }
            #expect(try caller.ask("POST", "/deliveries/1/pause").status == 200)
            let past = "2020-01-01T00:00:00Z"
            for (query, wanted) in [
                ("service=shop", [3, 2, 1]), ("label=spring%20", [2, 1]), ("label=pring", []),
                ("state=paused", [1]), ("state=finished", []), ("since=\(past)", [3, 2, 1]),
                ("until=\(past)", []), ("label=spring&state=startPending&since=\(past)", [2]),
            ] {
                let reply = try caller.ask("GET", "/deliveries?" + query)
                #expect(try Self.ids(reply) == wanted, "\(query)")
                #expect(reply["next"] is NSNull, "\(query)")
            }
            let first = try caller.ask("GET", "/deliveries?label=spring&limit=1")
            #expect(try Self.ids(first) == [2])
            let next = try #require(first["next"] as? String)
            #expect(try Self.ids(caller.ask("GET", "/deliveries?label=spring&limit=1&cursor=" + next)) == [1])
            let item = (first["items"] as? [[String: Any]])?.first
            #expect((item?["createdAt"] as? String)?.hasSuffix("Z") == true)
            for (query, status) in [
                ("service=none", 404), ("state=none", 400), ("state=", 400), ("label=a&label=b", 400),
                ("since=now", 400), ("until=2026-02-30T00:00:00Z", 400), ("before=1", 400),
                ("label=a%00", 400), ("cursor=2", 400),
            ] {
                #expect(try caller.ask("GET", "/deliveries?" + query).status == status, "\(query)")
            }
        }
    }

    @Test func `the log of a delivery is available as CSV, page by page`() async throws {
        try await APICaller.with { caller in
            let app = try #require(try caller.web.store.catalogue.app(named: "shop-ios"))
            let moment = WallMoment(WallTime(secondsSince1970: 1_700_000_000))
            let records = (1...3).map {
                SubscriberRecord(
                    token: String(repeating: "a\($0)", count: 32), userKey: "user \($0)", parametersJSON: nil)
            }
            _ = try caller.web.store.subscriberImporter.upsert(records, into: app.id, at: moment)
            #expect(try caller.ask("POST", "/deliveries", Self.document("sale")).status == 201)
            _ = try caller.web.store.preparation.prepareChunk(of: DeliveryID(rawValue: 1), at: moment)
            func page(_ query: String) throws -> PlainHTTP.Reply {
                try APIRequest(
                    "GET", "/deliveries/1/log" + query, token: caller.token, body: nil,
                    headers: ["Accept": "text/csv"]
                ).ask(at: caller.web.address)
            }
            let first = try page("?limit=2")
            #expect(first.header("content-type")?.hasPrefix("text/csv") == true)
            let lines = first.body.split(separator: "\n")
            #expect(
                lines.count == 3 && lines[0].hasPrefix("messageId,userKey,") && lines[1].contains(",user 1,"))
            let link = try #require(first.header("link"))
            let next = try #require(link.wholeMatch(of: /<(\?cursor=[a-z0-9.]+&limit=2)>; rel="next"/)).1
            let second = try page(String(next))
            #expect(second.body.split(separator: "\n").count == 2 && second.body.contains(",user 3,"))
            #expect(second.header("link") == nil)
            let one = try page("?userKey=user%202")
            #expect(one.body.split(separator: "\n").count == 2 && one.header("link") == nil)
            let json = try caller.ask("GET", "/deliveries/1/log?limit=2")
            #expect((json["items"] as? [Any])?.count == 2 && json["next"] is String)
        }
    }

    @Test func `the document of a delivery is returned in a form that the API accepts again`() async throws {
        try await APICaller.with { caller in
            let members = #", "schedule": {"validity": "2h"}, "tracking": false"#
            #expect(try caller.ask("POST", "/deliveries", Self.document("sale", members)).status == 201)
            let reply = try caller.ask("GET", "/deliveries/1/document")
            #expect(reply.status == 200 && reply["id"] as? Int == 1 && reply["recipients"] is NSNull)
            let document = try #require(reply["document"] as? [String: Any])
            #expect(document["apps"] as? [String] == ["shop-ios"] && document["tracking"] as? Bool == false)
            var again = document
            again["allowEmpty"] = true
            let body = String(decoding: try JSONSerialization.data(withJSONObject: again), as: UTF8.self)
            #expect(try caller.ask("POST", "/deliveries", body).status == 201)
            let copy = try caller.ask("GET", "/deliveries/2/document")["document"] as? [String: Any]
            #expect(copy.map { NSDictionary(dictionary: $0) } == NSDictionary(dictionary: document))
            for path in ["99", "x", "0", "1%00"] {
                #expect(try caller.ask("GET", "/deliveries/\(path)/document").status >= 400, "\(path)")
            }
            #expect(try caller.ask("GET", "/deliveries/99/document").status == 404)
            #expect(try caller.ask("GET", "/deliveries/1/document?format=xml").status == 400)
        }
        try await APICaller.with([.send]) { caller in
            let refused = try caller.ask("GET", "/deliveries/1/document")
            #expect(refused.status == 403)
        }
    }
}
