/// An IPv4 or IPv6 address as a number. IPv4 addresses are mapped as defined in RFC 4291, section 2.5.5.2, so
/// that `::ffff:192.0.2.1` equals `192.0.2.1`.
package struct IPAddress: Hashable, Sendable {
    /// The first eight bytes.
    package let high: UInt64
    package let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    package init(v4 address: UInt32) { self.init(high: 0, low: Self.mapped | UInt64(address)) }

    private static let mapped: UInt64 = 0xFFFF << 32

    package var isV4: Bool { high == 0 && low >> 32 == 0xFFFF }

    /// Whether the address is in `127.0.0.0/8` or is `::1`.
    package var isLoopback: Bool {
        isV4 ? low >> 24 & 0xFF == 127 : high == 0 && low == 1
    }

    /// The smallest range that a network assigns to one customer: one IPv4 address, or all IPv6 addresses
    /// with the same first 64 bits.
    package var site: IPAddress { isV4 ? self : IPAddress(high: high, low: 0) }

    /// - Parameter text: An address such as `192.0.2.1` or `2001:db8::1`, without brackets, port and zone.
    package init?(_ text: some StringProtocol) {
        if text.utf8.contains(UInt8(ascii: ":")) {
            guard let address = Self.v6(Array(text.utf8)) else { return nil }
            self = address
        } else {
            guard let address = Self.v4(Array(text.utf8)[...]) else { return nil }
            self.init(v4: address)
        }
    }

    private static func v4(_ text: ArraySlice<UInt8>) -> UInt32? {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var address: UInt32 = 0
        for part in parts {
            guard let number = number(part, radix: 10, maxDigits: 3), number < 256 else { return nil }
            address = address << 8 | number
        }
        return address
    }

    /// Parses groups of hexadecimal digits with at most one gap. The last two groups may be an IPv4 address.
    private static func v6(_ text: [UInt8]) -> IPAddress? {
        let colon = UInt8(ascii: ":")
        let gap = text.indices.dropLast().first { text[$0] == colon && text[$0 + 1] == colon }
        let groups: [UInt32]
        if let gap {
            guard let before = Self.groups(text[..<gap], mayEndInV4: false),
                let after = Self.groups(text[(gap + 2)...], mayEndInV4: true), before.count + after.count < 8
            else { return nil }
            groups = before + [UInt32](repeating: 0, count: 8 - before.count - after.count) + after
        } else {
            guard let all = Self.groups(text[...], mayEndInV4: true), all.count == 8 else { return nil }
            groups = all
        }
        let halves = [groups[..<4], groups[4...]].map { $0.reduce(UInt64(0)) { $0 << 16 | UInt64($1) } }
        return IPAddress(high: halves[0], low: halves[1])
    }

    private static func groups(_ text: ArraySlice<UInt8>, mayEndInV4: Bool) -> [UInt32]? {
        guard !text.isEmpty else { return [] }
        let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        var groups: [UInt32] = []
        for (place, part) in parts.enumerated() {
            if mayEndInV4, place == parts.count - 1, let address = v4(part) {
                groups += [address >> 16, address & 0xFFFF]
            } else if let group = number(part, radix: 16, maxDigits: 4) {
                groups.append(group)
            } else {
                return nil
            }
        }
        return groups
    }

    /// Parses digits only, without a sign.
    private static func number(_ digits: ArraySlice<UInt8>, radix: UInt32, maxDigits: Int) -> UInt32? {
        guard 1...maxDigits ~= digits.count else { return nil }
        var number: UInt32 = 0
        for digit in digits {
            let value: UInt8
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = digit - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): value = digit - UInt8(ascii: "A") + 10
            default: return nil
            }
            guard value < radix else { return nil }
            number = number * radix + UInt32(value)
        }
        return number
    }
}

/// Addresses with a common prefix, such as `10.0.0.0/8` or `2001:db8::/32`, or a single address.
package struct IPNetwork: Equatable, Sendable {
    /// The text as it was written.
    package let text: String
    private let address: IPAddress
    /// The length of the prefix, in bits of the 128-bit address.
    private let prefixBits: Int

    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let address = IPAddress(parts[0]) else { return nil }
        let isV4 = !parts[0].utf8.contains(UInt8(ascii: ":"))
        var prefixBits = 128
        if parts.count == 2 {
            guard 1...3 ~= parts[1].utf8.count, parts[1].utf8.allSatisfy({ 0x30...0x39 ~= $0 }),
                let bits = Int(parts[1]), bits <= (isV4 ? 32 : 128)
            else { return nil }
            prefixBits = bits + (isV4 ? 96 : 0)
        }
        self.text = String(text)
        self.address = address
        self.prefixBits = prefixBits
    }

    package func contains(_ other: IPAddress) -> Bool {
        Self.agree(address.high, other.high, bits: min(prefixBits, 64))
            && Self.agree(address.low, other.low, bits: max(prefixBits - 64, 0))
    }

    private static func agree(_ left: UInt64, _ right: UInt64, bits: Int) -> Bool {
        bits == 0 || (left ^ right) >> UInt64(64 - bits) == 0
    }
}

extension IPAddress: CustomStringConvertible {
    /// The usual text of the address (RFC 5952), from which ``init(_:)`` creates the same address.
    package var description: String {
        if isV4 { return [24, 16, 8, 0].map { "\(low >> $0 & 0xFF)" }.joined(separator: ".") }
        let groups = [high, low].flatMap { half in [48, 32, 16, 0].map { half >> $0 & 0xFFFF } }
        func text(_ groups: ArraySlice<UInt64>) -> String {
            groups.map { String($0, radix: 16) }.joined(separator: ":")
        }
        // The first of the longest gaps of at least two groups is left out.
        var gap = 0..<0
        for start in groups.indices {
            let end = groups[start...].firstIndex { $0 != 0 } ?? groups.count
            if end - start > max(gap.count, 1) { gap = start..<end }
        }
        if gap.isEmpty { return text(groups[...]) }
        return "\(text(groups[..<gap.lowerBound]))::\(text(groups[gap.upperBound...]))"
    }
}
