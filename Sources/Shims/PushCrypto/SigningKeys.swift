internal import CCryptoShims

/// The reason why a private key cannot be used.
package enum SigningKeyError: Error, Equatable, CustomStringConvertible {
    case unreadable, encrypted, wrongKind, wrongSize
    case signingFailed

    package var description: String {
        switch self {
        case .unreadable: "the text is not a valid private key in PEM"
        case .encrypted: "the private key is protected by a password"
        case .wrongKind: "the private key is of another type, or on another curve"
        case .wrongSize: "the private key is too short or too long"
        case .signingFailed: "signing with the private key failed"
        }
    }

    fileprivate init?(_ status: push_key_status) {
        switch status {
        case PUSH_KEY_OK: return nil
        case PUSH_KEY_ENCRYPTED: self = .encrypted
        case PUSH_KEY_WRONG_KIND: self = .wrongKind
        case PUSH_KEY_WRONG_SIZE: self = .wrongSize
        default: self = .unreadable
        }
    }
}

/// A private key on the curve P-256, for ECDSA with SHA-256 (FIPS 186-4).
@safe
package final class ECDSAP256Key: @unchecked Sendable {
    package static let signatureBytes = 64

    /// The key is never changed, and any thread may use it.
    private let key: OpaquePointer

    /// Reads the first private key of a PEM text, in PKCS #8 or SEC 1.
    package init(pem: String) throws(SigningKeyError) {
        unsafe key = try readKey(pem) { unsafe push_key_read_p256($0, $1, &$2) }
    }

    deinit { unsafe push_key_free(key) }

    /// Returns the signature in the form of RFC 7518 §3.4: R and S, 32 bytes each.
    package func signature(of bytes: [UInt8]) throws(SigningKeyError) -> [UInt8] {
        var signature = [UInt8](repeating: 0, count: Self.signatureBytes)
        guard unsafe push_key_sign_p256(key, bytes, bytes.count, &signature) else { throw .signingFailed }
        return signature
    }
}

/// A private RSA key of at least 2048 bits, for RSASSA-PKCS1-v1_5 with SHA-256 (RFC 8017).
@safe
package final class RSASigningKey: @unchecked Sendable {
    package static let leastBits = 2_048

    /// The key is never changed, and any thread may use it.
    private let key: OpaquePointer

    /// Reads the first private key of a PEM text, in PKCS #8 or PKCS #1.
    package init(pem: String) throws(SigningKeyError) {
        unsafe key = try readKey(pem) { unsafe push_key_read_rsa($0, $1, Int32(Self.leastBits), &$2) }
    }

    deinit { unsafe push_key_free(key) }

    /// Returns the signature, which is as long as the key.
    package func signature(of bytes: [UInt8]) throws(SigningKeyError) -> [UInt8] {
        var signature = [UInt8](repeating: 0, count: PUSH_RSA_MOST)
        let count = unsafe push_key_sign_rsa(key, bytes, bytes.count, &signature)
        guard count > 0 else { throw .signingFailed }
        return Array(signature.prefix(count))
    }
}

private func readKey(
    _ pem: String, _ read: (UnsafeRawPointer?, Int, inout OpaquePointer?) -> push_key_status
) throws(SigningKeyError) -> OpaquePointer {
    var pem = pem
    var key: OpaquePointer?
    let status = pem.withUTF8 { unsafe read($0.baseAddress, $0.count, &key) }
    if let error = SigningKeyError(status) { throw error }
    guard let key = unsafe key else { throw .unreadable }
    return unsafe key
}
