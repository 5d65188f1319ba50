package import PushModel

/// The `content` object of a delivery document ⇄ ``PushModel/Content``.
///
/// The encoding is canonical: one content has one spelling. It is what the store keeps and what travels to a
/// child.
package enum ContentDocument {
    /// - Throws: ``WireError/document(_:)`` with every finding; paths begin with `content`.
    package static func decode(_ bytes: [UInt8]) throws(WireError) -> Content {
        let value: JSONValue
        do {
            value = try JSONParser.parse(bytes)
        } catch {
            throw .document([DocumentFinding(path: "content", problem: error.description)])
        }
        var reader = DocumentReader()
        let content = reader.content(value, at: "content")
        try reader.finish()
        return content
    }

    package static func encode(_ content: Content) -> [UInt8] {
        var writer = DocumentWriter()
        writer.object { root in
            root.string("title", content.title)
            root.string("body", content.body)
            if !content.variables.isEmpty {
                root.object("variables") { object in
                    for variable in content.variables { object.string(variable.name, variable.value) }
                }
            }
            if content.ios != IOSContent() { root.object("ios") { $0.members(of: content.ios) } }
            if content.android != AndroidContent() {
                root.object("android") { $0.members(of: content.android) }
            }
        }
        return writer.bytes
    }
}

extension DocumentReader {
    /// The longest name of an application variable, in bytes.
    static var maximumVariableNameBytes: Int { 128 }

    mutating func content(_ value: JSONValue, at path: String) -> Content {
        guard let root = object(value, at: path, keys: ["title", "body", "variables", "ios", "android"])
        else {
            return Content()
        }
        let title = string("title", of: root)
        let body = string("body", of: root)
        // A name is refused where any platform that the document speaks to has taken it. A platform that it
        // does not mention is asked again when the content is compiled for an app.
        let platforms: [Platform] = root.value("android") == nil ? [.ios] : [.ios, .android]
        let variables = variables(of: root, platforms: platforms)
        let ios = iosContent(of: root)
        let android = androidContent(of: root)
        let content = Content(title: title, body: body, variables: variables, ios: ios, android: android)
        for text in content.personalisedPaths {
            note(root.path(of: text), "personalisation is not available yet: remove {{")
        }
        return content
    }

    private mutating func variables(of root: Object, platforms: [Platform]) -> [String: String] {
        guard let value = root.value("variables"),
            let object = anyObject(value, at: root.path(of: "variables"))
        else { return [:] }
        var variables: [String: String] = [:]
        for key in object.keys {
            if let problem = TextLimits.bytes(Self.maximumVariableNameBytes).problem(of: key) {
                note(object.path(of: key), "the variable's name is \(problem)")
            }
            if let platform = platforms.first(where: { ReservedVariables.contains(key, on: $0) }) {
                note(object.path(of: key), "reserved on \(platform.rawValue); give the variable another name")
            }
            variables[key] = string(key, of: object)
        }
        return variables
    }
}
