/// A text that equals another by its bytes, as texts in the store do: Swift's own are equal, too, where a
/// letter is written in two ways.
package struct ExactText: Hashable, Sendable {
    private let bytes: [UInt8]

    package init(bytes: [UInt8]) { self.bytes = bytes }

    package init(_ text: String) { bytes = Array(text.utf8) }

    package init(_ text: Span<UInt8>) { bytes = unsafe text.withUnsafeBufferPointer { unsafe Array($0) } }

    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// All at once: one by one would cost a multiple, and there are millions.
    package func hash(into hasher: inout Hasher) {
        unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }
}
