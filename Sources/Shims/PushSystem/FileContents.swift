internal import Glibc

/// Reads small files that are named in settings. Each file is read as a whole.
package enum FileContents {
    /// The reason, which completes "FILE cannot be read: …".
    package struct Unreadable: Error { package let why: String }

    private static let maxBytes = 4 << 20

    /// Returns the contents of the file, without anything beyond 4 MiB.
    package static func bytes(of path: String) throws(Unreadable) -> [UInt8] {
        // Non-blocking, because opening a named pipe would wait for a writer.
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw Unreadable(why: SystemErrorText.of(errno)) }
        defer { close(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while bytes.count < maxBytes {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
            if count == 0 { break }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Unreadable(why: SystemErrorText.of(errno)) }
            bytes += buffer[..<count]
        }
        return bytes
    }
}
