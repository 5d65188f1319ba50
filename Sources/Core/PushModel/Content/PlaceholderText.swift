/// Words that software writes in place of a missing value: `null`, `(null)`, `undefined`, `BLACKLISTED`.
///
/// Objective-C formats nil as `(null)`, Swift as `nil`, Java as `null`, JavaScript as `undefined`, Python as
/// `None`. Google Play services on an uncertified device give the app `BLACKLISTED` instead of a token.
package enum PlaceholderText {
    private static let words: Set = [
        "null", "(null)", "<null>", "nil", "none", "undefined", "unknown", "blacklisted",
    ]
    private static let maxBytes = 11

    /// Reports whether a text is one of these words, ignoring case. Longer texts cost only a comparison.
    package static func contains(_ text: String) -> Bool {
        text.utf8.count <= maxBytes && words.contains(text.lowercased())
    }
}
