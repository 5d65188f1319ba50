/// The allowed form of an idempotency key, by which a repeated request is recognised. The key can be given in
/// the `Idempotency-Key` header of any request, in a document or on the command line.
package enum IdempotencyKeyText {
    /// Maximum length, in bytes. If the request is an array of messages, a longer key can be derived for each
    /// message, because the store does not limit the length of keys.
    package static let longest = 255

    /// The end of a sentence that begins with "must be".
    package static let allowed = "1 to \(longest) printable ASCII characters"

    package static func isAllowed(_ text: String) -> Bool {
        (1...longest).contains(text.utf8.count) && isPrintable(text)
    }

    /// Reports whether a text is printable ASCII.
    private static func isPrintable(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }
}
