/// RFC 4648 §5 without padding, as used by JSON Web Tokens (RFC 7515 §2).
package enum Base64URL {
    package static func encode(_ bytes: [UInt8]) -> [UInt8] {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 4 + 2) / 3)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let word = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
            for sextet in 0...group.count { text.append(alphabet[Int(word >> UInt32(18 - 6 * sextet)) & 63]) }
        }
        return text
    }
}
