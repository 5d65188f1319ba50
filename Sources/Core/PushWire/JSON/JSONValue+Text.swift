import PushModel

/// The value as text. Members keep their order.
extension JSONValue {
    /// Indented text, for people as well as programs.
    package var text: String {
        var bytes: [UInt8] = []
        append(to: &bytes, indentation: 0)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the value to the bytes of a file.
    /// - Parameter indentation: The indentation of the value; `nil` writes the value on one line.
    package func append(to bytes: inout [UInt8], indentation: Int? = nil) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .boolean(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .integer(let value): bytes.append(contentsOf: String(value).utf8)
        // JSON has no infinities.
        case .real(let value): bytes.append(contentsOf: (value.isFinite ? String(value) : "null").utf8)
        case .string(let value): JSONText.append(value, to: &bytes)
        case .array(let elements):
            Self.append(elements, between: ("[", "]"), to: &bytes, indentation) { element, inner, bytes in
                element.append(to: &bytes, indentation: inner)
            }
        case .object(let members):
            Self.append(members, between: ("{", "}"), to: &bytes, indentation) { member, inner, bytes in
                JSONText.append(member.key, to: &bytes)
                bytes.append(contentsOf: (inner == nil ? ":" : ": ").utf8)
                member.value.append(to: &bytes, indentation: inner)
            }
        }
    }

    private static func append<Element>(
        _ elements: [Element], between brackets: (String, String), to bytes: inout [UInt8],
        _ indentation: Int?,
        each: (Element, _ indentation: Int?, inout [UInt8]) -> Void
    ) {
        func newLine(_ indentation: Int) {
            bytes.append(UInt8(ascii: "\n"))
            bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: indentation))
        }
        let inner = indentation.map { $0 + 2 }
        bytes.append(contentsOf: brackets.0.utf8)
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            if let inner { newLine(inner) }
            each(element, inner, &bytes)
        }
        if let indentation, !elements.isEmpty { newLine(indentation) }
        bytes.append(contentsOf: brackets.1.utf8)
    }
}

extension JSONValue: ExpressibleByDictionaryLiteral {
    /// A member that is `nil` is left out.
    package init(dictionaryLiteral elements: (String, JSONValue?)...) {
        self = .object(elements.compactMap { key, value in value.map { JSONMember(key: key, value: $0) } })
    }
}
