internal import PushModel

/// The order in which a chunk of subscribers is written: by token, each token once, its last row.
struct SubscriberOrder {
    private(set) var indices: [UInt32] = []

    init(_ records: [SubscriberRecord]) {
        var keys: [Key] = []
        keys.reserveCapacity(records.count)
        for (index, record) in records.enumerated() {
            keys.append(Key(prefix: Self.prefix(of: record.token), index: UInt32(truncatingIfNeeded: index)))
        }
        keys.sort { left, right in
            if left.prefix != right.prefix { return left.prefix < right.prefix }
            let leftToken = records[Int(left.index)].token
            let rightToken = records[Int(right.index)].token
            return leftToken == rightToken ? left.index < right.index : leftToken < rightToken
        }
        indices.reserveCapacity(keys.count)
        var previous: Key?
        for key in keys {
            // The same token again: the later row takes the earlier one's place.
            if let previous, previous.prefix == key.prefix,
                records[Int(previous.index)].token == records[Int(key.index)].token
            {
                indices.removeLast()
            }
            indices.append(key.index)
            previous = key
        }
    }

    /// Comparing numbers instead of texts, nearly always.
    private struct Key {
        var prefix: UInt64
        var index: UInt32
    }

    /// The first eight bytes as a number. Hex digits sort as the bytes they spell, so this is the index's order too.
    private static func prefix(of token: String) -> UInt64 {
        var token = token
        return token.withUTF8 { text in
            var word: UInt64 = 0
            for index in 0..<8 {
                let byte: UInt8 = index < text.count ? unsafe text[index] : 0
                word = word << 8 | UInt64(byte)
            }
            return word
        }
    }
}
