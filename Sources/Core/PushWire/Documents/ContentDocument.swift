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
            throw .document([Fault(path: "content", problem: error.description)])
        }
        return try read(value)
    }

    /// A content that stands in another document. - Throws: as ``decode(_:)``
    package static func read(_ value: JSONValue) throws(WireError) -> Content {
        try Content.fields.document(value, at: "content")
    }

    package static let schema = Content.form.schema

    package static func encode(_ content: Content) -> [UInt8] { Content.fields.bytes(of: content) }
}

extension Content {
    static let form = Form.object(fields)

    static let fields = Fields(Content(), ofOne + [languagesField], named: "Content", areSecret: true) {
        reader, root, content in
        reader.check(content, of: root)
        content = content.with(reader.languages(of: root, beside: content))
    }

    /// What a language says, with what it leaves to the content.
    static let ofLanguage = Fields(Content(), ofOne, named: "ContentOfLanguage", areSecret: true) {
        reader, root, content in
        reader.check(content, of: root)
    }

    /// The members of a content and of each of its languages.
    private static let ofOne: [Field<Content>] = [
        Field(
            "title", \.title, .text(), "may have personal parts such as {{city|your town}}, as the body may"),
        Field("body", \.body, .text(), "the text below the title"),
        Field("shorten", \.shortens, .boolean, "cut the body, then the title, to what the gateway takes"),
        Field("variables", \.variables, variablesForm, "variables that the apps declare"),
        Field(
            "custom", \.custom, customForm,
            "any JSON for the app; Android apps get what is no string as its JSON"),
        Field("ios", \.ios, .object(IOSContent.fields), "what only iOS knows"),
        Field("android", \.android, .object(AndroidContent.fields), "what only Android knows"),
    ]

    private static let variablesForm = Form.map(.string) { reader, name, value, path in
        reader.string(value, at: path).map { ContentVariable(name: name, value: $0) }
    } write: {
        $0.string($1.name, $1.value)
    }

    private static let customForm = Form.map(.any) { reader, name, value, path in
        if case .string(let text) = value { return CustomMember(name: name, value: .text(text)) }
        reader.refuseHugeNumbers(in: value, at: path)
        var json: [UInt8] = []
        value.append(to: &json)
        return CustomMember(name: name, value: .json(String(decoding: json, as: UTF8.self)))
    } write: { writer, member in
        switch member.value {
        case .text(let text): writer.string(member.name, text)
        case .json(let json): writer.spelled(member.name, json)
        }
    }
}

extension DocumentReader {
    /// The longest name of an application variable, in bytes.
    static var maximumVariableNameBytes: Int { 128 }

    fileprivate mutating func check(_ content: Content, of root: Object) {
        checkNames(of: "variables", in: root, what: "the variable")
        checkNames(of: "custom", in: root, what: "the member")
        let variables = Set(content.variables.map { ExactText($0.name) })
        for name in content.custom.map(\.name) where variables.contains(ExactText(name)) {
            note("\(root.path(of: "custom")).\(name.printable(atMost: 64))", "a variable has this name too")
        }
        for text in content.placeProblems { note(root.path(of: text.path), text.problem) }
    }

    /// A name is refused where any platform that the document speaks to has taken it. A platform that it does
    /// not mention is asked again when the content is compiled for an app.
    private mutating func checkNames(of key: String, in root: Object, what: String) {
        let platforms: [Platform] = root.value("android") == nil ? [.ios] : [.ios, .android]
        guard case .object(let members)? = root.value(key) else { return }
        for name in members.map(\.key) {
            let path = "\(root.path(of: key)).\(name.printable(atMost: 64))"
            if let problem = TextLimits.bytes(Self.maximumVariableNameBytes).problem(of: name) {
                note(path, "\(what)'s name \(problem)")
            }
            if let platform = platforms.first(where: { ReservedVariables.contains(name, on: $0) }) {
                note(path, "reserved on \(platform.rawValue); give \(what) another name")
            }
        }
    }

    /// An integer beyond 64 bits was read as the nearest floating-point number: an app would get another one
    /// than the document says.
    fileprivate mutating func refuseHugeNumbers(in value: JSONValue, at path: String) {
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
