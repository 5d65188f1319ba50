import Foundation
import PushModel
import TestSupport
import Testing

@Suite struct APITemplateTests {
    private static let path = "/services/shop/templates/spring%20sale"
    private static let body = #"{"content": {"title": "One"}, "schedule": {"validity": "2h"}}"#

    @Test func `a template is written, read, listed and deleted, with one audit entry each`() async throws {
        try await APICaller.with { caller in
            let first = try caller.ask("PUT", Self.path, Self.body)
            #expect(first.status == 200 && first["version"] as? Int == 1, "\(first.errors)")
            #expect(first["name"] as? String == "spring sale" && first["changed"] as? Bool == true)
            #expect(try caller.ask("PUT", Self.path, Self.body)["changed"] as? Bool == false)
            let second = try caller.ask("PUT", Self.path, #"{"content": {"title": "Two"}}"#)
            #expect(second["version"] as? Int == 2)

            let shown = try caller.ask("GET", Self.path)
            #expect(shown["version"] as? Int == 2 && shown["oldestVersion"] as? Int == 1)
            let old = try caller.ask("GET", "\(Self.path)/versions/1")
            let document = try #require(old["document"] as? [String: Any])
            #expect((document["content"] as? [String: Any])?["title"] as? String == "One")
            let list = try caller.ask("GET", "/services/shop/templates")
            let items = try #require(list["items"] as? [[String: Any]])
            #expect(items.count == 1 && items.first?["version"] as? Int == 2)
            #expect(list["next"] is NSNull)

            #expect(try caller.ask("DELETE", Self.path)["versions"] as? Int == 2)
            #expect(try caller.ask("GET", Self.path).status == 404)
            #expect(try caller.ask("DELETE", Self.path).status == 404)
            let audit = try #require(try caller.ask("GET", "/audit")["items"] as? [[String: Any]])
            let actions = audit.compactMap { $0["action"] as? String }.filter {
                $0.contains("template")
            }
            #expect(actions == ["template.delete", "template.save", "template.save"])
        }
    }

    @Test func `templates without a service are read and written, and a delivery is copied`() async throws {
        try await APICaller.with { caller in
            let all = try #require(try caller.ask("GET", "/templates")["items"] as? [[String: Any]])
            #expect(all.map { $0["name"] as? String } == ["Android", "iOS"])
            #expect(all.allSatisfy { $0["service"] is NSNull })
            let body = #"""
                {"service": "shop", "target": {"all": true}, "content": {"title": "t"}}
                """#
            #expect(try caller.ask("PUT", "/templates/weekly", body)["version"] as? Int == 1)
            #expect(try caller.ask("GET", "/templates/weekly/versions/1")["version"] as? Int == 1)
            let document = #"{"label": "l", "template": "weekly", "allowEmpty": true}"#
            let delivery = try caller.ask("POST", "/deliveries", document)
            #expect(delivery.status == 201, "\(delivery.errors)")
            let id = try #require(delivery["id"] as? Int)
            let draft = try caller.ask("POST", "/deliveries/\(id)/draft", #"{"label": "d"}"#)
            #expect((draft["document"] as? [String: Any])?["label"] as? String == "d")
            let copy = try caller.ask("POST", "/deliveries/\(id)/copy", #"{"allowEmpty": true}"#)
            #expect(copy.status == 201, "\(copy.errors)")
            let shown = try caller.ask("GET", "/deliveries/\(id + 1)/document")
            #expect(
                (shown["document"] as? [String: Any])?["label"] as? String == "copy of \(id): l")
            let wrong = try caller.ask("POST", "/deliveries/\(id)/copy", #"{"content": {"titel": 1}}"#)
            #expect(wrong.status == 422)
            #expect(try caller.ask("DELETE", "/templates/weekly")["versions"] as? Int == 1)
            #expect(try caller.ask("DELETE", "/templates/weekly").status == 404)
            let foreign = try caller.ask("PUT", "/templates/weekly", #"{"apps": ["a"], "content": {}}"#)
            #expect(foreign.status == 422)
        }
    }

    @Test func `missing, invalid and oversized templates have different answers`() async throws {
        try await APICaller.with { caller in
            #expect(try caller.ask("PUT", "/services/none/templates/a", Self.body).status == 404)
            #expect(try caller.ask("GET", "/services/none/templates").status == 404)
            #expect(try caller.ask("PUT", Self.path, Self.body).status == 200)
            for version in ["2", "0", "-1", "x", "+1", "99999999999999999999"] {
                #expect(try caller.ask("GET", "\(Self.path)/versions/\(version)").status == 404, "\(version)")
            }
            let wrong = try caller.ask("PUT", Self.path, #"{"label": "x", "content": {"titel": "x"}}"#)
            #expect(wrong.status == 422 && wrong.errors.count == 2)
            #expect(!wrong.errors.contains { $0.hasPrefix("body: ") })
            #expect(try caller.ask("PUT", Self.path, "{").status == 400)
            let large = #"{"content": {"title": "\#(String(repeating: "x", count: 66_000))"}}"#
            #expect(try caller.ask("PUT", Self.path, large).status == 413)
            #expect(try caller.ask("PUT", "/services/shop/templates/%20x", Self.body).status == 422)
            #expect(try caller.ask("POST", Self.path, Self.body).status == 405)
            #expect(try caller.ask("GET", "\(Self.path)?version=1").status == 400)
        }
    }

    @Test func `deliveries and messages are created from a template`() async throws {
        try await APICaller.with { caller in
            #expect(try caller.ask("PUT", Self.path, Self.body).status == 200)
            let token = String(repeating: "b2", count: 32)
            let form = "registrationToken=\(token)&mobileAppUuid=key&userKey=anna&method="
            _ = try PlainHTTP.post("/nms/mobile/1/registerIOS.jssp", Array(form.utf8), at: caller.web.address)
            let delivery =
                #"{"label": "l", "service": "shop", "target": {"all": true}, "template": "spring sale"}"#
            let dry = try caller.ask("POST", "/deliveries/dry-run", delivery)
            #expect(dry.status == 200 && dry["targeted"] as? Int == 1, "\(dry.errors)")
            #expect(try caller.ask("POST", "/deliveries", delivery).status == 201)
            let shown = try caller.ask("GET", "/deliveries/1")
            #expect(shown["template"] as? String == "spring sale" && shown["templateVersion"] as? Int == 1)
            #expect(shown["validitySeconds"] as? Int == 7_200)
            let message = #"{"app": "shop-ios", "userKey": "anna", "template": "spring sale"}"#
            #expect(try caller.ask("POST", "/messages", message).status == 202)
            let none = try caller.ask(
                "POST", "/messages", message.replacing("spring sale", with: "autumn"))
            #expect(none.status == 422)
            let names = "spring sale, Android, iOS"
            #expect(none.errors == ["template: service shop has no template autumn; it has: \(names)"])
        }
    }

    @Test func `callers with read access can read templates, and only administrators can change them`()
        async throws
    {
        try await APICaller.with([.read, .send]) { caller in
            let list = try caller.ask("GET", "/services/shop/templates")
            #expect(list.status == 200)
            #expect(try caller.ask("PUT", Self.path, Self.body).status == 403)
            #expect(try caller.ask("DELETE", Self.path).status == 403)
        }
    }
}
