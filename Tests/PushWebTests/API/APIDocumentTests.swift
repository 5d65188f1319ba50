import Foundation
import PushModel
import TestSupport
import Testing

/// The API's description beside what the API does.
@Suite struct APIDocumentTests {
    @Test func `every path that it names is answered, and nothing is answered without a token`() async throws
    {
        try await APICaller.with { caller in
            let document = try APIDescription(try caller.ask("GET", "/openapi.json").json)
            #expect(document.version == "3.1.0" && document.operations.count >= 36)
            let stranger = APICaller(web: caller.web, token: nil)
            for (path, method, operation) in document.operations {
                let asked = path.replacing(#/\{[a-z]+\}/#, with: "1")
                #expect(try stranger.ask(method, asked).status == 401, "\(method) \(path)")
                #expect(!(operation["summary"] as? String ?? "").isEmpty, "\(method) \(path)")
                let names = (operation["parameters"] as? [[String: Any]] ?? []).filter {
                    $0["in"] as? String == "path"
                }
                #expect(names.count == path.filter { $0 == "{" }.count, "\(method) \(path)")
            }
            for name in document.references { #expect(document.schemas[name] != nil, "\(name)") }
            for name in document.schemas.keys where name != "Problem" {
                #expect(document.references.contains(name), "nothing refers to \(name)")
            }
        }
    }

    @Test func `what is answered is what it says`() async throws {
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
            try check(
                "POST", "/deliveries", "/deliveries",
                #"{"label": "l", "service": "shop", "apps": ["shop-ios"], "target": {"all": true}, "content": {"title": "t"}}"#
            )
            for path in ["/deliveries", "/deliveries/1", "/deliveries/1/statistics"] {
                try check("GET", path, path.replacing("1", with: "{id}"))
            }
            try check("GET", "/deliveries/1/statistics?devices=true", "/deliveries/{id}/statistics")
            try check("POST", "/deliveries/1/recount", "/deliveries/{id}/recount")
            try check("POST", "/deliveries/1/pause", "/deliveries/{id}/pause")
            try check("POST", "/deliveries/1/resume", "/deliveries/{id}/resume")
            try check("POST", "/deliveries/1/retry-failed", "/deliveries/{id}/retry-failed")
            let message = #"{"app": "shop-ios", "userKey": "anna", "content": {"title": "t"}}"#
            try check("POST", "/messages", "/messages", message)
            try check("POST", "/messages", "/messages", "[\(message), {}]")
            let sent = try caller.ask("POST", "/messages", message)
            let id = try #require((sent["devices"] as? [[String: Any]])?.first?["id"] as? String)
            try check("GET", "/messages/\(id)", "/messages/{id}")
            try check("GET", "/subscribers?userKey=anna", "/subscribers")
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

/// As much of OpenAPI 3.1 as the document uses.
struct APIDescription {
    let version: String
    let operations: [(path: String, method: String, operation: [String: Any])]
    let schemas: [String: Any]
    private(set) var references: Set<String> = []

    init(_ json: Any) throws {
        let root = try #require(json as? [String: Any])
        version = root["openapi"] as? String ?? ""
        let paths = try #require(root["paths"] as? [String: [String: Any]])
        operations = paths.flatMap { path, methods in
            methods.map { (path, $0.key.uppercased(), $0.value as? [String: Any] ?? [:]) }
        }
        schemas = try #require((root["components"] as? [String: Any])?["schemas"] as? [String: Any])
        references = Self.references(in: root)
    }

    private static func references(in value: Any) -> Set<String> {
        if let list = value as? [Any] { return list.reduce(into: []) { $0.formUnion(references(in: $1)) } }
        guard let object = value as? [String: Any] else { return [] }
        var found = object.values.reduce(into: Set<String>()) { $0.formUnion(references(in: $1)) }
        if let name = (object["$ref"] as? String)?.split(separator: "/").last { found.insert(String(name)) }
        return found
    }

    /// Where an answer is not what is said of it.
    func faults(of json: Any, _ method: String, _ path: String, status: Int) throws -> [String] {
        let operation = operations.first { $0.path == path && $0.method == method }?.operation
        let responses = try #require(operation?["responses"] as? [String: [String: Any]])
        let response = try #require(responses["\(status)"], "\(method) \(path) does not say \(status)")
        let content = try #require(response["content"] as? [String: [String: Any]])
        return faults(of: json, try #require(content.values.first?["schema"] as? [String: Any]), at: "")
    }

    private func faults(of value: Any, _ schema: [String: Any], at place: String) -> [String] {
        if let name = (schema["$ref"] as? String)?.split(separator: "/").last {
            return faults(of: value, schemas[String(name)] as? [String: Any] ?? [:], at: place)
        }
        for key in ["anyOf", "oneOf"] {
            guard let choices = schema[key] as? [[String: Any]] else { continue }
            let all = choices.map { faults(of: value, $0, at: place) }
            return all.contains { $0.isEmpty } ? [] : all.first ?? []
        }
        switch schema["type"] as? String {
        case "null": return value is NSNull ? [] : ["\(place): not null"]
        case "string":
            guard let text = value as? String else { return ["\(place): no string"] }
            if let words = schema["enum"] as? [String], !words.contains(text) { return ["\(place): \(text)"] }
            return []
        case "integer", "number", "boolean": return value is NSNumber ? [] : ["\(place): no number"]
        case "array":
            guard let list = value as? [Any] else { return ["\(place): no array"] }
            let item = schema["items"] as? [String: Any] ?? [:]
            return list.enumerated().flatMap { faults(of: $1, item, at: "\(place)[\($0)]") }
        case "object":
            guard let object = value as? [String: Any] else { return ["\(place): no object"] }
            return faults(of: object, schema, at: place)
        default: return []
        }
    }

    private func faults(of object: [String: Any], _ schema: [String: Any], at place: String) -> [String] {
        let required = schema["required"] as? [String] ?? []
        var faults = required.filter { object[$0] == nil }.map { "\(place).\($0): missing" }
        guard let known = schema["properties"] as? [String: [String: Any]] else { return faults }
        for (key, value) in object {
            guard let member = known[key] else {
                faults.append("\(place).\(key): nobody says so")
                continue
            }
            faults += self.faults(of: value, member, at: "\(place).\(key)")
        }
        return faults
    }
}
