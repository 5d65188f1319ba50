/// Where a message is wrong, and how.
package struct FCMViolation: Equatable, Sendable {
    /// As Google names it: "message.android.ttl", "message.data[0].value".
    package var field: String
    package var description: String

    package init(_ field: String, _ description: String) {
        self.field = field
        self.description = description
    }

    /// The same, seen from outside.
    func inside(_ name: String) -> FCMViolation {
        let separator = field.isEmpty || field.hasPrefix("[") ? "" : "."
        return FCMViolation(name + separator + field, description)
    }
}

/// An object with fields of known names. Google takes each name in its own form and in JSON's: `collapse_key`
/// and `collapseKey`.
package final class FCMRecord: Sendable {
    private let names: [String]
    private let snakes: [[UInt8]]
    private let camels: [[UInt8]]
    private let shapes: [FCMShape]

    package init(_ fields: KeyValuePairs<String, FCMShape>) {
        names = fields.map(\.key)
        snakes = fields.map { Array($0.key.utf8) }
        camels = fields.map { Array(Self.camel($0.key).utf8) }
        shapes = fields.map(\.value)
    }

    package static func camel(_ name: String) -> String {
        let words = name.split(separator: "_")
        return words.prefix(1).joined()
            + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    package func fault(_ node: Int, _ document: JSONDocument) -> FCMViolation? {
        for (key, value) in document.members(of: node) {
            let name = document.raw(key)
            guard let index = number(of: name) else {
                return FCMViolation("", "Unknown name \"\(document.text(key))\": Cannot find field.")
            }
            if let fault = shapes[index].fault(value, document) { return fault.inside(names[index]) }
        }
        return nil
    }

    private func number(of name: Bytes) -> Int? {
        for index in snakes.indices where name.equals(snakes[index]) || name.equals(camels[index]) {
            return index
        }
        return nil
    }
}
