internal import CPushShims
internal import Glibc
internal import PushSystem

/// Ensures that an instance has only one webhook sender by locking a file next to the instance's other files.
/// The kernel releases the lock when the process ends.
final class SenderLock {
    private let descriptor: Int32

    /// Returns `nil` if another process has the lock.
    /// - Throws: An error if the file cannot be opened or locked.
    init?(instancePath: String) throws {
        let path = instancePath + ".webhooks"
        descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure(path: path, errorNumber: errno) }
        let error = push_flock(descriptor, LOCK_EX | LOCK_NB)
        if error == 0 { return }
        if error == EWOULDBLOCK { return nil }
        throw Failure(path: path, errorNumber: error)
    }

    deinit { close(descriptor) }

    struct Failure: Error, CustomStringConvertible {
        let path: String
        let errorNumber: Int32
        var description: String {
            """
            cannot lock \(path): \(SystemErrorText.of(errorNumber)); check the owner and the permissions \
            of the file and its folder
            """
        }
    }
}
