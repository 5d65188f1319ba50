/// A set of messages of one part, as one bit for each index. Outcomes arrive in any order, and some arrive
/// twice; the set sorts them and removes duplicates, at a cost of about one nanosecond each.
package struct MessageSet: Equatable, Sendable {
    private var words: ContiguousArray<UInt64>
    /// The exclusive upper bound of the members.
    package let limit: Int

    /// - Parameter limit: The number of messages in the part.
    package init(limit: Int) {
        self.limit = min(max(limit, 0), PartLimits.messages)
        words = ContiguousArray(repeating: 0, count: (self.limit + 63) / 64)
    }

    package init(_ range: Range<Int>, limit: Int) {
        self.init(limit: limit)
        insert(range)
    }

    package init(_ indices: some Sequence<Int>, limit: Int) {
        self.init(limit: limit)
        for index in indices { insert(index) }
    }

    /// Creates the same set as the generic initialiser. Other modules call this one for each part, because it
    /// is faster.
    package init(_ indices: ContiguousArray<Int>, limit: Int) {
        self.init(limit: limit)
        for index in indices { insert(index) }
    }

    /// The members in ascending order.
    package var indices: ContiguousArray<Int> {
        var found: ContiguousArray<Int> = []
        var next = 0
        while let range = nextRange(from: next) {
            for index in range { found.append(index) }
            next = range.upperBound
        }
        return found
    }

    /// Inserts an index. An index outside the limit is ignored.
    package mutating func insert(_ index: Int) {
        guard index >= 0, index < limit else { return }
        words[index >> 6] |= 1 << UInt64(index & 63)
    }

    package mutating func insert(_ range: Range<Int>) {
        let range = range.clamped(to: 0..<limit)
        guard let first = range.first, let last = range.last else { return }
        for word in first >> 6...last >> 6 {
            let low = word == first >> 6 ? UInt64.max << UInt64(first & 63) : .max
            let high = word == last >> 6 ? UInt64.max >> UInt64(63 - last & 63) : .max
            words[word] |= low & high
        }
    }

    package func contains(_ index: Int) -> Bool {
        index >= 0 && index < limit && words[index >> 6] & 1 << UInt64(index & 63) != 0
    }

    package var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }
    package var isEmpty: Bool { words.allSatisfy { $0 == 0 } }

    /// Returns the first range of adjacent members that begins at `start` or later.
    package func nextRange(from start: Int) -> Range<Int>? {
        guard let first = next(from: start, inverted: 0) else { return nil }
        return first..<(next(from: first, inverted: .max) ?? limit)
    }

    /// Returns the position of the first bit from `start` on that is set, or, if `inverted` is `.max`, of the
    /// first bit that is not set.
    private func next(from start: Int, inverted: UInt64) -> Int? {
        guard start < limit else { return nil }
        let start = max(start, 0)
        var word = start >> 6
        var bits = (words[word] ^ inverted) & UInt64.max << UInt64(start & 63)
        while bits == 0 {
            word += 1
            guard word < words.count else { return nil }
            bits = words[word] ^ inverted
        }
        let found = word << 6 + bits.trailingZeroBitCount
        return found < limit ? found : nil
    }
}
