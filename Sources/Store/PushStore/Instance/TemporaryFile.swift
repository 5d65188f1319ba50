internal import Glibc
internal import PushSystem

/// A file without a name. The system deletes the file at the latest when the process ends, for whatever
/// reason. Only the file's owner may read it.
final class TemporaryFile: Sendable {
    private let descriptor: Int32
    /// The name used in errors.
    private let path: String

    /// - Parameter folder: A folder with enough room for the file.
    init(in folder: String, for purpose: String) throws(StoreError) {
        path = "\(folder)/\(purpose).tmp"
        let name = "\(path).\(getpid()).\(UInt64.random(in: 0 ... .max))"
        descriptor = unsafe open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure() }
        unsafe _ = unlink(name)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    func write(_ bytes: RawSpan, at offset: Int) throws(StoreError) {
        var written = 0
        while written < bytes.byteCount {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe pwrite(
                    descriptor, $0.baseAddress.map { unsafe $0 + written }, $0.count - written,
                    offset + written)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure() }
            written += count
        }
    }

    /// Fills the array with the values that were written at this offset. Unsafe, because the bytes are
    /// interpreted as values of this type and must have been written as such.
    @unsafe
    func read<Value: BitwiseCopyable>(into values: inout [Value], at offset: Int) throws(StoreError) {
        var filled = 0
        let size = values.count * MemoryLayout<Value>.stride
        while filled < size {
            let count = unsafe values.withUnsafeMutableBytes {
                unsafe pread(
                    descriptor, $0.baseAddress.map { unsafe $0 + filled }, size - filled, offset + filled)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure(count == 0 ? EIO : errno) }
            filled += count
        }
    }

    private func failure(_ error: Int32 = errno) -> StoreError {
        let cause: StoreError.Cause =
            error == ENOSPC || error == EDQUOT
            ? .noSpace(path: path) : .file(path: path, why: SystemErrorText.of(error))
        return StoreError(cause, path: path)
    }
}
