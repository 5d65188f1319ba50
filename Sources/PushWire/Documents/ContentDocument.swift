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
            root.members(of: content)
            guard !content.languages.isEmpty else { return }
            root.object("languages") { object in
                for version in content.languages {
                    object.object(version.language.text) { $0.members(of: version.content) }
                }
            }
        }
        return writer.bytes
    }
}

extension DocumentWriter {
    /// Those of a content, its languages aside.
    fileprivate mutating func members(of content: Content) {
        string("title", content.title)
        string("body", content.body)
        if content.shortens { flag("shorten", true) }
        if !content.variables.isEmpty {
            object("variables") { object in
                for variable in content.variables { object.string(variable.name, variable.value) }
            }
        }
        if !content.custom.isEmpty {
            object("custom") { object in
                for member in content.custom {
                    switch member.value {
                    case .text(let text): object.string(member.name, text)
                    case .json(let json): object.spelled(member.name, json)
                    }
                }
            }
        }
        if content.ios != IOSContent() { object("ios") { $0.members(of: content.ios) } }
        if content.android != AndroidContent() { object("android") { $0.members(of: content.android) } }
    }
}

extension DocumentReader {
    /// The longest name of an application variable, in bytes.
    static var maximumVariableNameBytes: Int { 128 }

    /// Keys of a content and of each of its languages.
    private static var contentKeys: [String] {
        ["title", "body", "variables", "custom", "ios", "android", "shorten"]
    }

    mutating func content(_ value: JSONValue, at path: String) -> Content {
        let before = findings.count
        let content = contentOfOne(value, at: path, keys: Self.contentKeys + ["languages"])
        let known = Set(findings[before...].map(\.path))
        return content.with(languages(of: value, at: path, beside: content, known: known))
    }

    /// What a language says, with what it leaves to the content.
    /// - Parameter value: merged.
    mutating func contentOfLanguage(_ value: JSONValue, at path: String) -> Content {
        contentOfOne(value, at: path, keys: Self.contentKeys)
    }

    private mutating func contentOfOne(_ value: JSONValue, at path: String, keys: [String]) -> Content {
        guard let root = object(value, at: path, keys: keys) else { return Content() }
        let title = string("title", of: root)
        let body = string("body", of: root)
        // A name is refused where any platform that the document speaks to has taken it. A platform that it
        // does not mention is asked again when the content is compiled for an app.
        let platforms: [Platform] = root.value("android") == nil ? [.ios] : [.ios, .android]
        let variables = variables(of: root, platforms: platforms)
        let ios = iosContent(of: root)
        let android = androidContent(of: root)
        let custom = custom(of: root, platforms: platforms)
        for name in custom.map(\.name) where variables[name] != nil {
            note("\(root.path(of: "custom")).\(name.printable(atMost: 64))", "a variable has this name too")
        }
        var content = Content(
            title: title, body: body, variables: variables, custom: custom, ios: ios, android: android)
        content.shortens = boolean("shorten", of: root) ?? false
        for text in content.placeProblems { note(root.path(of: text.path), text.problem) }
        return content
    }

    private mutating func variables(of root: Object, platforms: [Platform]) -> [String: String] {
        guard let value = root.value("variables"),
            let object = anyObject(value, at: root.path(of: "variables"))
        else { return [:] }
        var variables: [String: String] = [:]
        for key in object.keys {
            checkName(key, of: object, platforms: platforms, what: "the variable")
            variables[key] = string(key, of: object)
        }
        return variables
    }

    private mutating func custom(of root: Object, platforms: [Platform]) -> [CustomMember] {
        guard let value = root.value("custom"), let object = anyObject(value, at: root.path(of: "custom"))
        else { return [] }
        return object.keys.compactMap { key in
            checkName(key, of: object, platforms: platforms, what: "the member")
            guard let value = object.value(key) else { return nil }
            if case .string(let text) = value { return CustomMember(name: key, value: .text(text)) }
            refuseHugeNumbers(in: value, at: object.path(of: key))
            var json: [UInt8] = []
            value.append(to: &json)
            return CustomMember(name: key, value: .json(String(decoding: json, as: UTF8.self)))
        }
    }

    private mutating func checkName(
        _ name: String, of object: Object, platforms: [Platform], what: String
    ) {
        if let problem = TextLimits.bytes(Self.maximumVariableNameBytes).problem(of: name) {
            note(object.path(of: name), "\(what)'s name is \(problem)")
        }
        if let platform = platforms.first(where: { ReservedVariables.contains(name, on: $0) }) {
            note(object.path(of: name), "reserved on \(platform.rawValue); give \(what) another name")
        }
    }

    /// An integer beyond 64 bits was read as the nearest floating-point number: an app would get another one
    /// than the document says.
    private mutating func refuseHugeNumbers(in value: JSONValue, at path: String) {
        switch value {
        case .real(let real) where real.magnitude >= 0x1p63:
            note(path, "a number beyond 64 bits; write it as a string")
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                refuseHugeNumbers(in: element, at: "\(path)[\(index)]")
            }
        case .object(let members):
            for member in members {
                refuseHugeNumbers(in: member.value, at: "\(path).\(member.key.printable(atMost: 64))")
            }
        default: break
        }
    }
}
