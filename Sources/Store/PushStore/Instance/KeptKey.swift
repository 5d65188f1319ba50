internal import Synchronization

/// The instance's key, after it was read and found to match the mark in the store. The kept key does not
/// change while the process lives, whatever happens to the key's file, so the process can continue. The
/// subkeys are kept as well, because deriving them takes longer than accepting a delivery.
final class KeptKey: Sendable {
    private struct Kept {
        var path: String
        var key: InstanceKey
        /// The version of the file at the last look; `nil` if it did not exist.
        var version: FileVersion?
        /// The problem with the file at that time; `nil` if there was none.
        var failure: StoreError?
    }

    private let kept = Mutex<Kept?>(nil)

    /// - Parameter version: The version of the file before it was read.
    func keep(_ key: InstanceKey, at path: String, _ version: FileVersion?) {
        kept.withLock { $0 = Kept(path: path, key: key, version: version, failure: nil) }
    }

    /// - Returns: `nil` if no key was read from this path.
    func key(at path: String) -> InstanceKey? {
        kept.withLock { $0.flatMap { $0.path == path ? $0.key : nil } }
    }

    /// Returns the current problem with the file; `nil` if there is none, or if no key was read. The file is
    /// read only if it has changed since the last look.
    /// - Parameters:
    ///   - store: The store's name in errors.
    ///   - read: Reads the key's file.
    func failure(
        of store: String, _ read: (_ path: String) throws(StoreError) -> InstanceKey?
    ) -> StoreError? {
        guard let known = kept.withLock(\.self) else { return nil }
        let version = FileVersion(of: known.path)
        // The known version is `nil` if the file was created only after its version had been determined. If
        // the file is absent now, it has been removed since, which is a new problem.
        guard version != known.version || version == nil && known.failure == nil else { return known.failure }
        var failure: StoreError?
        do throws(StoreError) {
            switch try read(known.path)?.mark {
            case nil: failure = StoreError(.keyMissing(path: known.path), path: store)
            case known.key.mark: break
            default: failure = StoreError(.keyForeign(path: known.path), path: store)
            }
        } catch {
            failure = error
        }
        kept.withLock { [failure] kept in
            kept?.version = version
            kept?.failure = failure
        }
        return failure
    }
}
