internal import PushModel

/// Reasons as operators read them: the gateway's word for what is wrong, of which there are few, and behind it what
/// the gateway said beyond that, such as the field of the message that it refuses.
///
///     INVALID_ARGUMENT: message.android.ttl: Illegal duration format; duration must end with 's'
///
/// Gateways repeat what they were sent. So a detail is cleaned of all that may be a device token, a secret or a part
/// of the payload, which also keeps the number of different reasons of a delivery small.
package enum GatewayWords {
    /// The word of a table of reasons for what the gateway says beyond it.
    package static let unknown = "(unknown)"
    private static let separator = ": "
    /// Characters of a detail that are kept.
    package static let maxDetailCharacters = 160
    /// No word of a message about a field is as long; tokens and secrets are longer.
    private static let maxWordCharacters = 24
    /// Values that were sent are quoted so.
    private static let valueQuotes: Set<Character> = ["\"", "“", "”", "`"]

    /// The gateway's word in a reason, without the detail: for statistics and comparisons.
    package static func word(of reason: String) -> String {
        reason.firstRange(of: separator).map { String(reason[..<$0.lowerBound]) } ?? reason
    }

    /// A reason with what the gateway said beyond its word.
    /// - Parameter details: as they came; empty ones are left out.
    package static func reason(_ word: String, _ details: String?...) -> String {
        let texts = details.compactMap { $0.map(cleaned) }.filter { !$0.isEmpty }
        return ([word] + texts).joined(separator: separator)
    }

    /// A header field's value, such as a challenge: without anything that may be a token.
    package static func challenge(_ value: String) -> String {
        withoutLongWords(value.printable(atMost: maxDetailCharacters))
    }

    static func cleaned(_ text: String) -> String {
        var text = text.printable(atMost: 4 * maxDetailCharacters)
        // google.rpc repeats a value of the wrong type behind the type: "(TYPE_STRING), 12345".
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

    /// Dots and slashes divide words, as in names of types and fields.
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
