import Foundation
import PushAPI
import PushModel
import PushStore
import TestRequests
import TestSupport
import Testing

/// Tests of operations on single subscribers, of their quarantine, and of checks on apps and settings, over
/// HTTP.
@Suite struct APISubscribersTests {
    private static let token = String(repeating: "a1", count: 32)

    private static func body(_ members: [String: Any]) throws -> String {
        String(decoding: try JSONSerialization.data(withJSONObject: members), as: UTF8.self)
    }

    private static func add(
        _ caller: APICaller, token: String = token, userKey: String = "anna", _ more: [String: Any] = [:]
    ) throws -> APICaller.Reply {
        let subscriber: [String: Any] = ["app": "shop-ios", "token": token, "userKey": userKey]
        return try caller.ask("POST", "/subscribers", try body(subscriber.merging(more) { $1 }))
    }

    @Test
    func `a subscriber is created or updated, and an identical request leaves the subscriber unchanged`()
        async throws
    {
        try await APICaller.with { caller in
            let created = try Self.add(caller, ["parameters": ["city": "Rome"]])
            #expect(created.status == 200 && created["result"] as? String == "created", "\(created.errors)")
            #expect(try Self.add(caller)["result"] as? String == "unchanged")
            func parameters(of userKey: String) throws -> [String: String]? {
                let found = try caller.ask("GET", "/subscribers?userKey=\(userKey)")
                let subscriber = try #require((found["items"] as? [[String: Any]])?.first)
                #expect(subscriber["token"] as? String == Self.token)
                return subscriber["parameters"] as? [String: String]
            }
            #expect(try parameters(of: "anna") == ["city": "Rome"])
            #expect(try Self.add(caller, userKey: "bert")["result"] as? String == "updated")
            #expect(try parameters(of: "bert") == [:])
            let audit = try caller.ask("GET", "/audit?limit=1").plain.body
            #expect(audit.contains("subscribers.add") && !audit.contains(Self.token))
        }
    }

    @Test func `an invalid subscriber is refused with all of its faults`() async throws {
        try await APICaller.with { caller in
            #expect(try caller.ask("POST", "/subscribers").status == 400)
            #expect(try caller.ask("POST", "/subscribers", "").status == 400)
            let missing = try caller.ask("POST", "/subscribers", "{}")
            #expect(missing.errors == ["app: missing", "token: missing", "userKey: missing"])
            #expect(try Self.add(caller, ["app": "none"]).status == 404)
            for wrong: [String: Any] in [
                ["token": "xyz"], ["token": NSNull()], ["token": 7], ["userKey": NSNull()],
                ["parameters": []],
                ["parameters": ["a": 1]], ["parameters": ["a": NSNull()]], ["liftQuarantine": "yes"],
                ["extra": 1],
            ] {
                let refused = try Self.add(caller, wrong)
                #expect(refused.status == 422 && refused.errors.count == 1, "\(wrong)")
                #expect(wrong.keys.contains { refused.errors[0].hasPrefix($0) }, "\(refused.errors)")
            }
            let several = try Self.add(caller, token: "xyz", ["userKey": String(repeating: "k", count: 600)])
            #expect(several.errors.count == 2)
            let stranger = try caller.web.operations.carryOut(
                CreateAccessToken(name: "reader", scopes: [.read, .send]))
            let reader = APICaller(web: caller.web, token: stranger.token)
            #expect(try Self.add(reader).status == 403)
        }
    }

    @Test func `the subscribers of an app are listed page by page`() async throws {
        try await APICaller.with { caller in
            let app = try #require(try caller.web.store.catalogue.app(named: "shop-ios"))
            let records = (0..<2_500).map { number in
                let digits = String(number, radix: 16)
                return SubscriberRecord(
                    token: String(repeating: "0", count: 64 - digits.count) + digits, userKey: "u\(number)",
                    parametersJSON: nil)
            }
            _ = try caller.web.store.subscriberImporter.upsert(records, into: app.id, at: WebFixture.noon)
            var (keys, path, pages): (Set<String>, String, Int) = ([], "/subscribers?app=shop-ios", 0)
            while pages < 10 {
                let page = try caller.ask("GET", path)
                pages += 1
                keys.formUnion(
                    (page["items"] as? [[String: Any]] ?? []).compactMap { $0["userKey"] as? String })
                guard let next = page["next"] as? String else { break }
                path = "/subscribers?app=shop-ios&cursor=\(next)"
            }
            #expect(keys.count == 2_500 && pages == 3)
            for query in ["", "?state=valid", "?token=a&userKey=b", "?app=shop-ios&state=none"] {
                #expect(try caller.ask("GET", "/subscribers\(query)").status == 400, "\(query)")
            }
            #expect(try caller.ask("GET", "/subscribers?app=none").status == 404)
        }
    }

    @Test func `an operator quarantines a device once, and releases it`() async throws {
        try await APICaller.with { caller in
            #expect(try Self.add(caller).status == 200)
            let order = ["app": "shop-ios", "token": Self.token, "reason": "a test device"]
            let put = try caller.ask("POST", "/quarantine", try Self.body(order))
            #expect(put.status == 200 && put["changed"] as? Bool == true, "\(put.errors)")
            #expect(!put.plain.body.contains(Self.token))
            #expect(try caller.ask("POST", "/quarantine", try Self.body(order))["changed"] as? Bool == false)
            let list = try caller.ask("GET", "/quarantine?state=quarantined")
            let entry = try #require((list["items"] as? [[String: Any]])?.first)
            #expect(entry["source"] as? String == "operator" && entry["reason"] as? String == "a test device")
            #expect(
                (try caller.ask("GET", "/subscribers?app=shop-ios&state=quarantined")["items"] as? [Any])?
                    .count
                    == 1)
            #expect(try Self.add(caller)["excluded"] as? Bool == true)
            let audit = try caller.ask("GET", "/audit?limit=2").plain.body
            #expect(audit.contains("quarantine.add") && !audit.contains(Self.token))

            let release = try Self.body(["app": "shop-ios", "tokens": [Self.token.uppercased()]])
            let done = try caller.ask("POST", "/quarantine/release", release)
            #expect(done.status == 200 && done["released"] as? Int == 1, "\(done.errors)")
            #expect(try caller.ask("POST", "/quarantine/release", release)["released"] as? Int == 0)
        }
    }

    @Test func `invalid requests to quarantine or release are refused`() async throws {
        try await APICaller.with { caller in
            let additions: [(String, Int)] = [
                ("", 400), ("{}", 422), ("{", 400),
                (#"{"app": "shop-ios", "token": "zz", "reason": "r"}"#, 422),
                (#"{"app": "none", "token": "aa", "reason": "r"}"#, 404),
                (#"{"app": "shop-ios", "token": "aa", "reason": "r"}"#, 404),
                (#"{"app": "shop-ios", "token": "aa", "reason": ""}"#, 422),
            ]
            for (body, status) in additions {
                let reply = try caller.ask("POST", "/quarantine", body)
                #expect(reply.status == status, "\(body)")
            }
            let releases: [(String, Int)] = [
                ("", 400), (#"{"app": "shop-ios"}"#, 422), (#"{"app": "shop-ios", "all": false}"#, 422),
                (#"{"app": "shop-ios", "tokens": []}"#, 422),
                (#"{"app": "shop-ios", "tokens": ["aa"], "userKey": "u"}"#, 422),
                (#"{"app": "none", "all": true}"#, 404), (#"{"app": "shop-ios", "userKey": "nobody"}"#, 200),
            ]
            for (body, status) in releases {
                let reply = try caller.ask("POST", "/quarantine/release", body)
                #expect(reply.status == status, "\(body)")
            }
        }
    }

    @Test func `paths below an app test the app and read its feedback service`() async throws {
        try await APICaller.with { caller in
            let tested = try caller.ask("POST", "/apps/shop-ios/test")
            #expect(tested.status == 200 && tested["succeeded"] as? Bool == true)
            #expect((tested["lines"] as? [String])?.count == 1)
            #expect(try caller.ask("POST", "/apps/none/test").status == 404)
            #expect(try caller.ask("POST", "/apps/shop-ios/test", #"{"connector": "stub"}"#).status == 200)
            #expect(try caller.ask("POST", "/apps/shop-ios/test", #"{"strange": 1}"#).status == 422)
            let feedback = try caller.ask("POST", "/apps/shop-ios/feedback")
            #expect(feedback.status == 422 && feedback.errors[0].contains("connector stub"))
            #expect(try caller.ask("POST", "/apps/none/feedback").status == 404)
        }
    }

    @Test func `a configuration can be checked as a text or as the instance's file`() async throws {
        try await APICaller.with { caller in
            func check(_ body: String?) throws -> APICaller.Reply {
                try caller.ask("POST", "/configuration/check", body)
            }
            for body in [nil, "{}", #"{"text": null}"#] {
                let own = try check(body)
                #expect(own.status == 200 && own["valid"] as? Bool == true, "\(own.errors)")
                #expect((own["path"] as? String)?.hasSuffix("serverConf.xml") == true)
            }
            let good = try check(
                try Self.body(["text": "<serverConf><mta autoStart=\"true\"/></serverConf>"]))
            #expect(good["valid"] as? Bool == true && good["path"] as? String == "text")
            for text in [
                "", "nonsense", "<serverConf><mta logLevel=\"loud\"/></serverConf>",
                "<serverConf>\n<mta\n></serverConf>",
            ] {
                let wrong = try check(try Self.body(["text": text]))
                #expect(wrong.status == 200 && wrong["valid"] as? Bool == false, "\(text)")
                let finding = try #require((wrong["findings"] as? [[String: Any]])?.first)
                #expect(finding["severity"] as? String == "error" && finding["message"] is String)
            }
            // The check does not read files that are named in a text.
            let named = #"<serverConf><nmac><relay trustedCertsChain="/etc/shadow"/></nmac></serverConf>"#
            let unseen = try check(try Self.body(["text": named]))
            #expect(unseen["valid"] as? Bool == true, "\(unseen.plain.body)")
            #expect(try check(#"{"text": 3}"#).status == 422)
            #expect(try check(#"{"file": "x"}"#).status == 422)
        }
    }
}
