package import PushModel

/// Converts between the `content` object of a delivery document and ``PushModel/Content``, including the
/// sections of the given gateways.
///
/// The encoding is canonical: each content has exactly one spelling. The store keeps this encoding, and
/// children receive it.
package struct ContentDocument: Sendable {
    private let fields: Fields<Content>
    let form: Form<Content>

    /// The smallest content, as errors show it.
    static let smallest = #"{"title": "Hello"}"#

    /// - Parameter sections: The sections that contents may have, in the order in which they are described
    ///   and written.
    package init(sections: [ContentSectionDeclaration]) { self.init(sections, passesOverOthers: false) }

    /// Reads contents for one gateway: members that belong neither to all platforms nor to this gateway are
    /// ignored. The other members were checked when the content was submitted.
    package init(only section: ContentSectionDeclaration) { self.init([section], passesOverOthers: true) }

    private init(_ sections: [ContentSectionDeclaration], passesOverOthers: Bool) {
        // Texts and faults are in the order of the sections, regardless of the order in a document.
        let unset = sections.reduce(Content()) { $1.adding($0) }
        let ofOne = Content.sharedFields + sections.map(\.field)
        let ofLanguage = Fields(
            unset, ofOne, named: "ContentOfLanguage", areSecret: true, passesOverOthers: passesOverOthers
        ) { reader, root, content in
            reader.check(content, of: root, sections)
        }
        fields = Fields(
            unset, ofOne + [Content.languagesField(ofLanguage)], named: "Content", areSecret: true,
            passesOverOthers: passesOverOthers
        ) { reader, root, content in
            reader.check(content, of: root, sections)
            content = content.with(reader.languages(of: root, alongside: content, ofLanguage, sections))
        }
        form = .object(fields)
    }

    /// - Throws: ``WireError/document(_:)`` with all findings. Their paths begin with `content`.
    package func decode(_ bytes: [UInt8]) throws(WireError) -> Content {
        let value: JSONValue
        do {
            value = try JSONParser.parse(bytes)
        } catch {
            throw .document([Fault(path: "content", problem: error.description)])
        }
        return try read(value)
    }

    /// Reads a content that is part of another document.
    /// - Throws: See ``decode(_:)``.
    package func read(_ value: JSONValue) throws(WireError) -> Content {
        try fields.document(value, at: "content")
    }

    package var schema: Schema { form.schema }

    package func encode(_ content: Content) -> [UInt8] { fields.bytes(of: content) }
}

extension Content {
    /// The members of a content and of each of its languages, except those of gateways.
    fileprivate static let sharedFields: [Field<Content>] = [
        Field(
            "title", \.title, .text(),
            "can contain placeholders such as {{city|your town}}; the body can contain them too"),
        Field("body", \.body, .text(), "the text below the title"),
        Field(
            "shorten", \.shortens, .boolean, "truncate the body, then the title, to fit the gateway's limit"),
        Field("variables", \.variables, variablesForm, "variables that the apps declare"),
        Field(
            "custom", \.custom, customForm,
            "any JSON for the app; Android apps receive values that are not strings as JSON text"),
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
    /// Maximum length of an application variable's name, in bytes.
    static var maximumVariableNameBytes: Int { 128 }

    fileprivate mutating func check(
        _ content: Content, of root: Object, _ sections: [ContentSectionDeclaration]
    ) {
        // A name is refused if any platform that the document addresses reserves it. Names are checked again
        // when the content is compiled for an app, whose platform the document might not mention.
        let platforms = sections.filter { $0.isAlwaysMeant || root.value($0.name) != nil }.map(\.platform)
        checkNames(of: "variables", in: root, what: "the variable", platforms)
        checkNames(of: "custom", in: root, what: "the member", platforms)
        let variables = Set(content.variables.map { ExactText($0.name) })
        for name in content.custom.map(\.name) where variables.contains(ExactText(name)) {
            note("\(root.path(of: "custom")).\(name.printable(atMost: 64))", "a variable has the same name")
        }
        for text in content.placeProblems { note(root.path(of: text.path), text.problem) }
    }

    private mutating func checkNames(
        of key: String, in root: Object, what: String, _ platforms: [Platform]
    ) {
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

    /// Refuses integers beyond 64 bits. They were read as the nearest floating-point number, so an app would
    /// get a different number from the one in the document.
    fileprivate mutating func refuseHugeNumbers(in value: JSONValue, at path: String) {
        switch value {
        case .real(let real) where real.magnitude >= 0x1p63:
            note(path, "a number that exceeds 64 bits; write it as a string")
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
