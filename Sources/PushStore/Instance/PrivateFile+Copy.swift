internal import Glibc
internal import PushSystem

extension PrivateFile {
    private static let copiedAtOnce = 1 << 20

    /// Copies a file's bytes to a new one of mode 0600, which need not be on disk afterwards.
    /// - Parameter proceed: called with what was copied, and all; false ends it there.
    /// - Returns: whether it came to its end.
    static func copy(
        _ source: String, to destination: String, _ proceed: (_ bytes: Int, _ total: Int) -> Bool
    ) throws(Failure) -> Bool {
        let from = unsafe open(source, O_RDONLY | O_CLOEXEC)
        guard from >= 0 else { throw errno == ENOENT ? .missing : .system(SystemErrorText.of(errno)) }
        defer { close(from) }
        let to = unsafe open(destination, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard to >= 0 else { throw .system(SystemErrorText.of(errno)) }
        defer { close(to) }
        let total = size(of: source)
        var bytes = 0
        while true {
            let count = copySome(from, to)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw .system(SystemErrorText.of(errno)) }
            bytes += count
            guard proceed(bytes, max(total, bytes)) else { return false }
            if count == 0 { return true }
        }
    }

    /// sendfile(2) copies between any two files of this machine.
    private static func copySome(_ from: Int32, _ to: Int32) -> Int {
        sendfile(to, from, nil, copiedAtOnce)
    }
}
