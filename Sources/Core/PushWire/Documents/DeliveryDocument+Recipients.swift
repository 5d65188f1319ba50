import PushModel

/// `target.recipients`: user keys or tokens, each with its own variables.
extension Target {
    static let recipients = Form<(base: Base, variables: RecipientVariables?)>(
        .list(.oneOf(RecipientList.Kind.allCases.map(\.fields.schema)), count: 1...maximumListed)
    ) { reader, value, path in
        guard
            let elements = reader.elements(of: value, at: path, 1...maximumListed, of: "objects")
        else { return nil }
        let kind: RecipientList.Kind = elements.first?["token"] == nil ? .userKeys : .tokens
        var values: [String] = []
        var said: [ExactText: [(name: String, text: String)]] = [:]
        for (index, element) in elements.enumerated() {
            let place = "\(path)[\(index)]"
            guard let (value, texts) = reader.recipient(element, at: place, kind.fields) else { continue }
            if said.updateValue(texts, forKey: ExactText(value)) == nil {
                values.append(value)
            } else {
                reader.faults.refuseRepeated("\(place).\(kind.key)")
            }
        }
        let found = RecipientVariables(said)
        return (
            kind == .userKeys ? .userKeys(values) : .tokens(values), found.byRecipient.isEmpty ? nil : found
        )
    }
}

/// The data of one recipient.
struct Recipient {
    fileprivate var value: String?
    fileprivate var texts: [(name: String, text: String)] = []
}

extension DocumentReader {
    /// Reads a recipient, or returns `nil` if it is not valid.
    mutating func recipient(
        _ value: JSONValue, at path: String, _ fields: Fields<Recipient>
    ) -> (value: String, texts: [(name: String, text: String)])? {
        guard let recipient = fields.read(value, at: path, by: &self) else { return nil }
        return recipient.value.map { ($0, recipient.texts) }
    }
}

extension RecipientVariables {
    /// The variables of one recipient.
    static let form = Form<[(name: String, text: String)]>.map(
        .oneOf([.string, .integer, .boolean])
    ) { reader, name, value, path in
        // The exact digits of a fraction were lost when the JSON was parsed.
        if case .real = value {
            reader.note(path, "a fraction; write it as a string with the exact digits")
            return nil
        }
        return reader.plainText(value, at: path).map { (name, $0) }
    }
}

extension DocumentReader {
    /// Reads a value that is used as a text.
    fileprivate mutating func plainText(_ value: JSONValue, at path: String) -> String? {
        switch value {
        case .string(let text): text
        case .integer(let number): "\(number)"
        case .boolean(let isOn): "\(isOn)"
        default: refuse(value, at: path, allowed: "a string, an integer or a boolean")
        }
    }

    /// Notes the faults of one recipient's variables that concern all of them together.
    mutating func check(_ variables: [(name: String, text: String)], at path: String) {
        if variables.contains(where: \.name.isEmpty) { note(path, "a variable has no name") }
        let (bytes, most) = (RecipientVariables.json(variables)?.count, RecipientVariables.maximumBytes)
        if let bytes, bytes > most { note(path, "must have at most \(most) bytes, not \(bytes)") }
    }
}

extension RecipientList.Kind {
    /// The document member that contains the user key or the token.
    var key: String {
        switch self {
        case .userKeys: "userKey"
        case .tokens: "token"
        }
    }

    var fields: Fields<Recipient> { self == .tokens ? Self.ofTokens : Self.ofUserKeys }

    private static let ofUserKeys = fields(of: .userKeys)
    private static let ofTokens = fields(of: .tokens)

    private static func fields(of kind: Self) -> Fields<Recipient> {
        fields(
            Field(kind.key, \.value, .text(kind.limits), isRequired: true),
            named: kind == .tokens ? "TokenRecipient" : "UserKeyRecipient")
    }

    /// The members of a recipient who is identified by the value of a parameter: a text, an integer or a
    /// boolean.
    static func fields(namedBy parameter: String) -> Fields<Recipient> {
        let value = Form<String>(.oneOf([.string, .integer, .boolean])) { $0.plainText($1, at: $2) }
        return fields(Field(parameter, \.value, value, isRequired: true), named: nil)
    }

    private static func fields(_ name: Field<Recipient>, named component: String?) -> Fields<Recipient> {
        Fields(
            Recipient(),
            [
                name,
                Field(
                    "variables", as: RecipientVariables.form, "the values that texts refer to by name"
                ) { $0.texts = $1 },
            ], named: component, areSecret: true
        ) { reader, object, recipient in
            reader.check(recipient.texts, at: object.path(of: "variables"))
            // Only a file can identify recipients by a parameter.
            guard component != nil, RecipientList.Kind.allCases.allSatisfy({ object.value($0.key) == nil }),
                object.keys.contains(where: { $0 != "variables" })
            else { return }
            reader.note(
                object.path,
                """
                is identified by a user key or a token; to choose subscribers by a parameter, use \
                {"where": {"NAME": {"in": […]}}}
                """)
        }
    }

    /// The limits of the user key or the token.
    var limits: TextLimits {
        switch self {
        case .userKeys: .bytes(SubscriberLimits.userKeyBytes)
        case .tokens: .token
        }
    }
}
