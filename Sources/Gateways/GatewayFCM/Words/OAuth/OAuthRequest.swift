package import PushModel
internal import PushWire

/// A request for an access token with a signed assertion (RFC 7523 §2.1; Google, "Using OAuth 2.0 for server
/// to server applications"): a form that contains a JSON web token, signed with `RS256` by the service
/// account's key. This type does not sign.
package enum OAuthRequest {
    /// The permission to send messages.
    package static let scope = "https://www.googleapis.com/auth/firebase.messaging"
    /// The maximum lifetime that Google accepts, in seconds.
    package static let assertionSeconds: Int64 = 3_600
    package static let contentType = "application/x-www-form-urlencoded"

    /// Returns the bytes that the key signs: the header and the claims, each in base64url, separated by a
    /// dot.
    package static func signingInput(_ account: FCMServiceAccount, issuedAt: WallTime) -> [UInt8] {
        var header = DocumentWriter()
        header.object { object in
            object.string("alg", "RS256")
            object.string("typ", "JWT")
            object.string("kid", account.privateKeyID)
        }
        var claims = DocumentWriter()
        claims.object { object in
            object.string("iss", account.clientEmail)
            object.string("scope", scope)
            object.string("aud", account.tokenURI)
            object.integer("iat", issuedAt.secondsSince1970)
            object.integer("exp", issuedAt.advanced(bySeconds: assertionSeconds).secondsSince1970)
        }
        return Base64URL.encode(header.bytes) + [UInt8(ascii: ".")] + Base64URL.encode(claims.bytes)
    }

    /// Returns the assertion; `nil` if the signature does not have the size of an RSA signature with 2048 to
    /// 8192 bits (RFC 7518 §3.3 requires at least 2048).
    package static func assertion(signingInput: [UInt8], signature: [UInt8]) -> String? {
        guard (256...1_024).contains(signature.count) else { return nil }
        return String(
            decoding: signingInput + [UInt8(ascii: ".")] + Base64URL.encode(signature), as: UTF8.self)
    }

    /// Returns the form that is posted to the ``TokenEndpoint``. The assertion is not escaped, because none
    /// of its characters needs escaping in a form.
    package static func body(assertion: String) -> [UInt8] {
        Array("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(assertion)".utf8)
    }
}
