internal import PushModel

/// The orders in which a chunk of subscribers is written, as indices of its records.
enum SubscriberOrder {
    /// By token, each token once: its last record.
    static func byToken(_ records: [SubscriberRecord]) -> [UInt32] {
        let keys = sorted(records, 0..<records.count) { $0.token }
        var indices: [UInt32] = []
        indices.reserveCapacity(keys.count)
        var previous: Key?
        for key in keys {
            // The same token again: the later record takes the earlier one's place.
            if let previous, previous.word == key.word,
                records[Int(previous.index)].token == records[Int(key.index)].token
            {
                indices.removeLast()
            }
            indices.append(key.index)
            previous = key
        }
        return indices
    }

    /// By user key, those that have one and are wanted.
    static func byUserKey(_ records: [SubscriberRecord], where isWanted: (Int) -> Bool) -> [UInt32] {
        let wanted = records.indices.filter { isWanted($0) && !records[$0].userKey.isEmpty }
        return sorted(records, wanted) { $0.userKey }.map(\.index)
    }

    /// Comparing numbers instead of texts, nearly always: eight bytes that follow what all texts begin with.
    private struct Key {
        var word: UInt64
        var index: UInt32
    }

    private static func sorted(
        _ records: [SubscriberRecord], _ indices: some Collection<Int>,
        by text: (borrowing SubscriberRecord) -> String
    ) -> [Key] {
        guard let first = indices.first.map({ text(records[$0]) }) else { return [] }
        var start = first.utf8.count
        for index in indices { start = commonPrefix(first, text(records[index]), limit: start) }
        var keys = indices.map { index in
            Key(word: word(of: text(records[index]), from: start), index: UInt32(truncatingIfNeeded: index))
        }
        keys.sort { left, right in
            if left.word != right.word { return left.word < right.word }
            let (leftText, rightText) = (text(records[Int(left.index)]), text(records[Int(right.index)]))
            return leftText.utf8.elementsEqual(rightText.utf8)
                ? left.index < right.index : leftText.utf8.lexicographicallyPrecedes(rightText.utf8)
        }
        return keys
    }

    private static func commonPrefix(_ left: String, _ right: String, limit: Int) -> Int {
        guard limit > 0 else { return 0 }
        var count = 0
        for (first, second) in zip(left.utf8, right.utf8) {
            if first != second || count == limit { break }
            count += 1
        }
        return count
    }

    /// Big-endian, so that numbers sort as the bytes do; hex digits sort as the bytes they spell.
    private static func word(of text: String, from start: Int) -> UInt64 {
        var text = text
        return text.withUTF8 { utf8 in
            var word: UInt64 = 0
            for offset in 0..<8 {
                let index = start &+ offset
                word = word << 8 | UInt64(index < utf8.count ? unsafe utf8[index] : 0)
            }
            return word
        }
    }
}
