package import PushModel
internal import PushWire

/// The JSON web token that token authentication sends with each request (Apple, "Establishing a token-based
/// connection to APNs"; RFC 7515): `ES256`, with the key id in the header, and the team and the time of issue
/// as claims. This type does not sign.
package enum APNsProviderToken {
    /// Returns the bytes that the key signs: the header and the claims, each in base64url, separated by a
    /// dot.
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
        return Base64URL.encode(header.bytes) + [UInt8(ascii: ".")] + Base64URL.encode(claims.bytes)
    }

    /// Returns the token; `nil` if the signature is not the 64 bytes R and S of ES256 (RFC 7518 §3.4), for
    /// example because it is still in DER.
    package static func token(signingInput: [UInt8], signature: [UInt8]) -> String? {
        guard signature.count == 64 else { return nil }
        return String(
            decoding: signingInput + [UInt8(ascii: ".")] + Base64URL.encode(signature), as: UTF8.self)
    }

    /// The value of the `authorization` field.
    package static func authorization(_ token: String) -> String { "bearer \(token)" }
}
