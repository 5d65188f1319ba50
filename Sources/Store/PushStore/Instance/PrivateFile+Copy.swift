internal import Glibc
internal import PushSystem

/// Processes large files in pieces, so that a caller can end the work between two pieces.
extension PrivateFile {
    private static let pieceBytes = 1 << 20

    /// Opens a file for reading. Anything but a regular file is refused: opening a pipe would wait for its
    /// other end, without a limit and without reacting to signals.
    static func openFile(_ path: String) throws(Failure) -> Int32 {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw errno == ENOENT ? .missing : .system(SystemErrorText.of(errno)) }
        var facts = stat()
        guard unsafe fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw .notAFile
        }
        return descriptor
    }

    /// Passes the first `count` bytes of an open file to `body`, one piece at a time.
    /// - Parameter body: Returns `false` to end the call.
    /// - Returns: Whether `body` has received all bytes. The call throws if the file has fewer bytes.
    static func forEachPiece(
        of descriptor: Int32, count: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Bool
    ) throws(Failure) -> Bool {
        var piece = [UInt8](repeating: 0, count: min(pieceBytes, max(count, 1)))
        var done = 0
        while done < count {
            let wanted = min(piece.count, count - done)
            let got = unsafe piece.withUnsafeMutableBytes { buffer in
                unsafe pread(descriptor, buffer.baseAddress, wanted, off_t(done))
            }
            if got < 0 && errno == EINTR { continue }
            guard got >= 0 else { throw .system(SystemErrorText.of(errno)) }
            guard got > 0 else { throw .system("it became shorter while it was being read") }
            done += got
            let answer = unsafe piece.withUnsafeBytes { buffer in
                Result { () throws(Failure) in
                    unsafe try body(UnsafeRawBufferPointer(rebasing: buffer[..<got]))
                }
            }
            guard try answer.get() else { return false }
        }
        return true
    }

    static func write(_ bytes: [UInt8], to descriptor: Int32) throws(Failure) {
        let answer = unsafe bytes.withUnsafeBytes { buffer in
            Result { () throws(Failure) in unsafe try write(buffer, to: descriptor) }
        }
        try answer.get()
    }

    static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws(Failure) {
        var written = 0
        while written < bytes.count {
            let count = unsafe Glibc.write(
                descriptor, bytes.baseAddress.map { unsafe $0 + written }, bytes.count - written)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw .system(SystemErrorText.of(errno)) }
            written += count
        }
    }
}
