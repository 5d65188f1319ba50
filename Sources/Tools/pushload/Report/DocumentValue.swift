internal import FoundationEssentials

/// What JSON says, before anybody knows what it means.
package indirect enum DocumentValue: Equatable, Sendable, Decodable, CustomStringConvertible {
    case null
    case truth(Bool)
    case whole(Int)
    case number(Double)
    case text(String)
    case list([DocumentValue])
    case members([String: DocumentValue])

    /// - Parameter source: names the document in an error.
    package init(document bytes: [UInt8], from source: String) throws(LoadError) {
        do { self = try JSONDecoder().decode(Self.self, from: Data(bytes)) } catch {
            throw LoadError("\(source): is not JSON; see Docs/LoadReports.md for an example")
        }
    }

    package init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let truth = try? value.decode(Bool.self) {
            self = .truth(truth)
        } else if let whole = try? value.decode(Int.self) {
            self = .whole(whole)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let text = try? value.decode(String.self) {
            self = .text(text)
        } else if let list = try? value.decode([DocumentValue].self) {
            self = .list(list)
        } else {
            self = .members(try value.decode([String: DocumentValue].self))
        }
    }

    /// On one line, and not long: as an error shows it.
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

    /// - Returns: without control characters, and the first 40 characters alone.
    static func shortened(_ text: String) -> String {
        let visible = text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? "?" : Character($0) }
        return String(visible.prefix(40)) + (visible.count > 40 ? "…" : "")
    }
}
