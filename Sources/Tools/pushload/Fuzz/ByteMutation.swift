/// Changes bytes in order to make a parser fail: flips, cuts, repetitions, and sequences that are known to
/// break parsers of forms, XML, JSON and URLs.
struct ByteMutation {
    /// The sequences to insert.
    private static let stumblingBlocks: [[UInt8]] =
        [
            "%", "%0", "%00", "%zz", "%F0%9F", "%C0%80", "+", "&", "=", "&&", "&=", ";", "&amp;", "&#0;",
            "&#x110000;", "&lt", "]]>", "<![CDATA[", "<!DOCTYPE a [<!ENTITY b \"c\">]>",
            "<?xml version=\"1.1\"?>", "<!--", "</", "/>", "\"", "'", "\\", "\\u0000", "\\ud800", "\\u",
            "{", "}", "[", "]", "[[", ":", ",", "null", "true", "\"\":", "1e999", "-0", "0x1",
            "9223372036854775808", "-9223372036854775809", "2147483648", "1E400", "NaN", "..", "../",
            "%2e%2e%2f", "//", "?", "#", "\r\n", "\n", "\t", "\0", "id=h", ",1", ",2", ",-1", "h0,0,1",
            "application/json", "2026-02-30T25:61:61Z", "registrationToken=", "mobileAppUuid=",
            "additionalParams=", "userKey=", "cursor=", "limit=0",
        ].map { Array($0.utf8) } + [
            [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xEF, 0xBB, 0xBF],
            [0xE2, 0x80, 0xAE], Array(repeating: UInt8(ascii: "["), count: 2_000),
            Array(repeating: UInt8(ascii: "A"), count: 5_000),
            Array(repeating: UInt8(ascii: "&"), count: 300), Array(repeating: UInt8(ascii: "9"), count: 400),
        ]

    /// Other inputs. A part of one of them may be inserted into the bytes.
    var others: [[UInt8]] = []

    /// Applies one to four changes.
    func apply(to bytes: inout [UInt8], by chance: inout SplitMix64) {
        for _ in 0..<(1 + Int(chance.next() % 4)) { change(&bytes, &chance) }
    }

    private func change(_ bytes: inout [UInt8], _ chance: inout SplitMix64) {
        guard !bytes.isEmpty else {
            bytes = chance.one(of: Self.stumblingBlocks)
            return
        }
        let place = chance.below(bytes.count)
        switch chance.below(16) {
        case 0, 1, 2: bytes[place] ^= 1 << UInt8(chance.below(8))
        case 3, 4: bytes[place] = UInt8(truncatingIfNeeded: chance.next())
        case 5: bytes.removeSubrange(place..<min(bytes.count, place + 1 + chance.below(8)))
        case 6: bytes.removeSubrange(place...)
        case 7: bytes.removeSubrange(place..<min(bytes.count, place + chance.below(bytes.count) + 1))
        case 8: repeatSome(of: &bytes, from: place, &chance)
        case 9: splice(on: &bytes, at: place, &chance)
        case 10: bytes.insert(UInt8(truncatingIfNeeded: chance.next()), at: place)
        default:
            let block = chance.one(of: Self.stumblingBlocks)
            let end = chance.below(2) == 0 ? min(bytes.count, place + block.count) : place
            bytes.replaceSubrange(place..<end, with: block)
        }
    }

    private func repeatSome(of bytes: inout [UInt8], from place: Int, _ chance: inout SplitMix64) {
        let piece = Array(bytes[place..<min(bytes.count, place + 1 + chance.below(64))])
        // In rare cases, the result is larger than the maximum size of a body.
        let times = chance.below(500) == 0 ? 70_000 / piece.count + 1 : 1 + chance.below(20)
        bytes.insert(contentsOf: (0..<times).flatMap { _ in piece }, at: place)
    }

    private func splice(on bytes: inout [UInt8], at place: Int, _ chance: inout SplitMix64) {
        guard !others.isEmpty, case let other = chance.one(of: others), !other.isEmpty else { return }
        bytes.replaceSubrange(place..., with: other[chance.below(other.count)...])
    }
}
