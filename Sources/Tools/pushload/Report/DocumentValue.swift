internal import PushWire

/// A value of a JSON document whose members are not known yet.
package indirect enum DocumentValue: Equatable, Sendable, CustomStringConvertible {
    case null
    case truth(Bool)
    case whole(Int)
    case number(Double)
    case text(String)
    case list([DocumentValue])
    case members([String: DocumentValue])

    /// - Parameter source: The name of the document in an error. The error also states the line, the column
    ///   and, if an object has a member twice, that member.
    package init(document bytes: [UInt8], from source: String) throws(LoadError) {
        do { self.init(try JSONParser.parse(bytes).canonical) } catch {
            throw LoadError("\(source): \(error); see Docs/Inside/LoadReports.md for an example")
        }
    }

    private init(_ value: JSONValue) {
        self =
            switch value {
            case .null: .null
            case .boolean(let truth): .truth(truth)
            case .integer(let whole): .whole(Int(whole))
            case .real(let number): .number(number)
            case .string(let text): .text(text)
            case .array(let elements): .list(elements.map { DocumentValue($0) })
            case .object(let members):
                .members(
                    Dictionary(
                        members.map { ($0.key, DocumentValue($0.value)) },
                        uniquingKeysWith: { first, _ in first }))
            }
    }

    /// A short form on one line, as errors show it.
    package var description: String {
        switch self {
        case .null: "null"
        case .truth(let truth): "\(truth)"
        case .whole(let whole): "\(whole)"
        case .number(let number): "\(number)"
        case .text(let text): "\"\(Self.shortened(text))\""
        case .list: "a list"
        case .members: "an object"
        }
    }

    /// - Returns: The first 40 characters, with control characters replaced by `?`.
    static func shortened(_ text: String) -> String {
        let visible = text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? "?" : Character($0) }
        return String(visible.prefix(40)) + (visible.count > 40 ? "…" : "")
    }
}
