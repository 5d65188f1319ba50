internal import Glibc
internal import PushModel

/// The orders in which subscribers are written, as indices of a chunk's rows.
enum SubscriberOrder: Sendable {
    /// Each token occurs once, with its last row.
    case byToken
    case byUserKey

    var field: SubscriberChunk.Field { self == .byToken ? .token : .userKey }
    var isUnique: Bool { self == .byToken }

    func indices(of chunk: SubscriberChunk) -> [UInt32] {
        let keys = sorted(chunk)
        guard isUnique else { return keys.map(\.index) }
        var indices: [UInt32] = []
        indices.reserveCapacity(keys.count)
        var previous: Key?
        for key in keys {
            // The same token again: the later row replaces the earlier one.
            if let previous, previous.word == key.word,
                compare(chunk, Int(previous.index), chunk, Int(key.index)) == 0
            {
                indices.removeLast()
            }
            indices.append(key.index)
            previous = key
        }
        return indices
    }

    /// A sort key. Nearly all comparisons of rows use a number instead of bytes. This number consists of the
    /// eight bytes that follow the prefix common to all rows.
    private struct Key {
        var word: UInt64
        var index: UInt32
    }

    private func sorted(_ chunk: SubscriberChunk) -> [Key] {
        guard !chunk.isEmpty else { return [] }
        var start = unsafe chunk.with(field, of: 0) { $0.count }
        for index in chunk.indices { start = commonPrefix(chunk, 0, index, limit: start) }
        var keys: [Key] = []
        keys.reserveCapacity(chunk.count)
        for index in chunk.indices {
            keys.append(
                Key(word: word(chunk, index, from: start), index: UInt32(truncatingIfNeeded: index)))
        }
        Self.sort(&keys)
        settle(&keys, of: chunk)
        return keys
    }

    /// Sorts keys by their words; equal keys keep their order. A large number of keys is sorted one byte at a
    /// time, which takes a fraction of the time of a comparison sort.
    private static func sort(_ keys: inout [Key]) {
        guard keys.count > fewKeys else { return keys.sort { $0.word < $1.word } }
        var sorted = keys
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            var places = [Int](repeating: 0, count: 256)
            for key in keys { places[Int(key.word >> shift & 255)] &+= 1 }
            guard !places.contains(keys.count) else { continue }
            var next = 0
            for byte in places.indices { (places[byte], next) = (next, next &+ places[byte]) }
            for key in keys {
                let byte = Int(key.word >> shift & 255)
                sorted[places[byte]] = key
                places[byte] &+= 1
            }
            swap(&keys, &sorted)
        }
    }

    private static let fewKeys = 1_000

    /// Compares keys with equal words byte by byte.
    private func settle(_ keys: inout [Key], of chunk: SubscriberChunk) {
        var first = 0
        for next in 1...keys.count where next == keys.count || keys[next].word != keys[first].word {
            if next - first > 1 {
                keys[first..<next].sort { left, right in
                    let order = compare(chunk, Int(left.index), chunk, Int(right.index))
                    return order == 0 ? left.index < right.index : order < 0
                }
            }
            first = next
        }
    }

    private func commonPrefix(_ chunk: SubscriberChunk, _ one: Int, _ other: Int, limit: Int) -> Int {
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

    /// Compares in the order of memcmp(3). If one value is a prefix of the other, the shorter one is first.
    /// The stored bytes of a hex token may equal the text of another token; the hex token is then first.
    /// - Returns: 0 if they are the same.
    func compare(_ chunk: SubscriberChunk, _ one: Int, _ others: SubscriberChunk, _ other: Int) -> Int {
        let order = unsafe chunk.with(field, of: one) { left in
            unsafe others.with(field, of: other) { right in
                let count = min(left.count, right.count)
                // memcmp(3) is undefined without an address.
                guard count > 0, let first = left.baseAddress, let second = right.baseAddress
                else { return left.count - right.count }
                let order = unsafe memcmp(first, second, count)
                return order == 0 ? left.count - right.count : Int(order)
            }
        }
        guard order == 0, isUnique else { return order }
        return (chunk.isText(one) ? 1 : 0) - (others.isText(other) ? 1 : 0)
    }

    /// Returns the bytes as a big-endian number, so that numbers sort in the same order as bytes.
    func word(_ chunk: SubscriberChunk, _ index: Int, from start: Int) -> UInt64 {
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
