internal import FoundationEssentials
internal import GRDB

/// How a device token lies in its column: lower-case hex of even length as the bytes it spells, anything else as text.
///
/// APNs tokens are hex; as bytes they take half the room, in the row and in the index. The two forms cannot be
/// confused: SQLite keeps blobs and texts apart, and only what reads back as the same text becomes a blob.
enum StoredToken {
    /// Longer hex stays text, so that readers can spell with a buffer of this many bytes.
    static let longestHex = 512

    /// Whether the token is stored as bytes, which are then in `bytes`; it is overwritten either way.
    static func decode(_ token: String, into bytes: inout [UInt8]) -> Bool {
        var token = token
        return token.withUTF8 { unsafe decode($0, into: &bytes) }
    }

    private static func decode(_ text: UnsafeBufferPointer<UInt8>, into bytes: inout [UInt8]) -> Bool {
        bytes.removeAll(keepingCapacity: true)
        guard text.count % 2 == 0, text.count >= 2, text.count <= longestHex else { return false }
        var index = 0
        while index < text.count {
            let high = unsafe digit(text[index])
            let low = unsafe digit(text[index + 1])
            guard high < 16, low < 16 else { return false }
            bytes.append(high << 4 | low)
            index += 2
        }
        return true
    }

    /// Writes the text of stored bytes. - Parameter text: room for twice as many bytes.
    static func spell(_ bytes: UnsafeBufferPointer<UInt8>, into text: UnsafeMutableBufferPointer<UInt8>) -> Int {
        let count = min(bytes.count, text.count / 2)
        for index in 0..<count {
            let byte = unsafe bytes[index]
            unsafe text[index &* 2] = character(byte >> 4)
            unsafe text[index &* 2 &+ 1] = character(byte & 15)
        }
        return count * 2
    }

    /// The text of a column's value, outside hot paths; empty for NULL.
    static func text(of value: DatabaseValue) -> String {
        switch value.storage {
        case .blob(let bytes): String(decoding: bytes.flatMap { [character($0 >> 4), character($0 & 15)] }, as: UTF8.self)
        case .string(let text): text
        default: ""
        }
    }

    /// What to look for in the column, outside hot paths.
    static func value(of text: String) -> DatabaseValue {
        var bytes: [UInt8] = []
        return decode(text, into: &bytes) ? Data(bytes).databaseValue : text.databaseValue
    }

    private static func digit(_ character: UInt8) -> UInt8 {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        default: 255
        }
    }

    private static func character(_ nibble: UInt8) -> UInt8 {
        nibble < 10 ? UInt8(ascii: "0") &+ nibble : UInt8(ascii: "a") &- 10 &+ nibble
    }
}
