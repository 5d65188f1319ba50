package import PushModel
internal import PushWire

/// A request for an access token by a signed assertion (RFC 7523 §2.1; Google, "Using OAuth 2.0 for server to
/// server applications"): a JSON web token that the service account's key signs with `RS256`, in a form.
/// Signing is not done here.
package enum OAuthRequest {
    /// What a message's sender may do.
    package static let scope = "https://www.googleapis.com/auth/firebase.messaging"
    /// The longest that Google takes.
    package static let assertionSeconds: Int64 = 3_600
    package static let contentType = "application/x-www-form-urlencoded"

    /// What the key signs: header and claims, each in base64url, with a dot between.
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

    /// The assertion; nil where the signature cannot be one of RSA with 2048 to 8192 bits (RFC 7518 §3.3: no
    /// fewer).
    package static func assertion(signingInput: [UInt8], signature: [UInt8]) -> String? {
        guard (256...1_024).contains(signature.count) else { return nil }
        return String(
            decoding: signingInput + [UInt8(ascii: ".")] + Base64URL.encode(signature), as: UTF8.self)
    }

    /// The form that is posted to the ``TokenEndpoint``. An assertion's characters need no escape in it.
    package static func body(assertion: String) -> [UInt8] {
        Array("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(assertion)".utf8)
    }
}
