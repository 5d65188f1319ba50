import PushAPI
import PushWire

/// The API's reference page in Markdown, generated from the API's description.
struct APIReference {
    private let description: JSONValue
    private var blocks: [String] = []
    /// Types that are described at the place where they are used.
    private var bodies: Set<String> = []

    var text: String { blocks.joined(separator: "\n\n") + "\n" }

    init(of description: JSONValue) {
        self.description = description
        blocks = ["# API reference", Self.introduction]
        let codes = ProblemCode.allCases.filter { $0 != .preconditionFailed }
        table(
            ["status", "code", "means"],
            codes.sorted { $0.status < $1.status }.map { ["\($0.status)", "`\($0.rawValue)`", $0.meaning] })
        let tags = description["tags"].elements
        table(
            ["request", "operation", "scope", "does"],
            tags.flatMap { tag in
                operations(of: tag).map { method, path, operation in
                    let id = operation["operationId"].string
                    return [
                        "`\(method) \(path)`", "[\(id)](#\(id.lowercased()))", scope(of: operation) ?? "–",
                        operation["summary"].string,
                    ]
                }
            })
        for tag in tags {
            blocks += ["## \(tag["x-displayName"].string)", tag["description"].string]
            for (method, path, operation) in operations(of: tag) { section(method, path, operation) }
        }
        blocks += ["## Types", "Members in **bold** are always there, or are required in a request."]
        for (name, schema) in description["components"]["schemas"].members where !bodies.contains(name) {
            blocks.append("### Type \(name)")
            type(schema)
        }
    }

    private static let introduction = """
        `make reference` writes this page from the description that a service returns for `GET /api/v1/openapi.json`.
        [The HTTP API](../Send/API.md) describes tokens, lists, idempotency keys and errors.

        Paths are relative to `/api/v1`. The examples use two variables of the shell:

        ```text
        API=http://127.0.0.1:8080/api/v1
        TOKEN=$(cat var/api.token)
        ```

        An answer with one of these statuses has the type [Problem](#type-problem); programs must check its `code`:
        """

    // MARK: Operations

    private func operations(of tag: JSONValue) -> [(method: String, path: String, operation: JSONValue)] {
        description["paths"].members.flatMap { path, methods in
            methods.members.filter { $0.value["tags"].elements.contains(tag["name"] ?? .null) }
                .map { ($0.key.uppercased(), path, $0.value) }
        }
    }

    private func scope(of operation: JSONValue) -> String? {
        operation["security"] == nil
            ? operation["description"].string.split(separator: "`").dropFirst().first.map { "`\($0)`" } : nil
    }

    private mutating func section(_ method: String, _ path: String, _ operation: JSONValue) {
        let scope = scope(of: operation).map { "scope \($0)" } ?? "no token"
        blocks += [
            "### \(operation["operationId"].string)", "`\(method) \(path)` · \(scope)",
            operation["summary"].string,
        ]
        let parameters = operation["parameters"].elements
        table(
            ["parameter", "in", "type", "meaning"],
            parameters.map { parameter in
                let name = parameter["name"].string
                let isRequired = parameter["required"] == .boolean(true)
                return [
                    isRequired ? "**`\(name)`**" : "`\(name)`", parameter["in"].string,
                    kind(of: parameter["schema"] ?? .null),
                    meaning(parameter["description"], parameter["schema"] ?? .null),
                ]
            })
        let body = operation["requestBody"]["content"]["application/json"]
        if let schema = body["schema"] {
            let name = schema.reference ?? ""
            let isOwn = name.hasSuffix("Request")
            blocks.append("Body: \(isOwn ? "an object" : kind(of: schema))")
            if isOwn, bodies.insert(name).inserted {
                type(description["components"]["schemas"][name] ?? .null)
            }
        }
        if let about = operation["requestBody"]["description"] {
            let types = operation["requestBody"]["content"].members.map { "`\($0.key)`" }
            blocks.append("Body: \(types.joined(separator: " or ")). \(about.string)")
        }
        answers(of: operation)
        example(of: method, path, operation)
    }

    /// Appends a request and its answer.
    private mutating func example(of method: String, _ path: String, _ operation: JSONValue) {
        let content = operation["requestBody"]["content"]
        let file = content["text/csv"]["example"]
        let request = request(
            method, path, operation["parameters"].elements, content["application/json"]["example"],
            file: file == nil ? "" : "subscribers.csv")
        blocks += ["Example:", "```text\n\(request)\n```"]
        if file != nil { blocks += ["with `subscribers.csv`:", "```text\n\(file.string)```"] }
        for (status, response) in operation["responses"].members where response.reference == nil {
            for (type, content) in response["content"].members {
                guard let example = content["example"] else { continue }
                let isJSON = type == "application/json"
                blocks.append("Answer, \(status)\(isJSON ? "" : " as `\(type)`"):")
                blocks.append(isJSON ? "```json\n\(example.laidOut())\n```" : "```text\n\(example.plain)```")
            }
        }
    }

    private mutating func answers(of operation: JSONValue) {
        var lines: [String] = []
        for (status, response) in operation["responses"].members where response.reference == nil {
            let text = response["description"].string
            for (type, content) in response["content"].members {
                let what = type == "application/json" ? kind(of: content["schema"] ?? .null) : "`\(type)`"
                lines.append("- \(status): \(what)\(text == "Done." ? "" : ". \(text)")")
            }
        }
        let problems = operation["responses"].members.filter { $0.value.reference != nil }.map(\.key)
        lines.append("- \(problems.joined(separator: ", ")): [Problem](#type-problem)")
        blocks += ["Answers:", lines.joined(separator: "\n")]
    }

    private func request(
        _ method: String, _ path: String, _ parameters: [JSONValue], _ body: JSONValue?, file: String
    ) -> String {
        var (path, query): (String, [String]) = (path, [])
        for parameter in parameters {
            guard let example = parameter["example"] else { continue }
            let (name, text) = (parameter["name"].string, example.plain)
            if parameter["in"].string == "path" {
                path = path.replacing("{\(name)}", with: text)
            } else {
                query.append("\(name)=\(text)")
            }
        }
        let address = path + (query.isEmpty ? "" : "?") + query.joined(separator: "&")
        let hasBody = body.map { $0 != .object([]) } ?? false
        let isUsual = method == (hasBody ? "POST" : "GET")
        var line = "curl" + (isUsual ? "" : " -X \(method)") + " -H \"Authorization: Bearer $TOKEN\""
        if !file.isEmpty { line += " -H 'Content-Type: text/csv' --data-binary @\(file)" }
        guard let body, hasBody else { return "\(line) \"$API\(address)\"" }
        return "\(line) \"$API\(address)\" -d '\(body.laidOut())'"
    }

    // MARK: Types

    /// Appends a table of the members of an object, or a single line.
    private mutating func type(_ schema: JSONValue) {
        let required = schema["required"].elements
        let rows = schema["properties"].members.map { name, member in
            [
                required.contains(.string(name)) ? "**`\(name)`**" : "`\(name)`", kind(of: member),
                meaning(member["description"], member),
            ]
        }
        if rows.isEmpty {
            blocks.append(schema["enum"] == nil ? "An \(kind(of: schema))." : "One of \(kind(of: schema)).")
        }
        table(["member", "type", "meaning"], rows)
        let alternatives = schema["allOf"].elements.map { rule in
            rule["oneOf"].elements.compactMap { $0["required"].elements.first }.map { "`\($0.plain)`" }
        }
        for names in alternatives {
            blocks.append("Exactly one of \(names.joined(separator: ", ")) is given.")
        }
    }

    private func meaning(_ text: JSONValue?, _ schema: JSONValue) -> String {
        guard let preset = schema["default"], !text.string.contains("Default: ") else { return text.string }
        return (text.string + " Default: `\(preset.plain)`.").trimmingPrefix(" ").description
    }

    /// Returns a description of the type in words.
    private func kind(of schema: JSONValue) -> String {
        if let name = schema.reference {
            return bodies.contains(name) ? "an object" : "[\(name)](#type-\(name.lowercased()))"
        }
        for key in ["oneOf", "anyOf"] {
            let choices = schema[key].elements
            if !choices.isEmpty { return choices.map { kind(of: $0) }.joined(separator: " or ") }
        }
        if let words = schema["enum"] {
            return words.elements.map { "`\($0.plain)`" }.joined(separator: ", ")
        }
        switch schema["type"].string {
        case "array":
            return "array of " + kind(of: schema["items"] ?? .null)
                + bounds(schema, "minItems", "maxItems", ", ", " elements")
        case "object":
            let names = schema["propertyNames"]["enum"].elements.map { "`\($0.plain)`" }
            let values = schema["additionalProperties"] ?? .null
            let name = names.isEmpty ? "any names" : "the names \(names.joined(separator: ", "))"
            return "object with \(name) "
                + (values == .boolean(true) ? "and any JSON" : "and values of type \(kind(of: values))")
        case "string" where schema["format"].string == "date-time": return "time"
        case "string": return "string" + bounds(schema, "minLength", "maxLength", " of ", " characters")
        case let type: return type + bounds(schema, "minimum", "maximum", " from ", "")
        }
    }

    private func bounds(
        _ schema: JSONValue, _ least: String, _ most: String, _ before: String, _ after: String
    ) -> String {
        guard let low = schema[least], let high = schema[most] else { return "" }
        let isOpen = high == .integer(.max)
        return "\(before)\(low.plain)\(isOpen ? " on" : " to \(high.plain)")\(after)"
    }

    /// Appends a table. Does nothing if there are no rows.
    private mutating func table(_ head: [String], _ rows: [[String]]) {
        guard !rows.isEmpty else { return }
        let cells = rows.map { row in
            row.map { $0.replacing("\n", with: " ").replacing("|", with: "\\|").replacing("<", with: "\\<") }
        }
        let lines = [head, head.map { _ in "---" }] + cells
        blocks.append(lines.map { "| \($0.joined(separator: " | ")) |" }.joined(separator: "\n"))
    }
}

extension JSONValue {
    fileprivate var members: [(key: String, value: JSONValue)] {
        if case .object(let members) = self { members.map { ($0.key, $0.value) } } else { [] }
    }
    fileprivate var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }
    fileprivate var string: String { if case .string(let text) = self { text } else { "" } }
    /// A string unchanged; any other value as JSON on one line.
    fileprivate var plain: String {
        if case .string(let text) = self { return text }
        var bytes: [UInt8] = []
        append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
    /// JSON in which a value is on one line if it fits into the width of the page.
    /// - Parameters:
    ///   - indentation: The number of spaces before lines of the value.
    ///   - before: The number of characters before the value on its line.
    fileprivate func laidOut(_ indentation: Int = 0, after before: Int = 0) -> String {
        let line = onOneLine
        guard before + line.count > 100 else { return line }
        let margin = String(repeating: " ", count: indentation)
        func block(_ lines: [String], _ brackets: (String, String)) -> String {
            let inner = lines.map { "\n\(margin)  \($0)" }.joined(separator: ",")
            return "\(brackets.0)\(inner)\n\(margin)\(brackets.1)"
        }
        switch self {
        case .object(let members):
            return block(
                members.map { member in
                    let name = "\"\(member.key)\": "
                    return name + member.value.laidOut(indentation + 2, after: indentation + 2 + name.count)
                }, ("{", "}"))
        case .array(let elements):
            return block(elements.map { $0.laidOut(indentation + 2, after: indentation + 2) }, ("[", "]"))
        default: return line
        }
    }

    private var onOneLine: String {
        switch self {
        case .object(let members):
            "{" + members.map { "\"\($0.key)\": \($0.value.onOneLine)" }.joined(separator: ", ") + "}"
        case .array(let elements): "[" + elements.map(\.onOneLine).joined(separator: ", ") + "]"
        default: text
        }
    }

    /// The component that the value refers to.
    fileprivate var reference: String? {
        if case .string(let text)? = self["$ref"] {
            text.split(separator: "/").last.map { String($0) }
        } else {
            nil
        }
    }
}

extension JSONValue? {
    fileprivate subscript(key: String) -> JSONValue? { self?[key] }
    fileprivate var members: [(key: String, value: JSONValue)] { self?.members ?? [] }
    fileprivate var elements: [JSONValue] { self?.elements ?? [] }
    fileprivate var string: String { self?.string ?? "" }
}
