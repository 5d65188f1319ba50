/// What a key may be by which a request is known when it is made again: `Idempotency-Key`, of whatever
/// request, in a header, in a document or on the command line.
package enum IdempotencyKeyText {
    /// Bytes at most. What is made of it for each message of an array may be longer: the store has no limit.
    package static let longest = 255

    /// The end of a sentence that begins with "must be".
    package static let allowed = "1 to \(longest) printable ASCII characters"

    package static func isAllowed(_ text: String) -> Bool {
        (1...longest).contains(text.utf8.count) && isPrintable(text)
    }

    /// In ASCII.
    private static func isPrintable(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }
}
