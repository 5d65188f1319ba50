internal import CCryptoShims

/// AES-GCM (NIST SP 800-38D) with a key of 16 or 32 bytes. A box contains the nonce (12 bytes), the
/// ciphertext and the tag (16 bytes), in this order.
package enum AESGCM {
    package enum OpeningError: Error, Equatable, CustomStringConvertible {
        /// The box is too short for a nonce and a tag.
        case truncated
        /// The box was changed, or was sealed with another key or for other associated data.
        case notAuthentic

        package var description: String {
            switch self {
            case .truncated: "the encrypted value is truncated"
            case .notAuthentic:
                "the encrypted value is damaged, was encrypted with another key, or is from another row"
            }
        }
    }

    private static let nonceBytes = PUSH_GCM_NONCE
    private static let overhead = PUSH_GCM_NONCE + PUSH_GCM_TAG

    /// Encrypts the bytes with a random nonce.
    /// - Parameter associated: Data that is not in the box and must be the same when the box is opened.
    package static func seal(_ bytes: [UInt8], using key: SymmetricKey, associated: [UInt8]) -> [UInt8] {
        checkSize(of: key)
        var box = SecureRandom.bytes(nonceBytes)
        box += [UInt8](repeating: 0, count: overhead - nonceBytes + bytes.count)
        unsafe key.withUnsafeBytes { key in
            guard let start = key.baseAddress else { return }
            require(
                unsafe push_gcm_seal(
                    start, key.count, associated, associated.count, bytes, bytes.count, &box), "AES-GCM")
        }
        return box
    }

    package static func open(
        _ box: [UInt8], using key: SymmetricKey, associated: [UInt8]
    ) throws(OpeningError) -> [UInt8] {
        checkSize(of: key)
        guard box.count >= overhead else { throw .truncated }
        var bytes = [UInt8](repeating: 0, count: box.count - overhead)
        let isAuthentic = unsafe key.withUnsafeBytes { key in
            guard let start = key.baseAddress else { return false }
            return unsafe push_gcm_open(
                start, key.count, associated, associated.count, box, &bytes, bytes.count)
        }
        guard isAuthentic else { throw .notAuthentic }
        return bytes
    }

    private static func checkSize(of key: SymmetricKey) {
        precondition(key.count == 16 || key.count == 32, "an AES key has 16 or 32 bytes")
    }
}
