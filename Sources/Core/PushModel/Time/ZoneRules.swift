/// The offsets of a time zone from UTC: the contents of a time zone database file (TZif, RFC 9636, version 2
/// or later).
package struct ZoneRules: Equatable, Sendable {
    /// The times of the transitions, in ascending order.
    private let transitions: [Int64]
    /// The offset from each transition on, in seconds east of UTC.
    private let offsets: [Int]
    /// The offset before the first transition.
    private let first: Int
    /// The rule after the last transition.
    private let rule: ZoneRule?

    package static let utc = ZoneRules(first: 0)

    private init(first: Int) { (transitions, offsets, self.first, rule) = ([], [], first, nil) }

    /// Returns the offset in seconds east of UTC.
    package func offset(at moment: WallTime) -> Int {
        let time = moment.secondsSince1970
        guard let last = transitions.last else { return rule?.offset(at: time) ?? first }
        if time >= last { return rule?.offset(at: time) ?? offsets[offsets.count - 1] }
        var (low, high) = (0, transitions.count)
        while low < high {
            let middle = (low + high) / 2
            if transitions[middle] <= time { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? first : offsets[low - 1]
    }

    /// `nil` if the bytes are not a TZif file.
    package init?(tzif bytes: [UInt8]) {
        var reader = ZoneFileReader(bytes: bytes)
        // The first block is for readers from 1986, which support only 32 bits.
        guard let old = reader.header(), old.version >= UInt8(ascii: "2"),
            reader.skip(old.length(timeBytes: 4)), let header = reader.header(),
            let body = reader.block(header)
        else { return nil }
        transitions = body.transitions
        offsets = body.offsets
        first = body.first
        rule = reader.footer().flatMap(ZoneRule.init)
        guard zip(transitions, transitions.dropFirst()).allSatisfy({ $0 < $1 }) else { return nil }
    }
}

/// Reads a TZif file from its beginning. Every number is range-checked before it is used.
private struct ZoneFileReader {
    let bytes: [UInt8]
    var position = 0

    struct Header {
        var version: UInt8
        /// The counts in the header, in file order.
        var utc, standard, leaps, times, types, letters: Int

        func length(timeBytes: Int) -> Int {
            times * (timeBytes + 1) + types * 6 + letters + leaps * (timeBytes + 4) + standard + utc
        }
    }

    mutating func skip(_ count: Int) -> Bool {
        guard count >= 0, count <= bytes.count - position else { return false }
        position += count
        return true
    }

    private func number(_ place: Int, _ length: Int) -> Int64 {
        var value: Int64 = length == 4 ? Int64(Int8(bitPattern: bytes[place])) : 0
        let start = length == 4 ? place + 1 : place
        for byte in bytes[start..<place + length] { value = value << 8 | Int64(byte) }
        return value
    }

    mutating func header() -> Header? {
        let start = position
        guard skip(44), bytes[start..<start + 4].elementsEqual("TZif".utf8) else { return nil }
        let counts = (0..<6).map { Int(number(start + 20 + $0 * 4, 4)) }
        guard counts.allSatisfy({ (0...100_000).contains($0) }), (1...256).contains(counts[4]) else {
            return nil
        }
        return Header(
            version: bytes[start + 4], utc: counts[0], standard: counts[1], leaps: counts[2],
            times: counts[3], types: counts[4], letters: counts[5])
    }

    mutating func block(_ header: Header) -> (transitions: [Int64], offsets: [Int], first: Int)? {
        let start = position
        guard skip(header.length(timeBytes: 8)) else { return nil }
        let kinds = start + header.times * 8
        let types = kinds + header.times
        let offsets = (0..<header.types).map { Int(number(types + $0 * 6, 4)) }
        guard offsets.allSatisfy({ (-86_399...86_399).contains($0) }) else { return nil }
        var found: [Int] = []
        for index in 0..<header.times {
            let kind = Int(bytes[kinds + index])
            guard kind < offsets.count else { return nil }
            found.append(offsets[kind])
        }
        return ((0..<header.times).map { number(start + $0 * 8, 8) }, found, offsets[0])
    }

    /// Returns the text between the last two line ends.
    mutating func footer() -> [UInt8]? {
        let rest = bytes[position...]
        guard rest.first == UInt8(ascii: "\n") else { return nil }
        return Array(rest.dropFirst().prefix { $0 != UInt8(ascii: "\n") })
    }
}
