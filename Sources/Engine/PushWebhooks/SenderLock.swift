internal import CPushShims
internal import Glibc
internal import PushSystem

/// One sender for one instance: a lock file beside the instance's others. The kernel drops it with the
/// process.
final class SenderLock {
    private let descriptor: Int32

    /// nil: another process has it.
    /// - Throws: where the file cannot be had.
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
        var description: String { "cannot lock \(path): \(SystemErrorText.of(errorNumber))" }
    }
}
