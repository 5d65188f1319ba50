import Foundation
import PushConnectors
import PushModel
import PushWire
import TestSupport
import Testing

/// Tests that compare the API's description with the API's behaviour.
@Suite struct APIDocumentTests {
    @Test func `every documented path is answered, and only the path of the description requires no token`()
        async throws
    {
        try await APICaller.with { caller in
            let document = try APIDescription(try caller.ask("GET", "/openapi.json").json)
            #expect(document.version == "3.1.0" && document.operations.count >= 36)
            let stranger = APICaller(web: caller.web, token: nil)
            for (path, method, operation) in document.operations {
                let asked = path.replacing(#/\{[a-z]+\}/#, with: "1")
                let needsNoToken = path == "/openapi.json"
                #expect((operation["security"] as? [Any])?.isEmpty == (needsNoToken ? true : nil), "\(path)")
                let status = try stranger.ask(method, asked).status
                #expect(status == (needsNoToken ? 200 : 401), "\(method) \(path)")
                #expect(!(operation["summary"] as? String ?? "").isEmpty, "\(method) \(path)")
                let names = (operation["parameters"] as? [[String: Any]] ?? []).filter {
                    $0["in"] as? String == "path"
                }
                #expect(names.count == path.filter { $0 == "{" }.count, "\(method) \(path)")
            }
            for name in document.references { #expect(document.schemas[name] != nil, "\(name)") }
            for (name, schema) in document.schemas {
                let schema = try #require(schema as? [String: Any])
                let properties = schema["properties"] as? [String: Any]
                #expect(
                    properties?.isEmpty == false || schema["additionalProperties"] != nil
                        || (schema["enum"] as? [String])?.isEmpty == false, "\(name) is empty")
                guard name != "Problem" else { continue }
                #expect(document.references.contains(name), "nothing refers to \(name)")
            }
        }
    }

    /// Compares the description with the keys that the parser lists when it refuses an unknown key.
    @Test(arguments: [
        ("Content", #"{"?": 1}"#), ("IOSContent", #"{"ios": {"?": 1}}"#),
        ("AndroidContent", #"{"android": {"?": 1}}"#),
    ])
    func `the description of contents lists the keys that a content can have`(name: String, content: String)
        async throws
    {
        var known: [String] = []
        do {
            _ = try ConnectorCatalogue.contents.decode(Array(content.utf8))
        } catch {
            let mark = "allowed: "
            let line = try #require(error.lines.first { $0.contains(mark) })
            known = line[try #require(line.range(of: mark)).upperBound...].components(separatedBy: ", ")
        }
        try await APICaller.with { caller in
            let document = try APIDescription(try caller.ask("GET", "/openapi.json").json)
            let schema = try #require(document.schemas[name] as? [String: Any])
            #expect((schema["properties"] as? [String: Any])?.keys.sorted() == known.sorted())
        }
    }

    @Test func `the description lists the keys that a delivery document and its target can have`()
        async throws
    {
        func known(_ document: String) throws -> [String] {
            do {
                _ = try DeliveryDocument.parse(Array(document.utf8), contents: ConnectorCatalogue.contents)
                return []
            } catch {
                let mark = "allowed: "
                let line = try #require(error.lines.first { $0.contains(mark) })
                return line[try #require(line.range(of: mark)).upperBound...].components(separatedBy: ", ")
            }
        }
        try await APICaller.with { caller in
            let description = try APIDescription(try caller.ask("GET", "/openapi.json").json)
            for (name, document) in [
                ("DeliveryDocument", #"{"?": 1}"#), ("DeliveryTarget", #"{"target": {"?": 1}}"#),
                ("TargetComparison", #"{"target": {"where": {"a": {"?": 1}}}}"#),
            ] {
                let schema = try #require(description.schemas[name] as? [String: Any])
                let names = (schema["propertyNames"] as? [String: Any])?["enum"] as? [String]
                let keys = names ?? (schema["properties"] as? [String: Any])?.keys.map { $0 }
                #expect(try keys?.sorted() == known(document).sorted(), "\(name)")
            }
        }
    }

    @Test func `answers match their descriptions`() async throws {
        try await APICaller.with { caller in
            let document = try APIDescription(try caller.ask("GET", "/openapi.json").json)
            var seen: Set<String> = []
            func check(_ method: String, _ path: String, _ template: String, _ body: String? = nil) throws {
                let reply = try caller.ask(method, path, body)
                let faults = try document.faults(of: reply.json, method, template, status: reply.status)
                #expect(faults.isEmpty, "\(method) \(path): \(reply.status) \(faults)")
                if reply.status < 300 { seen.insert("\(method) \(template)") }
            }
            let token = String(repeating: "b2", count: 32)
            let form = "registrationToken=\(token)&mobileAppUuid=key&userKey=anna&method="
            _ = try PlainHTTP.post("/nms/mobile/1/registerIOS.jssp", Array(form.utf8), at: caller.web.address)
            try check("POST", "/services", "/services", #"{"name": "s"}"#)
            try check("PATCH", "/services/s", "/services/{name}", #"{"label": "S"}"#)
            try check("PATCH", "/services/s", "/services/{name}", #"{"frequencyCap": "3 in 7d"}"#)
            try check("GET", "/services/s", "/services/{name}")
            try check("GET", "/services", "/services")
            try check("GET", "/services/shop/statistics", "/services/{name}/statistics")
            try check("DELETE", "/services/s", "/services/{name}")
            try check("DELETE", "/services/s", "/services/{name}")
            try check("GET", "/apps", "/apps")
            try check("GET", "/apps/shop-ios", "/apps/{name}")
            try check(
                "PATCH", "/apps/shop-ios", "/apps/{name}",
                #"{"sounds": [{"internalName": "a", "label": "A"}]}"#)
            let png = Data(AppIcon.examplePNG(width: 48, height: 48, filling: 100_000)).base64EncodedString()
            try check(
                "PATCH", "/apps/shop-ios", "/apps/{name}", #"{"label": "Shop", "icon": "\#(png)"}"#)
            try check("GET", "/apps/shop-ios", "/apps/{name}")
            try check("GET", "/apps/shop-ios/icon", "/apps/{name}/icon")
            try check("PATCH", "/apps/shop-ios", "/apps/{name}", #"{"connector": "stub"}"#)
            try check("PATCH", "/apps/shop-ios", "/apps/{name}", #"{"connector": "ios"}"#)
            try check("PATCH", "/apps/shop-ios", "/apps/{name}", #"{"icon": "R0lGODlh"}"#)
            try check("PATCH", "/apps/shop-ios", "/apps/{name}", #"{"removesIcon": true}"#)
            try check("GET", "/apps/shop-ios/icon", "/apps/{name}/icon")
            try check(
                "POST", "/deliveries", "/deliveries",
                #"{"label": "l", "service": "shop", "apps": ["shop-ios"], "target": {"all": true}, "content": {"title": "t"}}"#
            )
            for path in [
                "/deliveries", "/deliveries/1", "/deliveries/1/document", "/deliveries/1/statistics",
            ] {
                try check("GET", path, path.replacing("1", with: "{id}"))
            }
            try check("GET", "/deliveries/1/statistics?devices=true", "/deliveries/{id}/statistics")
            try check("POST", "/deliveries/1/recount", "/deliveries/{id}/recount")
            try check("POST", "/deliveries/1/pause", "/deliveries/{id}/pause")
            try check("POST", "/deliveries/1/resume", "/deliveries/{id}/resume")
            try check("POST", "/deliveries/1/retry-failed", "/deliveries/{id}/retry-failed")
            try check(
                "POST", "/deliveries", "/deliveries",
                #"{"label": "l", "service": "shop", "apps": ["shop-ios"], "target": {"all": true}, "content": {"title": "t"}, "schedule": {"ratePerSecond": 50}}"#
            )
            try check("GET", "/deliveries/2", "/deliveries/{id}")
            try check("POST", "/deliveries/2/stop", "/deliveries/{id}/stop")
            try check("POST", "/deliveries/2/stop", "/deliveries/{id}/stop")
            try check("POST", "/deliveries/2/resume", "/deliveries/{id}/resume")
            try check(
                "POST", "/deliveries", "/deliveries",
                #"{"label": "l", "service": "shop", "apps": ["shop-ios"], "target": {"all": true}, "content": {"title": "t", "ios": {"collapseId": "c"}}}"#
            )
            let recall = (path: "/deliveries/3/recall", template: "/deliveries/{id}/recall")
            try check("POST", recall.path, recall.template, #"{"content": {"title": "u"}}"#)
            try check("POST", recall.path, recall.template, #"{"content": {"titel": "u"}}"#)
            try check("GET", "/deliveries/1/log?userKey=anna", "/deliveries/{id}/log")
            let sale =
                #"{"label": "l", "service": "shop", "target": {"all": true}, "content": {"title": "t"}}"#
            try check("POST", "/deliveries/dry-run", "/deliveries/dry-run", sale)
            try check(
                "POST", "/deliveries/preview", "/deliveries/preview",
                #"{"document": \#(sale), "userKey": "anna"}"#)
            try check(
                "POST", "/deliveries/proof", "/deliveries/proof",
                #"{"document": \#(sale), "userKeys": ["anna"]}"#)
            let templates = "/services/{service}/templates"
            try check(
                "PUT", "/services/shop/templates/sale", "\(templates)/{name}",
                #"{"content": {"title": "t"}, "tracking": false, "schedule": {"validity": "1h"}}"#)
            try check("GET", "/services/shop/templates", templates)
            try check("GET", "/services/shop/templates/sale", "\(templates)/{name}")
            try check(
                "GET", "/services/shop/templates/sale/versions/1", "\(templates)/{name}/versions/{version}")
            try check("DELETE", "/services/shop/templates/sale", "\(templates)/{name}")
            try check("GET", "/templates", "/templates")
            try check("GET", "/templates/iOS", "/templates/{name}")
            try check("GET", "/templates/iOS/versions/1", "/templates/{name}/versions/{version}")
            try check("PUT", "/templates/iOS", "/templates/{name}", #"{"content": {"title": "t"}}"#)
            try check("DELETE", "/templates/iOS", "/templates/{name}")
            try check("DELETE", "/templates/iOS", "/templates/{name}")
            for verb in ["copy", "draft"] {
                let path = "/deliveries/{id}/\(verb)"
                try check("POST", "/deliveries/1/\(verb)", path, #"{"label": "second"}"#)
                try check("POST", "/deliveries/1/\(verb)", path, "[]")
                try check("POST", "/deliveries/99/\(verb)", path, "{}")
            }
            let message = #"{"app": "shop-ios", "userKey": "anna", "content": {"title": "t"}}"#
            try check("POST", "/messages", "/messages", message)
            try check("POST", "/messages", "/messages", "[\(message), {}]")
            let sent = try caller.ask("POST", "/messages", message)
            let id = try #require((sent["devices"] as? [[String: Any]])?.first?["id"] as? String)
            try check("GET", "/messages/\(id)", "/messages/{id}")
            try check("GET", "/subscribers?userKey=anna", "/subscribers")
            let subscriber = #"{"app": "shop-ios", "token": "\#(token)", "userKey": "anna"}"#
            try check("POST", "/subscribers", "/subscribers", subscriber)
            try check("GET", "/subscribers?app=shop-ios&state=valid", "/subscribers")
            let quarantined = #"{"app": "shop-ios", "token": "\#(token)", "reason": "a test device"}"#
            try check("POST", "/quarantine", "/quarantine", quarantined)
            try check("GET", "/quarantine", "/quarantine")
            try check(
                "POST", "/quarantine/release", "/quarantine/release", #"{"app": "shop-ios", "all": true}"#)
            try check("POST", "/quarantine/release", "/quarantine/release", #"{"app": "shop-ios"}"#)
            try check("POST", "/apps/shop-ios/test", "/apps/{name}/test")
            try check("POST", "/apps/shop-ios/feedback", "/apps/{name}/feedback")
            try check("POST", "/configuration/check", "/configuration/check", #"{"text": "<serverConf>"}"#)
            try check("POST", "/configuration/check", "/configuration/check")
            try check("GET", "/subscribers/count", "/subscribers/count")
            try check("DELETE", "/subscribers?userKey=anna", "/subscribers")
            for path in ["/status", "/quarantine", "/storms", "/tokens", "/audit"] {
                try check("GET", path, path)
            }
            try check("POST", "/tokens", "/tokens", #"{"name": "t", "scopes": ["read"]}"#)
            try check("DELETE", "/tokens/t", "/tokens/{name}")
            let receiver = try HTTPReceiver()
            let webhook =
                #"{"name": "crm", "url": "\#(receiver.url)", "events": ["sent"], "service": "shop"}"#
            try check("POST", "/webhooks", "/webhooks", webhook)
            try check("GET", "/webhooks", "/webhooks")
            try check("GET", "/webhooks/crm", "/webhooks/{name}")
            try check("POST", "/webhooks/crm/test", "/webhooks/{name}/test")
            try check("POST", "/webhooks/crm/rotate-secret", "/webhooks/{name}/rotate-secret")
            try check(
                "PATCH", "/webhooks/crm", "/webhooks/{name}",
                #"{"enabled": false, "events": ["failed"], "service": ""}"#)
            try check("GET", "/status", "/status")
            try check("DELETE", "/webhooks/crm", "/webhooks/{name}")
            #expect(receiver.requests.count == 1)
            try check("GET", "/nothing?x=1", "/services")
            #expect(seen.count >= 32)
        }
    }
}
