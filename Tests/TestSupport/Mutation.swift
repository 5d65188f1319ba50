/// Changes bytes to find inputs that break a reader. The same seed always yields the same changes.
package struct Mutation {
    private var dice: SeededRandom

    package init(seed: UInt64) { dice = SeededRandom(seed: seed) }

    /// Returns the bytes after a few changes: bytes are replaced, inserted, removed, duplicated or moved.
    package mutating func mutated(_ seed: [UInt8]) -> [UInt8] {
        var bytes = seed
        for _ in 0...dice.below(4) { change(&bytes) }
        return bytes
    }

    private mutating func change(_ bytes: inout [UInt8]) {
        let at = dice.below(bytes.count + 1)
        switch dice.below(8) {
        case 0: bytes.insert(UInt8(dice.below(256)), at: at)
        case 1: bytes.insert(contentsOf: telling, at: at)
        case 2 where at < bytes.count: bytes[at] = UInt8(dice.below(256))
        case 3 where at < bytes.count: bytes[at] ^= 1 << UInt8(dice.below(8))
        case 4 where at < bytes.count: bytes.removeSubrange(at..<min(bytes.count, at + 1 + dice.below(8)))
        case 5 where at < bytes.count:
            let piece = bytes[at..<min(bytes.count, at + 1 + dice.below(40))]
            bytes.insert(contentsOf: piece, at: dice.below(bytes.count + 1))
        case 6: bytes.removeLast(min(bytes.count, dice.below(20)))
        case 7:
            bytes.insert(
                contentsOf: [UInt8](repeating: UInt8(dice.below(256)), count: dice.below(300)), at: at)
        default: break
        }
    }

    /// Bytes that have a meaning for one of the readers.
    private var telling: [UInt8] {
        mutating get {
            let words = [
                "&", "=", "%", "%00", "%zz", "%FF", "+", ",", ";", "<", ">", "/>", "\"", "&amp;", "&#x0;",
                "&#1114112;", "<!DOCTYPE a [<!ENTITY b \"c\">]>", "<![CDATA[", "<!--", "-->",
                "<?xml version=\"1.0\"?>",
                "registrationToken=", "additionalParams=", "\u{FEFF}", "\0", "ffffffffffffffff", "id=h",
            ]
            return Array(words[dice.below(words.count)].utf8)
        }
    }
}
