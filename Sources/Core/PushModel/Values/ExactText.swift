/// A text that is compared by its bytes, as in the store. Swift's own strings are equal even if they compose
/// a letter differently.
package struct ExactText: Hashable, Sendable {
    private let bytes: [UInt8]

    package init(bytes: [UInt8]) { self.bytes = bytes }

    package init(_ text: String) { bytes = Array(text.utf8) }

    package init(_ text: Span<UInt8>) { bytes = unsafe text.withUnsafeBufferPointer { unsafe Array($0) } }

    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Hashes all bytes at once. Hashing them one by one would cost several times as much, and there are
    /// millions of texts.
    package func hash(into hasher: inout Hasher) {
        unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }
}
