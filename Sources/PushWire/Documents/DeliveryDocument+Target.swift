import PushModel

/// The `target` object: exactly one of `all`, `userKeys`, `tokens`, `where`.
extension DocumentReader {
    private static var targetKeys: [String] { ["all", "userKeys", "tokens", "where"] }

    mutating func target(of root: Object, source: DeliveryDocument.TargetSource) -> Target? {
        switch source {
        case .elsewhere:
            if root.value("target") != nil {
                note(
                    root.path(of: "target"),
                    "the recipients are given beside the document; remove one of the two")
            }
            return nil
        case .document:
            require("target", in: root)
        }
        guard let object = object("target", of: root, keys: Self.targetKeys) else { return nil }
        let given = object.keys.filter(Self.targetKeys.contains)
        guard let key = given.first, given.count == 1 else {
            note(object.path, "allowed is exactly one of \(Self.targetKeys.joined(separator: ", "))")
            return nil
        }
        let listed = 1...Target.maximumListed
        switch key {
        case "all":
            if boolean(key, of: object) == false { note(object.path(of: key), "allowed is true") }
            return .all
        case "userKeys":
            return strings(key, of: object, count: listed, .bytes(SubscriberLimits.userKeyBytes)).map(
                Target.userKeys)
        case "tokens":
            return strings(key, of: object, count: listed, .bytes(SubscriberLimits.tokenBytes)).map(
                Target.tokens)
        default:
            return parameters(key, of: object)
        }
    }

    private mutating func parameters(_ key: String, of parent: Object) -> Target? {
        guard let value = parent.value(key), let object = anyObject(value, at: parent.path(of: key)) else {
            return nil
        }
        if object.keys.isEmpty { note(object.path, "names no parameter; for everybody say {\"all\": true}") }
        var parameters: [String: String] = [:]
        for name in object.keys {
            parameters[name] = string(name, of: object, .bytes(SubscriberLimits.parametersBytes))
        }
        return .parameters(parameters)
    }
}
