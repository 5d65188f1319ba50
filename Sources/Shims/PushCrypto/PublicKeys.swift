internal import CCryptoShims

/// A public key of another party, which verifies signatures with SHA-256.
package enum PublicKey: Equatable, Sendable {
    /// For RSASSA-PKCS1-v1_5 (RFC 7518 §3.3), with the modulus and the exponent as big-endian numbers.
    case rsa(modulus: [UInt8], exponent: [UInt8])
    /// For ECDSA on the curve P-256 (RFC 7518 §3.4), with coordinates of ``coordinateBytes``.
    case p256(x: [UInt8], y: [UInt8])

    package static let coordinateBytes = 32

    /// Reports whether the bytes were signed with the private part of the key. It is false for each key that
    /// is not sound: an RSA key must have 2048 to 8192 bits and an odd exponent of at most 64 bits that is at
    /// least 3, and a point must be on its curve.
    package func verifies(_ signature: [UInt8], of bytes: [UInt8]) -> Bool {
        switch self {
        case .rsa(let modulus, let exponent):
            return unsafe push_verify_rs256(
                modulus, modulus.count, exponent, exponent.count, bytes, bytes.count, signature,
                signature.count)
        case .p256(let x, let y):
            guard x.count == Self.coordinateBytes, y.count == Self.coordinateBytes,
                signature.count == ECDSAP256Key.signatureBytes
            else { return false }
            return unsafe push_verify_es256(x, y, bytes, bytes.count, signature)
        }
    }
}
