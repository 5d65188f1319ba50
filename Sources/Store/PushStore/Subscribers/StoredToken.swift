internal import FoundationEssentials

/// The form of a device token in its column: lower-case hex of even length is stored as the bytes that it
/// spells, anything else as text.
///
/// APNs tokens are hex; as bytes they take half the space, in the row and in the index. The two forms cannot
/// be confused: SQLite distinguishes blobs and texts, and only a text that reads back identically becomes a
/// blob. On PostgreSQL, where a column has one type, every token is text.
enum StoredToken {
    /// The maximum length of hex that is stored as bytes. Longer hex stays text, so that readers can spell
    /// tokens with a buffer of this many bytes.
    static let maxHexDigits = 512

    /// Writes the bytes that are stored for a hex token.
    /// - Parameter bytes: A buffer of at least half of ``maxHexDigits``.
    /// - Returns: The number of bytes, or `nil` if the token is stored as text.
    static func decode(
        _ text: UnsafeBufferPointer<UInt8>, into bytes: UnsafeMutableBufferPointer<UInt8>
    ) -> Int? {
        guard text.count % 2 == 0, text.count >= 2, text.count <= maxHexDigits, bytes.count >= text.count / 2
        else {
            return nil
        }
        // No branch depends on a digit. Digits are random, and a mispredicted branch costs more than a digit.
        var strange: UInt8 = 0
        for index in 0..<text.count / 2 {
            let high = unsafe text[index &* 2]
            let low = unsafe text[index &* 2 &+ 1]
            strange |= strangeness(high) | strangeness(low)
            unsafe bytes[index] = value(high) << 4 | value(low)
        }
        return strange == 0 ? text.count / 2 : nil
    }

    /// Writes the text of stored bytes.
    /// - Parameter text: A buffer of at least twice as many bytes.
    static func spell(_ bytes: UnsafeBufferPointer<UInt8>, into text: UnsafeMutableBufferPointer<UInt8>)
        -> Int
    {
        let count = min(bytes.count, text.count / 2)
        for index in 0..<count {
            let byte = unsafe bytes[index]
            unsafe text[index &* 2] = character(byte >> 4)
            unsafe text[index &* 2 &+ 1] = character(byte & 15)
        }
        return count * 2
    }

    /// Returns the text of a column's value; empty for NULL. Not for hot paths.
    static func text(of value: SQLValue) -> String {
        switch value {
        case .bytes(let bytes): unsafe bytes.withUnsafeBufferPointer { unsafe text(of: $0) }
        case .text(let text): text
        default: ""
        }
    }

    /// Returns the digits that spell stored bytes.
    static func text(of bytes: UnsafeBufferPointer<UInt8>) -> String {
        unsafe String(unsafeUninitializedCapacity: bytes.count * 2) { unsafe spell(bytes, into: $0) }
    }

    /// Returns the value to search for in the column. Not for hot paths.
    static func value(of text: String) -> SQLValue { .token(text) }

    /// Returns a shortened token that is sufficient to find the token but not to send to it.
    static func shortened(_ token: String) -> String { token.count > 8 ? "\(token.prefix(8))…" : token }

    /// Returns a value other than 0 for a character that is not a lower-case hex digit.
    private static func strangeness(_ character: UInt8) -> UInt8 {
        let isDigit = character &- UInt8(ascii: "0") < 10
        let isLetter = character &- UInt8(ascii: "a") < 6
        return isDigit != isLetter ? 0 : 1
    }

    /// Returns the value of a lower-case hex digit. Letters have the bit of value 64 and begin at 1 in the
    /// low four bits.
    private static func value(_ character: UInt8) -> UInt8 { character & 15 &+ (character >> 6) &* 9 }

    private static func character(_ nibble: UInt8) -> UInt8 {
        nibble < 10 ? UInt8(ascii: "0") &+ nibble : UInt8(ascii: "a") &- 10 &+ nibble
    }
}
