internal import Glibc
internal import PushSystem

/// A temporary folder for writing a file that must appear completely or not at all. The folder is next to the
/// path of that file. It is deleted when this object is freed.
final class BackupDraft {
    /// Accessible only to the owner.
    let folder: String
    private let path: String
    private let place: String

    /// - Parameters:
    ///   - path: The path at which the file will appear.
    ///   - place: The store's name, as used in errors.
    init(nextTo path: String, place: String) throws(StoreError) {
        self.path = path
        self.place = place
        folder = "\(path).\(String(UInt64.random(in: 0 ... .max), radix: 16))"
        guard unsafe mkdir(folder, 0o700) == 0 else { throw Self.failure(path, place) }
    }

    deinit {
        if let entries = unsafe opendir(folder) {
            while let entry = unsafe readdir(entries) {
                let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                    unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
                }
                if name != ".", name != ".." { unsafe _ = unlink(folder + "/" + name) }
            }
            unsafe closedir(entries)
        }
        unsafe _ = rmdir(folder)
    }

    func file(_ name: String) -> String { folder + "/" + name }

    /// Syncs a file in the folder to disk, then moves it to its destination.
    func place(_ name: String, at path: String) throws(StoreError) {
        let file = file(name)
        let descriptor = unsafe open(file, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure(path, place) }
        let isSynced = fchmod(descriptor, 0o600) == 0 && fsync(descriptor) == 0
        let error = errno
        close(descriptor)
        errno = error
        guard isSynced, unsafe rename(file, path) == 0 else { throw Self.failure(path, place) }
        do throws(PrivateFile.Failure) { try PrivateFile.syncFolder(of: path) } catch {
            throw Self.failure(path, place)
        }
    }

    /// Returns the error of the last system call.
    private static func failure(_ path: String, _ place: String) -> StoreError {
        let cause: StoreError.Cause =
            errno == ENOSPC || errno == EDQUOT
            ? .noSpace(path: path) : .file(path: path, why: SystemErrorText.of(errno))
        return StoreError(cause, path: place)
    }
}
