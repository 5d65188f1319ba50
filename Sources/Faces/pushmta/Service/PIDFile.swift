internal import Glibc
internal import PushSystem

/// A file with the process id of the service, for scripts and service managers that look for one. The lock
/// determines which process serves; this file only records which process served when it was written.
final class PIDFile: Sendable {
    private let path: String

    /// Replaces an existing file, because the caller holds the lock.
    init(_ path: String) throws(CommandFailure) {
        let temporary = "\(path).\(getpid())"
        let file = unsafe open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard file >= 0 else { throw Self.failure(path) }
        let isWritten = DescriptorWriter.write(Array("\(getpid())\n".utf8), to: file)
        close(file)
        // Create the file completely or not at all, so that no reader sees half a number.
        guard isWritten, unsafe rename(temporary, path) == 0 else {
            let failure = Self.failure(path)
            unsafe _ = unlink(temporary)
            throw failure
        }
        self.path = path
    }

    deinit {
        // The file is removed only if it still contains this process's id, because another service may use
        // the name by now.
        if Self.process(in: path) == getpid() { unsafe _ = unlink(path) }
    }

    /// Returns the number in such a file; `nil` if there is none.
    static func process(in path: String) -> pid_t? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var buffer = [UInt8](repeating: 0, count: 32)
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
        guard count > 0 else { return nil }
        let text = String(decoding: buffer[..<count], as: UTF8.self)
        return pid_t(text.prefix { $0 != "\n" })
    }

    private static func failure(_ path: String) -> CommandFailure {
        .failed(
            "cannot write the pid file \(path): \(SystemErrorText.of(errno)); name another with --pid-file")
    }
}
