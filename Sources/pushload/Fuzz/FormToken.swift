/// The token of a registration, read anew from what was sent: not by the engine's reader, which is looked at.
enum FormToken {
    /// As the store may keep it: what a mutation left of a token may look like one of either platform, and iOS's are
    /// kept in lower case.
    static func tokens(of body: ArraySlice<UInt8>) -> [String] {
        let beginning = Array("registrationToken=".utf8)
        return body.split(separator: UInt8(ascii: "&")).flatMap { field in
            // Names may be written with percent signs, too.
            let decoded = decoded(field)
            guard decoded.starts(with: beginning) else { return [String]() }
            let token = String(decoding: decoded.dropFirst(beginning.count), as: UTF8.self)
            // Older apps send the description of an iOS token's data: `<aabbccdd 00112233>`.
            let described = token.lowercased().filter { !"<> ".contains($0) }
            return [token, token.lowercased(), described]
        }
    }

    private static func decoded(_ field: ArraySlice<UInt8>) -> [UInt8] {
        var (bytes, rest) = ([UInt8](), field)
        while let byte = rest.popFirst() {
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            if byte == UInt8(ascii: "%"), digits.utf8.count == 2, let value = UInt8(digits, radix: 16) {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return bytes
    }
}
