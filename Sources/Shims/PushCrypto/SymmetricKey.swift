internal import CCryptoShims

/// Secret bytes. They are overwritten when their last owner ends, and are never printed.
package struct SymmetricKey: Sendable, CustomStringConvertible {
    private let storage: SecretStorage

    package init(_ bytes: [UInt8]) {
        storage = unsafe SecretStorage(count: bytes.count) { unsafe $0.copyBytes(from: bytes) }
    }

    init(count: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Void) {
        storage = unsafe SecretStorage(count: count, fill)
    }

    package var count: Int { storage.count }

    package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result
    {
        try unsafe storage.withUnsafeBytes(body)
    }

    /// A text without the key.
    package var description: String { "a key of \(count) bytes" }
}

@safe
private final class SecretStorage: @unchecked Sendable {
    /// Written only during initialization.
    private let bytes: UnsafeMutableRawBufferPointer

    init(count: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Void) {
        unsafe bytes = .allocate(byteCount: count, alignment: 16)
        unsafe fill(bytes)
    }

    deinit {
        if let start = unsafe bytes.baseAddress { unsafe push_cleanse(start, bytes.count) }
        unsafe bytes.deallocate()
    }

    var count: Int { unsafe bytes.count }

    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try unsafe body(UnsafeRawBufferPointer(bytes))
    }
}

/// The system's random numbers, for secrets.
package enum SecureRandom {
    package static func bytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        // Each call of the generator is a system call.
        while bytes.count < count {
            let word = generator.next()
            for shift in stride(from: 0 as UInt64, to: 64, by: 8) where bytes.count < count {
                bytes.append(UInt8(truncatingIfNeeded: word >> shift))
            }
        }
        return bytes
    }
}

/// Stops the process if libcrypto failed. Call this only for operations that no input can cause to fail. Such
/// an operation fails only if memory is exhausted, and in that case Swift's own allocations stop the process,
/// too.
@inline(__always)
func require(_ succeeded: Bool, _ operation: StaticString) {
    precondition(succeeded, "libcrypto failed: \(operation)")
}
