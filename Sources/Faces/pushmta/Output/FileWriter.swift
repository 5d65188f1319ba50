internal import Glibc
internal import PushSystem

/// Writes bytes to a file or to standard output, in large writes.
///
/// **Failures.** ``CommandFailure``. A caller that does not call ``finish()`` does not know whether the last
/// bytes were written.
struct FileWriter: ~Copyable {
    private let descriptor: Int32
    private let name: String
    private var buffer: [UInt8] = []
    private static let writeBytes = 1 << 16

    /// Writes to standard output.
    init() {
        descriptor = STDOUT_FILENO
        name = StandardOutput.name
    }

    /// Writes to a file that is open for writing. The file is closed together with this value.
    init(descriptor: Int32, name: String) {
        self.descriptor = descriptor
        self.name = name
    }

    deinit {
        if descriptor != STDOUT_FILENO, descriptor >= 0 { close(descriptor) }
    }

    /// Writes the bytes that `fill` appends.
    mutating func append(_ fill: (inout [UInt8]) -> Void) throws(CommandFailure) {
        fill(&buffer)
        if buffer.count >= Self.writeBytes { try flush() }
    }

    mutating func append(_ text: String) throws(CommandFailure) {
        try append { $0.append(contentsOf: text.utf8) }
    }

    mutating func finish() throws(CommandFailure) { try flush() }

    private mutating func flush() throws(CommandFailure) {
        try Self.writeAll(buffer, to: descriptor, name: name)
        buffer.removeAll(keepingCapacity: true)
    }

    static func writeAll(_ bytes: [UInt8], to descriptor: Int32, name: String) throws(CommandFailure) {
        var written = 0
        while written < bytes.count {
            // Unsafe because write(2) takes a pointer; the access stays within the array's own bytes.
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.write(
                    descriptor, buffer.baseAddress.map { unsafe $0 + written }, buffer.count - written)
            }
            if count >= 0 {
                written += count
            } else if errno == EAGAIN {
                // The caller passed a non-blocking terminal or pipe: wait until it accepts more.
                var item = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                unsafe _ = poll(&item, 1, -1)
            } else if errno != EINTR {
                throw .failed("cannot write to \(name): \(SystemErrorText.of(errno))")
            }
        }
    }
}
