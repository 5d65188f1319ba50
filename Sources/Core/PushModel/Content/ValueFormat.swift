/// How a parameter's value is written in the language of its device: what stands behind the colon of a place.
///
/// | written | is |
/// |---|---|
/// | `number` | digits in groups, with as many decimals as the value has |
/// | `number(2)` | rounded to two decimals, a half away from zero |
/// | `date`, `date(medium)` | `21 nov. 2026` |
/// | `date(short)`, `date(long)` | `21/11/2026`, `21 novembre 2026` |
package enum ValueFormat: Equatable, Sendable {
    package enum DateStyle: String, Sendable, CaseIterable { case short, medium, long }

    /// nil: as many decimals as the value has.
    case number(decimals: Int?)
    case date(DateStyle)

    /// Decimals that a number can be rounded to.
    package static let mostDecimals = 9
    /// For messages.
    package static let known = "number, number(2), date, date(short), date(medium), date(long)"

    /// nil: there is no such format.
    package init?(_ text: String) {
        switch text {
        case "number": self = .number(decimals: nil)
        case "date": self = .date(.medium)
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

    /// As it stands behind the colon.
    package var text: String {
        switch self {
        case .number(nil): "number"
        case .number(let decimals?): "number(\(decimals))"
        case .date(.medium): "date"
        case .date(let style): "date(\(style.rawValue))"
        }
    }
}
