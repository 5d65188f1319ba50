/// One member of `content.custom`. iOS apps get it as JSON; Android apps get it as ``text``, because their
/// gateway's data are strings.
package struct CustomMember: Equatable, Comparable, Sendable {
    package enum Value: Equatable, Sendable {
        case text(String)
        /// JSON other than a string, spelled without spaces. Two braces in a row stand only within its
        /// strings, so that ``Content/isPersonalised(_:)`` may be asked of it as it is.
        case json(String)
    }

    package var name: String
    package var value: Value

    package init(name: String, value: Value) {
        self.name = name
        self.value = value
    }

    /// The value as a string: a string as it is, anything else as its JSON.
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
