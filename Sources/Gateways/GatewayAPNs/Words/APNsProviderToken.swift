package import PushModel
internal import PushWire

/// The JSON web token that token authentication sends with each request (Apple, "Establishing a token-based
/// connection to APNs"; RFC 7515): `ES256`, key id in the header, team and time of issue as claims. Signing
/// is not done here.
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
        return Base64URL.encode(header.bytes) + [UInt8(ascii: ".")] + Base64URL.encode(claims.bytes)
    }

    /// The token; nil where the signature is not the 64 bytes R and S of ES256 (RFC 7518 §3.4): it may still
    /// be DER.
    package static func token(signingInput: [UInt8], signature: [UInt8]) -> String? {
        guard signature.count == 64 else { return nil }
        return String(
            decoding: signingInput + [UInt8(ascii: ".")] + Base64URL.encode(signature), as: UTF8.self)
    }

    /// The value of the `authorization` field.
    package static func authorization(_ token: String) -> String { "bearer \(token)" }
}
