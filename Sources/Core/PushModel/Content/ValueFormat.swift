/// The format of a parameter's value: the part of a placeholder after the colon. The formats of numbers and
/// dates depend on the language of the device.
///
/// | written | result |
/// |---|---|
/// | `number` | grouped digits, with the decimals of the value |
/// | `number(2)` | rounded to two decimals, halves away from zero |
/// | `date`, `date(medium)` | `21 nov. 2026` |
/// | `date(short)`, `date(long)` | `21/11/2026`, `21 novembre 2026` |
/// | `url` | percent-encoded, as a part of an address: `K%C3%B6ln%20%26%20Bonn` |
package enum ValueFormat: Equatable, Sendable {
    package enum DateStyle: String, Sendable, CaseIterable { case short, medium, long }

    /// A number; `decimals` is `nil` if the value keeps its own decimals.
    case number(decimals: Int?)
    case date(DateStyle)
    /// All bytes of the UTF-8 text except RFC 3986's unreserved characters are percent-encoded.
    case url

    /// The known formats, for error messages.
    package static let known = "number, number(2), date, date(short), date(medium), date(long), url"

    /// `nil` if there is no such format.
    package init?(_ text: String) {
        switch text {
        case "number": self = .number(decimals: nil)
        case "date": self = .date(.medium)
        case "url": self = .url
        default:
            guard text.utf8.last == UInt8(ascii: ")"), let open = text.firstIndex(of: "(") else { return nil }
            let argument = text[text.index(after: open)...].dropLast()
            switch text[..<open] {
            case "number":
                guard argument.utf8.count == 1, let decimals = Int(argument), decimals >= 0 else {
                    return nil
                }
                self = .number(decimals: decimals)
            case "date":
                guard let style = DateStyle(rawValue: String(argument)) else { return nil }
                self = .date(style)
            default: return nil
            }
        }
    }

    /// The format as it is written after the colon.
    package var text: String {
        switch self {
        case .number(nil): "number"
        case .number(let decimals?): "number(\(decimals))"
        case .date(.medium): "date"
        case .date(let style): "date(\(style.rawValue))"
        case .url: "url"
        }
    }

    /// Whether the format depends on the language of the device.
    package var asksLanguage: Bool { self != .url }
}
