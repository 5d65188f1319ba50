internal import Glibc
internal import PushModel
internal import PushSystem

/// A log file to which lines are appended. When it is full, it becomes `FILE.1`, the previous `FILE.1`
/// becomes `FILE.2`, and so on; the oldest file is deleted. The files have mode 0600.
///
/// The log follows its name: if another program moves, replaces or deletes the file, as logrotate does,
/// further lines are written to the file that then has the name. If no file has the name, a new file is
/// created. The switch happens with the next line, or immediately if ``reopen()`` is called.
///
/// **Failures.** Lines that cannot be written are lost. The next line tries the file again.
package struct RotatingFile: ~Copyable {
    package static let usualBytes = 64 << 20
    package static let usualCount = 5

    private let path: String
    private let maximumBytes: Int
    private let count: Int
    private var descriptor: Int32
    private var bytes: Int
    /// The time when the name was first found to be missing while the file itself still exists.
    private var movedAt: MonotonicTime?
    /// The time, in milliseconds, for which lines are still appended to a moved file. The program that moved
    /// it creates the next file a moment later (logrotate's `create`), and would move aside a file that
    /// already exists by that time.
    private static let millisecondsUntilNewFile: Int64 = 1_000

    /// - Parameters:
    ///   - maximumBytes: The maximum size of one file. A longer line gets its own file.
    ///   - count: The number of earlier files that are kept.
    /// - Throws: An error if the file cannot be opened.
    package init(
        path: String, maximumBytes: Int = Self.usualBytes, count: Int = Self.usualCount
    ) throws(LogFileError) {
        self.path = path
        self.maximumBytes = maximumBytes
        self.count = count
        (descriptor, bytes) = Self.open(path)
        if descriptor < 0 { throw LogFileError(path: path, errorNumber: errno) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Writes whole lines. - Returns: `false` if the lines are lost.
    package mutating func write(_ lines: [UInt8]) -> Bool {
        followName()
        if bytes > 0, bytes + lines.count > maximumBytes { rotate() }
        if descriptor < 0 { (descriptor, bytes) = Self.open(path) }
        guard descriptor >= 0 else { return false }
        guard DescriptorWriter.write(lines, to: descriptor) else { return false }
        bytes += lines.count
        return true
    }

    /// Continues with the file that currently has the name. If that file cannot be opened, the old one is
    /// kept.
    package mutating func reopen() {
        let (next, size) = Self.open(path)
        guard next >= 0 else { return }
        if descriptor >= 0 { close(descriptor) }
        (descriptor, bytes, movedAt) = (next, size, nil)
    }

    private mutating func followName() {
        var (own, named) = (stat(), stat())
        guard descriptor >= 0, unsafe fstat(descriptor, &own) == 0 else { return }
        if unsafe stat(path, &named) == 0 {
            if named.st_dev != own.st_dev || named.st_ino != own.st_ino { reopen() }
            movedAt = nil
        } else if errno == ENOENT {
            let now = Clocks.monotonic()
            let moved = movedAt ?? now
            movedAt = moved
            // If the file has no name left, no reader could find further lines, so a new file is created
            // immediately.
            if own.st_nlink == 0 || now.milliseconds(since: moved) >= Self.millisecondsUntilNewFile {
                reopen()
            }
        }
    }

    private mutating func rotate() {
        for number in stride(from: count, to: 1, by: -1) {
            unsafe _ = rename("\(path).\(number - 1)", "\(path).\(number)")
        }
        if count > 0 { unsafe _ = rename(path, "\(path).1") } else { unsafe _ = unlink(path) }
        close(descriptor)
        (descriptor, bytes) = Self.open(path)
    }

    private static func open(_ path: String) -> (descriptor: Int32, bytes: Int) {
        // Opening a named pipe would wait for a reader, but a named pipe is not one of this log's files.
        let file = unsafe Glibc.open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0o600)
        guard file >= 0 else { return (-1, 0) }
        var facts = stat()
        return unsafe (file, fstat(file, &facts) == 0 ? Int(facts.st_size) : 0)
    }
}

/// The reason why a log file cannot be opened.
package struct LogFileError: Error, CustomStringConvertible {
    package var path: String
    package var errorNumber: Int32

    package var description: String {
        "cannot write the log file \(path): \(SystemErrorText.of(errorNumber)); name another with --log-file"
    }
}

/// Writes all bytes, and waits for as long as the reader does not accept them.
enum DescriptorWriter {
    /// - Returns: `false` if the bytes cannot be written because the reader has disappeared or the disk is
    ///   full.
    static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var written = 0
        while written < bytes.count {
            // Unsafe because write(2) takes a pointer; the access stays within the array's own bytes.
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.write(
                    descriptor, buffer.baseAddress.map { unsafe $0 + written }, buffer.count - written)
            }
            if count > 0 {
                written += count
            } else if errno == EAGAIN {
                var item = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                unsafe _ = poll(&item, 1, -1)
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }
}
