internal import Synchronization

/// The instance's key, once it was read and the mark in the store agreed with it. It stays what it is while
/// the process lives, whatever becomes of its file: a process that has its key can continue. To derive the
/// subkeys takes longer than to accept a delivery.
final class KeptKey: Sendable {
    private struct Kept {
        var path: String
        var key: InstanceKey
        /// The file as it was when it was looked at last; nil: it was not there.
        var version: FileVersion?
        /// What was wrong with it then; nil: nothing.
        var trouble: StoreError?
    }

    private let kept = Mutex<Kept?>(nil)

    /// - Parameter version: what the file was before it was read.
    func keep(_ key: InstanceKey, at path: String, _ version: FileVersion?) {
        kept.withLock { $0 = Kept(path: path, key: key, version: version, trouble: nil) }
    }

    /// - Returns: nil: none was read from there.
    func key(at path: String) -> InstanceKey? {
        kept.withLock { $0.flatMap { $0.path == path ? $0.key : nil } }
    }

    /// What is wrong with the file now; nil: nothing, or no key was read. The file is read only if it has
    /// changed since the last look.
    /// - Parameters:
    ///   - store: the store's name in errors.
    ///   - read: reads the key's file.
    func trouble(
        of store: String, _ read: (_ path: String) throws(StoreError) -> InstanceKey?
    ) -> StoreError? {
        guard let known = kept.withLock(\.self) else { return nil }
        let version = FileVersion(of: known.path)
        // A file that was never seen may have been made since.
        guard version != known.version || version == nil && known.trouble == nil else { return known.trouble }
        var trouble: StoreError?
        do throws(StoreError) {
            switch try read(known.path)?.mark {
            case nil: trouble = StoreError(.keyMissing(path: known.path), path: store)
            case known.key.mark: break
            default: trouble = StoreError(.keyForeign(path: known.path), path: store)
            }
        } catch {
            trouble = error
        }
        kept.withLock { [trouble] kept in
            kept?.version = version
            kept?.trouble = trouble
        }
        return trouble
    }
}
