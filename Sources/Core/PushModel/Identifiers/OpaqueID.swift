/// A message's id as gateways and devices see it: 16 bytes that reveal nothing without the instance's key.
package struct OpaqueID: Hashable, Sendable {
    package var high: UInt64
    package var low: UInt64
    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The same id with the version (8) and variant bits of RFC 9562 §5.8 set, as sent in `apns-id`.
    package var asUUIDv8: OpaqueID {
        OpaqueID(
            high: high & 0xFFFF_FFFF_FFFF_0FFF | 0x0000_0000_0000_8000,
            low: low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
    }

    /// The id in lower-case 8-4-4-4-12 form. Not for the hot path, which writes digits directly into its
    /// buffers.
    package var text: String {
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for position in 0..<32 {
            if position == 8 || position == 12 || position == 16 || position == 20 {
                text.append(UInt8(ascii: "-"))
            }
            let word = position < 16 ? high : low
            text.append(Self.digits[Int(truncatingIfNeeded: word >> UInt64(60 - position % 16 * 4) & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Parses an id in 8-4-4-4-12 form, in either case; `nil` if the text does not have this form.
    package init?(text: some StringProtocol) { self.init(spelling: text.utf8) }

    /// Parses the bytes of an id in 8-4-4-4-12 form, in either case; `nil` if they do not have this form.
    package init?(spelling bytes: some Sequence<UInt8>) {
        var words: (UInt64, UInt64) = (0, 0)
        var position = 0
        var digitsSeen = 0
        for character in bytes {
            if position == 8 || position == 13 || position == 18 || position == 23 {
                guard character == UInt8(ascii: "-") else { return nil }
            } else {
                guard digitsSeen < 32, let digit = Self.value(of: character) else { return nil }
                if digitsSeen < 16 { words.0 = words.0 << 4 | digit } else { words.1 = words.1 << 4 | digit }
                digitsSeen += 1
            }
            position += 1
        }
        guard position == 36, digitsSeen == 32 else { return nil }
        self.init(high: words.0, low: words.1)
    }

    private static let digits = Array("0123456789abcdef".utf8)

    private static func value(of character: UInt8) -> UInt64? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(character - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(character - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(character - UInt8(ascii: "A") + 10)
        default: nil
        }
    }
}
