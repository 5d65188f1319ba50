import PushModel

/// `target.recipients`: user keys or tokens, each with variables of its own.
extension DocumentReader {
    /// - Parameter variables: nil where it says nothing of anybody.
    mutating func recipients(of target: Object, _ variables: inout RecipientVariables?) -> Target.Base? {
        let path = target.path(of: "recipients")
        guard case .array(let elements)? = target.value("recipients") else {
            note(path, "allowed is an array of objects")
            return nil
        }
        guard (1...Target.maximumListed).contains(elements.count) else {
            note(path, "holds \(elements.count) entries; allowed are 1 to \(Target.maximumListed)")
            return nil
        }
        let kind: RecipientList.Kind = elements.first?["token"] == nil ? .userKeys : .tokens
        var values: [String] = []
        var said: [ExactText: [(name: String, text: String)]] = [:]
        for (index, element) in elements.enumerated() {
            let place = "\(path)[\(index)]"
            guard let (value, texts) = recipient(element, at: place, kind) else { continue }
            if said.updateValue(texts, forKey: ExactText(value)) == nil {
                values.append(value)
            } else {
                note("\(place).\(kind.key)", "stands twice")
            }
        }
        let found = RecipientVariables(said)
        variables = found.byRecipient.isEmpty ? nil : found
        return kind == .userKeys ? .userKeys(values) : .tokens(values)
    }

    /// One of them; nil: it is none.
    mutating func recipient(
        _ value: JSONValue, at path: String, _ kind: RecipientList.Kind
    ) -> (value: String, texts: [(name: String, text: String)])? {
        guard let object = object(value, at: path, keys: [kind.key, "variables"]) else { return nil }
        require(kind.key, in: object)
        let value = string(kind.key, of: object, kind.limits)
        let texts = object.value("variables").map { variables($0, at: object.path(of: "variables")) }
        return value.map { ($0, texts ?? []) }
    }

    /// Of one recipient. A fraction would lose the digits that it is written with.
    private mutating func variables(_ value: JSONValue, at path: String) -> [(name: String, text: String)] {
        guard let object = anyObject(value, at: path) else { return [] }
        var texts: [(name: String, text: String)] = []
        for (name, value) in zip(object.keys, object.values) {
            if name.isEmpty { note(path, "a variable has no name") }
            switch value {
            case .string(let text): texts.append((name, text))
            case .integer(let number): texts.append((name, "\(number)"))
            case .boolean(let isOn): texts.append((name, isOn ? "true" : "false"))
            case .real:
                note(
                    object.path(of: name), "a fraction; write it as a string, with the digits that are meant")
            default:
                note(
                    object.path(of: name), "found \(value.kind); allowed is a string, an integer or a boolean"
                )
            }
        }
        if let bytes = RecipientVariables.json(texts)?.count, bytes > RecipientVariables.maximumBytes {
            note(path, "\(bytes) bytes long; allowed are \(RecipientVariables.maximumBytes)")
        }
        return texts
    }
}

extension RecipientList.Kind {
    /// What documents call one of these.
    var key: String {
        switch self {
        case .userKeys: "userKey"
        case .tokens: "token"
        }
    }

    /// What one of these may be.
    var limits: TextLimits {
        switch self {
        case .userKeys: .bytes(SubscriberLimits.userKeyBytes)
        case .tokens: .token
        }
    }
}
