internal import FoundationEssentials

/// How a device token lies in its column: lower-case hex of even length as the bytes it spells, anything else
/// as text.
///
/// APNs tokens are hex; as bytes they take half the room, in the row and in the index. The two forms cannot
/// be confused: SQLite keeps blobs and texts apart, and only what reads back as the same text becomes a blob.
/// On PostgreSQL, where a column has one type, every token is a text.
enum StoredToken {
    /// Longer hex stays text, so that readers can spell with a buffer of this many bytes.
    static let longestHex = 512

    /// Writes the bytes that a hex token is stored as.
    /// - Parameter bytes: room for half of ``longestHex``.
    /// - Returns: how many, or nil where the token is stored as text.
    static func decode(
        _ text: UnsafeBufferPointer<UInt8>, into bytes: UnsafeMutableBufferPointer<UInt8>
    ) -> Int? {
        guard text.count % 2 == 0, text.count >= 2, text.count <= longestHex, bytes.count >= text.count / 2
        else {
            return nil
        }
        // No branch depends on a digit: they are random, and a wrong guess costs more than a digit.
        var strange: UInt8 = 0
        for index in 0..<text.count / 2 {
            let high = unsafe text[index &* 2]
            let low = unsafe text[index &* 2 &+ 1]
            strange |= strangeness(high) | strangeness(low)
            unsafe bytes[index] = value(high) << 4 | value(low)
        }
        return strange == 0 ? text.count / 2 : nil
    }

    /// Writes the text of stored bytes. - Parameter text: room for twice as many bytes.
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

    /// The text of a column's value, outside hot paths; empty for NULL.
    static func text(of value: SQLValue) -> String {
        switch value {
        case .bytes(let bytes): unsafe bytes.withUnsafeBufferPointer { unsafe text(of: $0) }
        case .text(let text): text
        default: ""
        }
    }

    /// The digits that spell stored bytes.
    static func text(of bytes: UnsafeBufferPointer<UInt8>) -> String {
        unsafe String(unsafeUninitializedCapacity: bytes.count * 2) { unsafe spell(bytes, into: $0) }
    }

    /// What to look for in the column, outside hot paths.
    static func value(of text: String) -> SQLValue { .token(text) }

    /// Enough to find a token by and too little to send to it.
    static func shortened(_ token: String) -> String { token.count > 8 ? "\(token.prefix(8))…" : token }

    /// Not 0 for what is no lower-case hex digit.
    private static func strangeness(_ character: UInt8) -> UInt8 {
        let isDigit = character &- UInt8(ascii: "0") < 10
        let isLetter = character &- UInt8(ascii: "a") < 6
        return isDigit != isLetter ? 0 : 1
    }

    /// Of a lower-case hex digit: letters have the bit of value 64 and begin at 1 in the low four.
    private static func value(_ character: UInt8) -> UInt8 { character & 15 &+ (character >> 6) &* 9 }

    private static func character(_ nibble: UInt8) -> UInt8 {
        nibble < 10 ? UInt8(ascii: "0") &+ nibble : UInt8(ascii: "a") &- 10 &+ nibble
    }
}
