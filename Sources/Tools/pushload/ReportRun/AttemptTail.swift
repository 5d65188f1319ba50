internal import Glibc

/// Reads the engine's delivery log while it grows, and continues with the new file after the log is rotated.
final class AttemptTail {
    /// The number of bytes to read in one call, limited so that samples are taken on time.
    private static let maxPieceBytes = 1 << 20
    private let path: String
    /// The descriptor of the open file; negative if no file is open. The file may have been renamed since it
    /// was opened.
    private var descriptor: Int32 = -1
    private var rest: [UInt8] = []
    private var chunk = [UInt8](repeating: 0, count: 1 << 20)

    init(_ path: String) { self.path = path }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Calls `body` for each attempt whose line is complete and has not been read yet. One call reads about
    /// one mebibyte of the log at most.
    /// - Returns: Whether the log contained new bytes.
    func read(_ body: (AttemptLine) -> Void) -> Bool {
        if descriptor < 0 { descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC) }
        guard descriptor >= 0 else { return false }
        var total = 0
        while total < Self.maxPieceBytes {
            let count = unsafe Glibc.read(descriptor, &chunk, chunk.count)
            guard count > 0 else { break }
            total += count
            take(chunk[..<count], body)
        }
        if total == 0, wasReplaced {
            close(descriptor)
            (descriptor, rest) = (-1, [])
        }
        return total > 0
    }

    private func take(_ bytes: ArraySlice<UInt8>, _ body: (AttemptLine) -> Void) {
        rest += bytes
        var start = 0
        while let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
            if let line = AttemptLine(rest[start..<end]) { body(line) }
            start = end + 1
        }
        rest.removeFirst(start)
    }

    /// Whether another file now has the name of the open file.
    private var wasReplaced: Bool {
        var (own, named) = (stat(), stat())
        guard unsafe fstat(descriptor, &own) == 0, unsafe stat(path, &named) == 0 else { return false }
        return own.st_ino != named.st_ino
    }
}
