internal import Synchronization

/// The instance's key as it was read last, and the mark in the store agreed with it: valid while its file is
/// the same. A delivery's acceptance asks for it, and to derive its subkeys takes longer than to check the
/// order.
final class KeptKey: Sendable {
    private let kept = Mutex<(path: String, version: FileVersion, key: InstanceKey)?>(nil)

    func key(at path: String, _ version: FileVersion?) -> InstanceKey? {
        kept.withLock { kept in
            guard let kept, kept.path == path, kept.version == version else { return nil }
            return kept.key
        }
    }

    /// - Parameter version: what the file was before it was read.
    func keep(_ key: InstanceKey, at path: String, _ version: FileVersion?) {
        guard let version else { return }
        kept.withLock { $0 = (path, version, key) }
    }
}
