internal import PushModel

/// Reasons in the form that operators read: the gateway's reason code, followed by the gateway's details,
/// such as the message field that it refuses. There are few reason codes.
///
///     INVALID_ARGUMENT: message.android.ttl: Illegal duration format; duration must end with 's'
///
/// Gateways repeat the data that they receive. Details are therefore cleaned of everything that may be a
/// device token, a secret or a part of the payload. Cleaning also keeps the number of different reasons in a
/// delivery small.
package enum ReasonText {
    /// The reason code that a table of reasons uses for all codes that it does not contain.
    package static let unknown = "(unknown)"
    private static let separator = ": "
    /// Maximum number of characters of a detail that are kept.
    package static let maxDetailCharacters = 160
    /// Maximum number of characters in a word. All words in error messages about fields are shorter; tokens
    /// and secrets are longer.
    private static let maxWordCharacters = 24
    /// The quotation marks that gateways put around values that they received.
    private static let valueQuotes: Set<Character> = ["\"", "“", "”", "`"]

    /// Returns the reason code at the beginning of a reason, without the details, for statistics and
    /// comparisons.
    package static func word(of reason: String) -> String {
        reason.firstRange(of: separator).map { String(reason[..<$0.lowerBound]) } ?? reason
    }

    /// Returns a reason that consists of a reason code and the gateway's details.
    /// - Parameter details: The details as received. Empty details are left out.
    package static func reason(_ word: String, _ details: String?...) -> String {
        let texts = details.compactMap { $0.map(cleaned) }.filter { !$0.isEmpty }
        return ([word] + texts).joined(separator: separator)
    }

    /// Returns the value of a header field, such as a challenge, without anything that may be a token.
    package static func challenge(_ value: String) -> String {
        withoutLongWords(value.printable(atMost: maxDetailCharacters))
    }

    static func cleaned(_ text: String) -> String {
        var text = text.printable(atMost: 4 * maxDetailCharacters)
        // google.rpc repeats a value of the wrong type after the type: "(TYPE_STRING), 12345".
        if let type = text.firstRange(of: "(TYPE_"), let end = text[type.upperBound...].firstIndex(of: ")") {
            text = String(text[...end]) + "…"
        }
        return withoutLongWords(withoutQuotedValues(text)).trimmed.printable(atMost: maxDetailCharacters)
    }

    private static func withoutQuotedValues(_ text: String) -> String {
        var kept = ""
        var isQuoted = false
        for character in text {
            if valueQuotes.contains(character) {
                if !isQuoted { kept += "\"…\"" }
                isQuoted.toggle()
            } else if !isQuoted {
                kept.append(character)
            }
        }
        return kept
    }

    /// Removes long words. Dots and slashes separate words, as in names of types and fields.
    private static func withoutLongWords(_ text: String) -> String {
        var (kept, word) = ("", "")
        func closed() -> String { word.count > maxWordCharacters ? "…" : word }
        for character in text {
            if character == " " || character == "." || character == "/" || character == "," {
                kept += closed() + String(character)
                word = ""
            } else {
                word.append(character)
            }
        }
        return kept + closed()
    }
}

extension String {
    fileprivate var trimmed: String {
        var text = self[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
