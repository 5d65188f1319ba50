import Foundation
import Testing

/// The subset of OpenAPI 3.1 that the document uses.
struct APIDescription {
    let version: String
    let operations: [(path: String, method: String, operation: [String: Any])]
    let schemas: [String: Any]
    private let responses: [String: [String: Any]]
    private(set) var references: Set<String> = []

    init(_ json: Any) throws {
        let root = try #require(json as? [String: Any])
        version = root["openapi"] as? String ?? ""
        let paths = try #require(root["paths"] as? [String: [String: Any]])
        operations = paths.flatMap { path, methods in
            methods.map { (path, $0.key.uppercased(), $0.value as? [String: Any] ?? [:]) }
        }
        let components = try #require(root["components"] as? [String: Any])
        schemas = try #require(components["schemas"] as? [String: Any])
        responses = try #require(components["responses"] as? [String: [String: Any]])
        references = Self.references(in: root)
    }

    private static func references(in value: Any) -> Set<String> {
        if let list = value as? [Any] { return list.reduce(into: []) { $0.formUnion(references(in: $1)) } }
        guard let object = value as? [String: Any] else { return [] }
        var found = object.values.reduce(into: Set<String>()) { $0.formUnion(references(in: $1)) }
        if let name = referenced(object), (object["$ref"] as? String)?.contains("/schemas/") == true {
            found.insert(name)
        }
        return found
    }

    private static func referenced(_ object: [String: Any]) -> String? {
        (object["$ref"] as? String)?.split(separator: "/").last.map(String.init)
    }

    /// Returns the positions where an answer does not match its description.
    func faults(of json: Any, _ method: String, _ path: String, status: Int) throws -> [String] {
        let operation = operations.first { $0.path == path && $0.method == method }?.operation
        let responses = try #require(operation?["responses"] as? [String: [String: Any]])
        var response = try #require(responses["\(status)"], "\(method) \(path) does not say \(status)")
        if let name = Self.referenced(response) { response = try #require(self.responses[name], "\(name)") }
        let content = try #require(response["content"] as? [String: [String: Any]])
        let described = content["application/json"] ?? content.values.first
        return faults(of: json, try #require(described?["schema"] as? [String: Any]), at: "")
    }

    func faults(of value: Any, _ schema: [String: Any], at place: String = "") -> [String] {
        if let name = Self.referenced(schema) {
            return faults(of: value, schemas[name] as? [String: Any] ?? [:], at: place)
        }
        for key in ["anyOf", "oneOf"] {
            guard let choices = schema[key] as? [[String: Any]] else { continue }
            let all = choices.map { faults(of: value, $0, at: place) }
            let fitting = all.count { $0.isEmpty }
            guard fitting == 0 || key == "oneOf" && fitting > 1 else { return [] }
            return all.first { !$0.isEmpty } ?? ["\(place): more than one of \(key)"]
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
            let rules = schema["allOf"] as? [[String: Any]] ?? []
            return faults(of: object, schema, at: place)
                + rules.flatMap { faults(of: value, $0, at: place) }
        // A rule for an object that is described elsewhere.
        case nil: return faults(of: value as? [String: Any] ?? [:], schema, at: place)
        default: return []
        }
    }

    /// Returns the optional query parameters.
    func query(of operation: [String: Any]) -> [(name: String, schema: [String: Any])] {
        (operation["parameters"] as? [[String: Any]] ?? []).compactMap { parameter in
            guard parameter["in"] as? String == "query", parameter["required"] as? Bool == false,
                let name = parameter["name"] as? String
            else { return nil }
            let schema = parameter["schema"] as? [String: Any] ?? [:]
            return (name, Self.referenced(schema).map { schemas[$0] as? [String: Any] ?? [:] } ?? schema)
        }
    }

    /// Reports whether a request body matches the document's description of it.
    func describes(_ body: Any, _ method: String, _ path: String) throws -> Bool {
        let operation = operations.first { $0.path == path && $0.method == method }?.operation
        let request = try #require(operation?["requestBody"] as? [String: Any])
        let content = try #require(request["content"] as? [String: [String: Any]])
        return faults(of: body, content.values.first?["schema"] as? [String: Any] ?? [:], at: "").isEmpty
    }

    private func faults(of object: [String: Any], _ schema: [String: Any], at place: String) -> [String] {
        let required = schema["required"] as? [String] ?? []
        var faults = required.filter { object[$0] == nil }.map { "\(place).\($0): missing" }
        guard let known = schema["properties"] as? [String: [String: Any]] else { return faults }
        for (key, value) in object {
            guard let member = known[key] else {
                faults.append("\(place).\(key): not described")
                continue
            }
            faults += self.faults(of: value, member, at: "\(place).\(key)")
        }
        return faults
    }
}
