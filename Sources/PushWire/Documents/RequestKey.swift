/// What a key may be by which a request is known when it is made again: `Idempotency-Key`.
package enum RequestKey {
    /// Bytes at most.
    package static let longest = 255
    /// Of one that many messages share, each with its place behind it.
    package static let longestShared = 240

    package static func isAllowed(_ text: String, atMost limit: Int = longest) -> Bool {
        (1...limit).contains(text.utf8.count) && isPrintable(text)
    }

    /// In ASCII.
    static func isPrintable(_ text: String) -> Bool { text.utf8.allSatisfy { (0x20...0x7E).contains($0) } }
}
