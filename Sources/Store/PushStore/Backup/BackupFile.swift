internal import Glibc
internal import PushCrypto
internal import PushSystem

/// A file to be restored, opened before SQLite reads it. It is a regular file, with or without a
/// ``BackupSeal``.
final class BackupFile {
    private let descriptor: Int32
    /// The size of the database, without the seal.
    let byteCount: Int
    /// The seal; `nil` if the file is not a backup, or if its end is damaged or missing.
    let seal: BackupSeal?

    init(_ path: String) throws(PrivateFile.Failure) {
        descriptor = try PrivateFile.openFile(path)
        var facts = stat()
        let size = unsafe fstat(descriptor, &facts) == 0 ? Int(facts.st_size) : 0
        seal = Self.seal(descriptor, fileBytes: size)
        byteCount = seal == nil ? size : size - BackupSeal.byteCount
    }

    deinit { close(descriptor) }

    private static func seal(_ descriptor: Int32, fileBytes: Int) -> BackupSeal? {
        guard fileBytes > BackupSeal.byteCount else { return nil }
        var end = [UInt8](repeating: 0, count: BackupSeal.byteCount)
        let got = unsafe end.withUnsafeMutableBytes { buffer in
            unsafe pread(descriptor, buffer.baseAddress, buffer.count, off_t(fileBytes - buffer.count))
        }
        return got == end.count ? BackupSeal(end) : nil
    }

    enum Check { case matches, differs, ended }

    /// Compares the database with its seal. A file without a seal matches.
    /// - Parameters:
    ///   - copy: A file to which the whole database is written during the check; `nil` for none.
    ///   - proceed: Called after each piece with the number of bytes read so far. Returns `false` to end the
    ///     check.
    func check(copyingTo copy: String? = nil, _ proceed: (Int) -> Bool) throws(PrivateFile.Failure) -> Check {
        var target: Int32?
        if let copy {
            let opened = unsafe open(copy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard opened >= 0 else { throw .system(SystemErrorText.of(errno)) }
            target = opened
        }
        defer { if let target { close(target) } }
        var hash = SHA256()
        var done = 0
        let isWhole = unsafe try PrivateFile.forEachPiece(of: descriptor, count: byteCount) {
            piece throws(PrivateFile.Failure) in
            unsafe hash.update(piece)
            if let target { unsafe try PrivateFile.write(piece, to: target) }
            done += piece.count
            return proceed(done)
        }
        guard isWhole else { return .ended }
        return seal == nil || seal == BackupSeal(of: hash) ? .matches : .differs
    }

    /// Appends the seal to a database.
    /// - Parameter proceed: Called after each piece with the number of bytes read so far. Returns `false` to
    ///   end the call.
    /// - Returns: Whether the seal was appended.
    static func seal(_ path: String, _ proceed: (Int) -> Bool) throws(PrivateFile.Failure) -> Bool {
        let descriptor = unsafe open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(SystemErrorText.of(errno)) }
        defer { close(descriptor) }
        var hash = SHA256()
        var done = 0
        let isWhole = unsafe try PrivateFile.forEachPiece(of: descriptor, count: PrivateFile.size(of: path)) {
            piece throws(PrivateFile.Failure) in
            unsafe hash.update(piece)
            done += piece.count
            return proceed(done)
        }
        guard isWhole else { return false }
        guard lseek(descriptor, 0, SEEK_END) >= 0 else { throw .system(SystemErrorText.of(errno)) }
        try PrivateFile.write(BackupSeal(of: hash).bytes, to: descriptor)
        return true
    }
}
