internal import PushCrypto

/// The 32 bytes from which all secrets of an instance are derived, and the subkeys derived from them.
///
/// The 32 bytes are stored in a file of mode 0600, by default `instance.key` next to the store. The first
/// command that needs the key creates the file. Use ``Store/instanceKey(at:)`` to obtain the key.
package struct InstanceKey: Sendable {
    static let byteCount = 32

    /// The key that seals credentials.
    let sealing: SymmetricKey
    /// The key that encrypts message ids.
    let ids: SymmetricKey
    /// The key that encrypts message ids that are integers, derived from ``ids``. Its bytes are stored as two
    /// little-endian words.
    let integerIDs: (UInt64, UInt64)
    /// The key with which marks of credentials are computed.
    private let marks: SymmetricKey
    /// A mark that distinguishes one key from another and reveals nothing else. The store keeps it to detect
    /// a foreign key.
    let mark: [UInt8]

    init(bytes: [UInt8]) {
        let root = SymmetricKey(bytes)
        sealing = Self.key("sealing", bytes: 32, from: root)
        ids = Self.key("ids", bytes: 16, from: root)
        let integers = Self.key("integer ids", bytes: 16, from: ids)
        integerIDs = unsafe integers.withUnsafeBytes { unsafe (Self.word($0, at: 0), Self.word($0, at: 8)) }
        marks = Self.key("credential marks", bytes: 32, from: root)
        mark = unsafe Self.key("mark", bytes: 16, from: root).withUnsafeBytes { unsafe Array($0) }
    }

    private static func key(_ purpose: String, bytes: Int, from key: SymmetricKey) -> SymmetricKey {
        HKDFSHA256.key(from: key, info: Array("PushMTA \(purpose)".utf8), count: bytes)
    }

    private static func word(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> UInt64 {
        UInt64(littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// Returns eight hexadecimal digits of an HMAC-SHA256 of a secret, which identify the secret without
    /// revealing it.
    func mark(of secret: [UInt8]) -> String {
        HMACSHA256.code(for: secret, using: marks).prefix(4)
            .map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    /// Returns the key in a file; `nil` if there is none.
    static func load(from keyPath: String, store path: String) throws(StoreError) -> InstanceKey? {
        try bytes(in: keyPath, store: path).map(InstanceKey.init(bytes:))
    }

    /// Returns the contents of a key's file; `nil` if there is none.
    static func bytes(in keyPath: String, store path: String) throws(StoreError) -> [UInt8]? {
        do throws(PrivateFile.Failure) {
            let bytes = try PrivateFile.read(keyPath, limit: byteCount + 1)
            guard bytes.count == byteCount else {
                throw .system("it does not have \(byteCount) bytes; restore it from a backup")
            }
            return bytes
        } catch {
            switch error {
            case .missing: return nil
            case .exposed: throw StoreError(.keyExposed(path: keyPath), path: path)
            case .notAFile:
                throw StoreError(.keyUnreadable(path: keyPath, why: error.words), path: path)
            case .system(let why):
                let why = FileOwnerHint.of(keyPath) ?? why
                throw StoreError(.keyUnreadable(path: keyPath, why: why), path: path)
            }
        }
    }

    /// Creates a key file. If another process is faster, that process's key is used.
    static func create(at keyPath: String, store path: String) throws(StoreError) -> InstanceKey {
        let bytes = SecureRandom.bytes(byteCount)
        do throws(PrivateFile.Failure) {
            try PrivateFile.createFolder(of: keyPath)
            if try PrivateFile.create(keyPath, containing: bytes) { return InstanceKey(bytes: bytes) }
        } catch {
            guard case .system(let why) = error else {
                throw StoreError(.keyMissing(path: keyPath), path: path)
            }
            throw StoreError(.keyUnreadable(path: keyPath, why: why), path: path)
        }
        guard let theirs = try load(from: keyPath, store: path) else {
            throw StoreError(.keyMissing(path: keyPath), path: path)
        }
        return theirs
    }
}
