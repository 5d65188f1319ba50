internal import CCryptoShims

/// HMAC (RFC 2104) with SHA-256.
package enum HMACSHA256 {
    /// Returns the code, which has 32 bytes.
    package static func code(for bytes: [UInt8], using key: SymmetricKey) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: SHA256.byteCount)
        unsafe key.withUnsafeBytes { key in
            require(
                unsafe push_hmac_sha256(key.baseAddress, key.count, bytes, bytes.count, &code),
                "HMAC")
        }
        return code
    }
}

/// HKDF (RFC 5869) with SHA-256.
package enum HKDFSHA256 {
    /// Derives a key.
    /// - Parameters:
    ///   - info: The purpose, which distinguishes the key from others that are derived from the same one.
    ///   - count: The size of the derived key in bytes, from 1 to 8160.
    package static func key(
        from key: SymmetricKey, salt: [UInt8] = [], info: [UInt8], count: Int
    ) -> SymmetricKey {
        precondition((1...255 * SHA256.byteCount).contains(count), "HKDF derives 1 to 8160 bytes")
        return unsafe SymmetricKey(count: count) { derived in
            guard let start = derived.baseAddress else { return }
            unsafe key.withUnsafeBytes { key in
                require(
                    unsafe push_hkdf_sha256(
                        key.baseAddress, key.count, salt, salt.count, info, info.count, start, derived.count),
                    "HKDF")
            }
        }
    }
}
