internal import PushModel

/// The reason why a row of a CSV file cannot be used. It does not contain the contents of the row.
package enum RowFault: Error, Equatable, Sendable, CustomStringConvertible {
    case unclosedQuote, textAfterQuote, strayQuote, strayCarriageReturn, nulByte
    case tooLong(limit: Int)
    case columns(found: Int, expected: Int)
    case notUTF8(column: String)
    case emptyToken
    case invalidToken(allowed: String)
    case userKeyTooLong(bytes: Int, limit: Int)
    case parametersTooLong(bytes: Int, limit: Int)
    /// The app declares a different kind for this parameter.
    case wrongKind(column: String, wanted: String)
    /// The language is too long or not printable.
    case invalidLanguage
    /// A line of JSON with the given fault.
    case notJSON(String)

    package var description: String {
        switch self {
        case .unclosedQuote: "a quotation mark is not closed"
        case .textAfterQuote: "text between a closing quotation mark and the next separator"
        case .strayQuote: "a quotation mark inside an unquoted field"
        case .strayCarriageReturn: "a carriage return without a line feed"
        case .nulByte: "a zero byte"
        case .tooLong(let limit): "longer than \(limit) bytes"
        case .columns(let found, let expected):
            "\(found < expected ? "missing columns" : "too many columns"): \(found) instead of \(expected)"
        case .notUTF8(let column):
            "invalid UTF-8 in column \(column.printable(atMost: 64)); save the file as CSV UTF-8"
        case .emptyToken: "empty token"
        case .invalidToken(let allowed): "invalid token; it must be \(allowed)"
        case .userKeyTooLong(let bytes, let limit): "userKey has \(bytes) bytes; the maximum is \(limit)"
        case .parametersTooLong(let bytes, let limit):
            "subscription parameters have \(bytes) bytes; the maximum is \(limit)"
        case .wrongKind(let column, let wanted):
            "column \(column.printable(atMost: 64)): this app requires \(wanted)"
        case .invalidLanguage:
            "\(CollectedFact.osLanguage.rawValue) must have \(SubscriberLimits.languageWords)"
        case .notJSON(let fault): fault
        }
    }
}
