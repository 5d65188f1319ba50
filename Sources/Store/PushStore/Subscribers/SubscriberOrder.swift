internal import Glibc
internal import PushModel

/// The orders in which a chunk of subscribers is written, as indices of its rows.
enum SubscriberOrder {
    /// By token, each token once: its last row.
    static func byToken(_ chunk: SubscriberChunk) -> [UInt32] {
        let keys = sorted(chunk, by: .token) { _ in true }
        var indices: [UInt32] = []
        indices.reserveCapacity(keys.count)
        var previous: Key?
        for key in keys {
            // The same token again: the later row takes the earlier one's place.
            if let previous, previous.word == key.word,
                chunk.haveSameToken(Int(previous.index), Int(key.index))
            {
                indices.removeLast()
            }
            indices.append(key.index)
            previous = key
        }
        return indices
    }

    /// By user key, those that have one and are wanted.
    static func byUserKey(_ chunk: SubscriberChunk, where isWanted: (Int) -> Bool) -> [UInt32] {
        sorted(chunk, by: .userKey) { isWanted($0) && !chunk.isEmpty(.userKey, of: $0) }.map(\.index)
    }

    /// Comparing numbers instead of bytes, nearly always: eight that follow what all begin with.
    private struct Key {
        var word: UInt64
        var index: UInt32
    }

    private static func sorted(
        _ chunk: SubscriberChunk, by field: SubscriberChunk.Field, where isWanted: (Int) -> Bool
    ) -> [Key] {
        guard let first = chunk.indices.first(where: isWanted) else { return [] }
        var start = unsafe chunk.with(field, of: first) { $0.count }
        var count = 0
        for index in chunk.indices where isWanted(index) {
            count += 1
            start = commonPrefix(chunk, field, first, index, limit: start)
        }
        var keys: [Key] = []
        keys.reserveCapacity(count)
        for index in chunk.indices where isWanted(index) {
            keys.append(
                Key(word: word(chunk, field, index, from: start), index: UInt32(truncatingIfNeeded: index)))
        }
        keys.sort { left, right in
            if left.word != right.word { return left.word < right.word }
            let (one, other) = (Int(left.index), Int(right.index))
            let order = compare(chunk, field, one, other)
            if order != 0 { return order < 0 }
            // The bytes of a token of digits may be another one's text.
            let (isText, isOtherText) = (chunk.isText(one), chunk.isText(other))
            return isText == isOtherText ? one < other : isOtherText
        }
        return keys
    }

    private static func commonPrefix(
        _ chunk: SubscriberChunk, _ field: SubscriberChunk.Field, _ one: Int, _ other: Int, limit: Int
    ) -> Int {
        guard limit > 0 else { return 0 }
        return unsafe chunk.with(field, of: one) { left in
            unsafe chunk.with(field, of: other) { right in
                var count = 0
                while count < min(limit, left.count, right.count), unsafe left[count] == right[count] {
                    count += 1
                }
                return count
            }
        }
    }

    /// As memcmp(3) compares; of two that begin alike the shorter is first.
    private static func compare(
        _ chunk: SubscriberChunk, _ field: SubscriberChunk.Field, _ one: Int, _ other: Int
    ) -> Int {
        unsafe chunk.with(field, of: one) { left in
            unsafe chunk.with(field, of: other) { right in
                let count = min(left.count, right.count)
                // memcmp(3) has no answer for no address.
                guard count > 0, let first = left.baseAddress, let second = right.baseAddress
                else { return left.count - right.count }
                let order = unsafe memcmp(first, second, count)
                return order == 0 ? left.count - right.count : Int(order)
            }
        }
    }

    /// Big-endian, so that numbers sort as the bytes do.
    private static func word(
        _ chunk: SubscriberChunk, _ field: SubscriberChunk.Field, _ index: Int, from start: Int
    ) -> UInt64 {
        unsafe chunk.with(field, of: index) { bytes in
            var word: UInt64 = 0
            for offset in 0..<8 {
                let index = start &+ offset
                word = word << 8 | UInt64(index < bytes.count ? unsafe bytes[index] : 0)
            }
            return word
        }
    }
}
