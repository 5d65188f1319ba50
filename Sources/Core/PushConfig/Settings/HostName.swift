internal import PushModel

/// Checks the form of a host name or address. Whether the host exists is left to the resolver.
enum HostName {
    static func isValid(_ text: String) -> Bool {
        if text.contains(":") { return isIPv6(text) }
        guard text.utf8.count <= 253, text.utf8.allSatisfy({ isAlphanumeric($0) || "-._".utf8.contains($0) })
        else {
            return false
        }
        // A name whose last label is a number is intended as an address (RFC 3696, section 2).
        let name = text.hasSuffix(".") ? text.dropLast() : text[...]
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        if let last = labels.last, last.utf8.allSatisfy(isDigit) { return isIPv4(text) }
        return labels.allSatisfy { 1...63 ~= $0.utf8.count && !$0.hasPrefix("-") && !$0.hasSuffix("-") }
    }

    static func isIPv4(_ text: String) -> Bool { !text.contains(":") && IPAddress(text) != nil }

    /// Reports whether the text is an IPv6 address, with or without the brackets that URLs require.
    static func isIPv6(_ text: String) -> Bool {
        let inner = text.hasPrefix("[") && text.hasSuffix("]") ? text.dropFirst().dropLast() : text[...]
        return inner.contains(":") && IPAddress(inner) != nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }
    private static func isAlphanumeric(_ byte: UInt8) -> Bool { isDigit(byte) || 0x61...0x7A ~= byte | 0x20 }
}
