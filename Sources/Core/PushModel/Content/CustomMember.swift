/// A member of `content.custom`. iOS apps get it as JSON. Android apps get it as ``text``, because their
/// gateway's data consists of strings.
package struct CustomMember: Equatable, Comparable, Sendable {
    package enum Value: Equatable, Sendable {
        case text(String)
        /// JSON other than a string, written without spaces. Two consecutive braces occur only within its
        /// strings, so ``Content/isPersonalised(_:)`` can be applied to it directly.
        case json(String)
    }

    package var name: String
    package var value: Value

    package init(name: String, value: Value) {
        self.name = name
        self.value = value
    }

    /// The value as a string: a string is unchanged, any other value is its JSON.
    package var text: String {
        switch value {
        case .text(let text), .json(let text): text
        }
    }

    package var isNull: Bool { value == .json("null") }

    package static func < (left: Self, right: Self) -> Bool {
        left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
    }
}
