internal import PushWire

/// A place in a document, such as `content.ios.badge`. It is also the name of the form's field, and the place
/// in the errors about the field.
struct DocumentPath: Hashable, Sendable, ExpressibleByStringLiteral {
    let keys: [String]

    init(_ keys: [String]) { self.keys = keys }
    init(stringLiteral text: String) { keys = text.split(separator: ".").map(String.init) }

    var name: String { keys.joined(separator: ".") }
    static func + (left: DocumentPath, right: DocumentPath) -> DocumentPath {
        DocumentPath(left.keys + right.keys)
    }
}

/// The document of a draft. It contains what people typed, even if that is not valid yet, so that nothing is
/// lost.
struct DraftDocument: Sendable, Equatable {
    var value: JSONValue

    init(_ value: JSONValue) { self.value = value }

    subscript(path: DocumentPath) -> JSONValue? {
        get { path.keys.reduce(value as JSONValue?) { $0?[$1] } }
        set { value = Self.set(newValue, at: path.keys[...], in: value) ?? .object([]) }
    }

    /// The text of a value, for the field of a form; empty if there is none.
    func text(_ path: DocumentPath) -> String { self[path]?.fieldText ?? "" }

    func isOn(_ path: DocumentPath) -> Bool { self[path] == .boolean(true) }

    /// The names of the members of an object.
    func keys(_ path: DocumentPath) -> [String] {
        guard case .object(let members)? = self[path] else { return [] }
        return members.map(\.key)
    }

    var bytes: [UInt8] { value.documentBytes }

    /// The languages with their own texts.
    var languages: [String] { keys(.languages) }

    /// - Returns: `nil` if the changed object has no member left and is not needed.
    private static func set(
        _ new: JSONValue?, at keys: ArraySlice<String>, in value: JSONValue?
    ) -> JSONValue? {
        guard let key = keys.first else { return new }
        var members: [JSONMember] = []
        if case .object(let present)? = value { members = present }
        let rest = keys.dropFirst()
        let place = members.firstIndex { $0.key == key }
        let present = place.map { members[$0].value }
        if rest.isEmpty || present != nil || new != nil {
            var changed = set(new, at: rest, in: present)
            // A language without texts remains until the person removes it.
            if changed == nil, !rest.isEmpty, present != nil, isKept(key, among: members) {
                changed = .object([])
            }
            switch (place, changed) {
            case (let place?, let changed?): members[place].value = changed
            case (let place?, nil): members.remove(at: place)
            case (nil, let changed?): members.append(JSONMember(key: key, value: changed))
            case (nil, nil): break
            }
        }
        return members.isEmpty ? nil : .object(members)
    }

    /// Whether an object remains without members. Only tags of languages and the content itself do.
    private static func isKept(_ key: String, among members: [JSONMember]) -> Bool {
        !["ios", "android", "variables", "custom", "languages", "schedule", "retry", "quietHours", "exclude"]
            .contains(key)
    }
}

extension DocumentPath {
    static let content: DocumentPath = "content"
    static let languages: DocumentPath = "content.languages"
    static let target: DocumentPath = "target"

    /// The content for a language; the main content if the language is empty.
    static func content(in language: String) -> DocumentPath {
        language.isEmpty ? content : languages + DocumentPath([language])
    }
}

extension JSONValue {
    /// The value as a person types it.
    var fieldText: String {
        switch self {
        case .null: ""
        case .boolean(let value): value ? "true" : "false"
        case .integer(let value): "\(value)"
        case .real(let value): "\(value)"
        case .string(let text): text
        case .array, .object: text
        }
    }

    var strings: [String] {
        guard case .array(let elements) = self else { return [] }
        return elements.map(\.fieldText)
    }

    /// Returns the share that a text states in percent; `nil` if it states none. Documents allow six
    /// decimals.
    static func share(percent text: String) -> JSONValue? {
        guard let percent = Double(text.replacing(",", with: ".")), percent > 0, percent <= 100 else {
            return nil
        }
        return .real((percent * 10_000).rounded() / 1_000_000)
    }

    /// A share in percent, as a person types it.
    var percentText: String {
        let share: Double
        switch self {
        case .real(let number): share = number
        case .integer(let number): share = Double(number)
        default: return ""
        }
        guard share > 0, share <= 1 else { return "" }
        let percent = (share * 1_000_000).rounded() / 10_000
        return Int(exactly: percent).map { "\($0)" } ?? "\(percent)"
    }

    /// Returns the number that a text states; the text itself if it states none.
    static func number(_ text: String) -> JSONValue {
        if let number = Int64(text) { return .integer(number) }
        if let number = Double(text.replacing(",", with: ".")), number.isFinite { return .real(number) }
        return .string(text)
    }
}

/// A field of a form that is bound to a place in the document.
struct BoundField: Sendable {
    enum Kind: Sendable {
        case text, number
        /// A check box. The member is true or absent.
        case flag
    }

    let path: DocumentPath
    let kind: Kind

    init(_ path: DocumentPath, _ kind: Kind = .text) { (self.path, self.kind) = (path, kind) }

    /// Changes the document to what the form contains. A form that does not contain the field changes
    /// nothing, except that a check box that is not checked is never part of a form.
    func apply(_ form: FormFields, to document: inout DraftDocument) {
        if kind == .flag {
            document[path] = form.isOn(path.name) ? .boolean(true) : nil
            return
        }
        guard let text = form.exact(path.name) else { return }
        let trimmed = text.trimmed
        if trimmed.isEmpty {
            document[path] = nil
        } else if kind == .number {
            document[path] = .number(trimmed)
        } else {
            document[path] = .string(text)
        }
    }
}
