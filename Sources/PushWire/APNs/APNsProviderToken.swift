package import PushModel

/// The JSON web token that token authentication sends with each request (Apple, "Establishing a token-based connection
/// to APNs"; RFC 7515): `ES256`, key id in the header, team and time of issue as claims. Signing is not done here.
package enum APNsProviderToken {
    /// What the key signs: header and claims, each in base64url, with a dot between.
    package static func signingInput(keyID: String, teamID: String, issuedAt: WallTime) -> [UInt8] {
        var header = DocumentWriter()
        header.object { object in
            object.string("alg", "ES256")
            object.string("kid", keyID)
        }
        var claims = DocumentWriter()
        claims.object { object in
            object.string("iss", teamID)
            object.integer("iat", issuedAt.secondsSince1970)
        }
        return base64URL(header.bytes) + [UInt8(ascii: ".")] + base64URL(claims.bytes)
    }

    /// The token; nil where the signature is not the 64 bytes R and S of ES256 (RFC 7518 §3.4): it may still be DER.
    package static func token(signingInput: [UInt8], signature: [UInt8]) -> String? {
        guard signature.count == 64 else { return nil }
        return String(decoding: signingInput + [UInt8(ascii: ".")] + base64URL(signature), as: UTF8.self)
    }

    /// The value of the `authorization` field.
    package static func authorization(_ token: String) -> String { "bearer \(token)" }

    /// RFC 4648 §5, without padding.
    private static func base64URL(_ bytes: [UInt8]) -> [UInt8] {
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
