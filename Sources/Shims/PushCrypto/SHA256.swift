internal import CCryptoShims

/// SHA-256 (FIPS 180-4) of bytes that are added one after another.
@safe
package struct SHA256: ~Copyable {
    package static let byteCount = 32

    private let context: OpaquePointer

    package init() {
        guard let new = unsafe push_sha256_new() else { preconditionFailure("libcrypto failed: SHA-256") }
        unsafe context = new
    }

    deinit { unsafe push_sha256_free(context) }

    package mutating func update(_ bytes: [UInt8]) {
        unsafe bytes.withUnsafeBytes { unsafe update($0) }
    }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        require(unsafe push_sha256_update(context, bytes.baseAddress, bytes.count), "SHA-256")
    }

    /// Returns the digest of all bytes added so far. More bytes may follow.
    package func digest() -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Self.byteCount)
        require(unsafe push_sha256_digest(context, &digest), "SHA-256")
        return digest
    }

    /// Returns the digest of the bytes.
    package static func digest(of bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: byteCount)
        require(unsafe push_sha256_of(bytes, bytes.count, &digest), "SHA-256")
        return digest
    }
}
