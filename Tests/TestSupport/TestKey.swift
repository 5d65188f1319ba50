import CProbeShims
import CSinkShims

/// A new private key, and the verification of its signatures by code that is not the engine's.
@safe
package final class TestKey {
    package enum Kind: Sendable {
        case p256, p384, ed25519
        case rsa(bits: Int)
    }

    private let key: OpaquePointer

    package init(_ kind: Kind) {
        let made =
            switch kind {
            case .p256: unsafe push_sink_key_make_p256()
            case .p384: unsafe push_probe_key_make_curve("P-384")
            case .ed25519: unsafe push_sink_key_parse(Self.ed25519)
            case .rsa(let bits): unsafe push_probe_key_make_rsa(bits)
            }
        guard let made = unsafe made else { preconditionFailure("OpenSSL cannot make the key") }
        unsafe key = made
    }

    deinit { unsafe push_sink_key_free(key) }

    /// The first test key of RFC 8410 §10.3.
    private static let ed25519 = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC
        -----END PRIVATE KEY-----

        """

    /// The key in PKCS #8.
    package var pem: String { unsafe text { unsafe push_sink_key_text(key, $0, $1) } }
    /// The key in SEC 1 or PKCS #1.
    package var traditionalPEM: String { unsafe text { unsafe push_probe_key_text(key, nil, $0, $1) } }
    /// The key in PKCS #8, protected by a password.
    package var encryptedPEM: String { unsafe text { unsafe push_probe_key_text(key, "secret", $0, $1) } }

    private func text(_ write: (UnsafeMutablePointer<CChar>, Int) -> Int) -> String {
        var text = [CChar](repeating: 0, count: 16_384)
        let count = unsafe write(&text, text.count)
        precondition(count > 0, "OpenSSL cannot write the key")
        return String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private var isRSA: Bool { traditionalPEM.hasPrefix("-----BEGIN RSA") }

    /// The modulus and the exponent, or the coordinates.
    package var publicNumbers: (first: [UInt8], second: [UInt8]) {
        (number(isSecond: false), number(isSecond: true))
    }

    private func number(isSecond: Bool) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 2_048)
        let count = unsafe push_probe_key_number(UnsafeRawPointer(key), isSecond, &bytes, bytes.count)
        precondition(count > 0, "OpenSSL cannot write the public key")
        return Array(bytes.prefix(count))
    }

    /// Returns the signature as RFC 7518 defines it: RS256 for an RSA key, otherwise ES256.
    package func signature(of bytes: [UInt8]) -> [UInt8] {
        var signature = [UInt8](repeating: 0, count: 2_048)
        let count =
            isRSA
            ? unsafe push_probe_sign_rs256(
                UnsafeRawPointer(key), bytes, bytes.count, &signature, signature.count)
            : unsafe push_probe_sign_es256(UnsafeRawPointer(key), bytes, bytes.count, &signature) ? 64 : 0
        precondition(count > 0, "OpenSSL cannot sign")
        return Array(signature.prefix(count))
    }

    /// The public part as a JSON Web Key (RFC 7517).
    /// - Parameter more: Further members, as JSON.
    package func webKey(_ id: String, more: String = "") -> String {
        let (first, second) = publicNumbers
        let names = isRSA ? ("n", "e") : ("x", "y")
        let kind = isRSA ? #""kty":"RSA""# : #""kty":"EC","crv":"P-256""#
        return """
            {\(kind),"kid":"\(id)","use":"sig","\(names.0)":"\(WebToken.text(first))",\
            "\(names.1)":"\(WebToken.text(second))"\(more)}
            """
    }

    /// Reports whether the signature is the key's, as RFC 7518 §3.4 defines it.
    package func verifiesES256(_ signature: [UInt8], of bytes: [UInt8]) -> Bool {
        guard signature.count == 64 else { return false }
        return unsafe push_sink_key_verifies_es256(key, bytes, bytes.count, signature)
    }

    /// Reports whether the signature is the key's, as RFC 7518 §3.3 defines it.
    package func verifiesRS256(_ signature: [UInt8], of bytes: [UInt8]) -> Bool {
        unsafe push_sink_key_verifies_rs256(key, bytes, bytes.count, signature, signature.count)
    }
}
