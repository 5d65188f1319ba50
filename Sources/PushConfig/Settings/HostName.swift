/// The shape of a host's name or address. Whether it exists is the resolver's business.
enum HostName {
    static func isValid(_ text: String) -> Bool {
        if text.contains(":") { return isIPv6(text) }
        guard text.utf8.count <= 253, text.utf8.allSatisfy({ isAlphanumeric($0) || "-._".utf8.contains($0) })
        else {
            return false
        }
        // A name whose last label is a number is meant as an address (RFC 3696, section 2).
        let name = text.hasSuffix(".") ? text.dropLast() : text[...]
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        if let last = labels.last, last.utf8.allSatisfy(isDigit) { return isIPv4(text) }
        return labels.allSatisfy { 1...63 ~= $0.utf8.count && !$0.hasPrefix("-") && !$0.hasSuffix("-") }
    }

    static func isIPv4(_ text: String) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4
            && parts.allSatisfy {
                1...3 ~= $0.utf8.count && $0.utf8.allSatisfy(isDigit) && Int($0) ?? 256 < 256
            }
    }

    /// Groups of hexadecimal digits, at most one gap, perhaps in the brackets that URLs need.
    static func isIPv6(_ text: String) -> Bool {
        let inner = text.hasPrefix("[") && text.hasSuffix("]") ? text.dropFirst().dropLast() : text[...]
        let halves = inner.split(separator: "::", omittingEmptySubsequences: false)
        guard halves.count <= 2 else { return false }
        var groups = 0
        for (index, half) in halves.enumerated() where !half.isEmpty {
            let parts = half.split(separator: ":", omittingEmptySubsequences: false)
            for (place, part) in parts.enumerated() {
                if index == halves.count - 1, place == parts.count - 1, isIPv4(String(part)) {
                    groups += 2
                } else if 1...4 ~= part.utf8.count, part.utf8.allSatisfy({ isDigit($0) || isHexLetter($0) }) {
                    groups += 1
                } else {
                    return false
                }
            }
        }
        return halves.count == 2 ? groups < 8 : groups == 8
    }

    private static func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }
    private static func isHexLetter(_ byte: UInt8) -> Bool { 0x61...0x66 ~= byte | 0x20 }
    private static func isAlphanumeric(_ byte: UInt8) -> Bool { isDigit(byte) || 0x61...0x7A ~= byte | 0x20 }
}
