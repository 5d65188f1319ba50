internal import FoundationEssentials
internal import Glibc

/// Reads and writes small files as a whole.
package enum Files {
    package static func read(_ path: String) throws(SinkError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(path) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            guard count >= 0 else { throw unreadable(path) }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
        }
    }

    /// Returns the text of a file, which must be UTF-8.
    package static func text(_ path: String) throws(SinkError) -> String {
        guard let text = String(validating: try read(path), as: UTF8.self) else {
            throw SinkError("cannot read \(path): not UTF-8 text")
        }
        return text
    }

    /// Replaces the file atomically, so that a reader sees the old or the new content, never a part of it.
    package static func replace(_ path: String, with bytes: [UInt8], mode: UInt32 = 0o644) throws(SinkError) {
        let draft = path + ".new"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw unwritable(path) }
        guard write(bytes, to: descriptor) else {
            defer { close(descriptor) }
            throw unwritable(path)
        }
        guard close(descriptor) == 0, rename(draft, path) == 0 else { throw unwritable(path) }
    }

    /// Writes all of the bytes. Returns false on failure, with the reason in errno.
    static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress! + sent, $0.count - sent)
            }
            guard count >= 0 || errno == EINTR else { return false }
            sent += max(0, count)
        }
        return true
    }

    /// The properties that distinguish a file from an earlier file at the same path.
    package struct Version: Equatable {
        let device: UInt64, node: UInt64, size: Int, seconds: Int, nanoseconds: Int
    }

    /// Returns the version of a file; `nil` if it does not exist.
    package static func version(of path: String) -> Version? {
        var found = Glibc.stat()
        guard stat(path, &found) == 0 else { return nil }
        return Version(
            device: UInt64(found.st_dev), node: UInt64(found.st_ino), size: Int(found.st_size),
            seconds: found.st_mtim.tv_sec, nanoseconds: found.st_mtim.tv_nsec)
    }

    package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Returns the names in a directory; none if it cannot be read.
    package static func names(in directory: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted()
    }

    /// Creates the directory, with private access, if it does not exist.
    package static func makeDirectory(_ path: String) throws(SinkError) {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw unwritable(path) }
    }

    package static func remove(_ path: String) throws(SinkError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw unwritable(path) }
    }

    /// Creates a private directory for temporary files.
    package static func makeTemporaryDirectory() throws(SinkError) -> String {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/pushsink.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw unwritable(parent) }
        return template.cText
    }

    /// Removes a directory as far as possible.
    package static func removeDirectory(_ path: String) { try? FileManager.default.removeItem(atPath: path) }

    private static func unreadable(_ path: String) -> SinkError {
        SinkError("cannot read \(path): \(SinkError.systemText)")
    }

    static func unwritable(_ path: String) -> SinkError {
        SinkError("cannot write \(path): \(SinkError.systemText)")
    }
}

/// The two streams of a command: results on standard output and complaints on standard error, both
/// immediately and unbuffered.
enum Terminal {
    static func say(_ text: String) { put(text, to: 1) }
    static func complain(_ text: String) { put("pushsink: \(text)", to: 2) }

    /// Performs an operation whose failure is not fatal. On failure it prints a complaint and returns `nil`.
    @discardableResult
    static func complaining<Result>(_ body: () throws(SinkError) -> Result) -> Result? {
        do throws(SinkError) { return try body() } catch {
            complain(error.description)
            return nil
        }
    }

    private static func put(_ text: String, to descriptor: Int32) {
        _ = Files.write(Array((text + "\n").utf8), to: descriptor)
    }
}

/// The content of a JSON file.
package protocol JSONFile: Codable {}

extension JSONFile {
    /// Returns `nil` if the bytes do not have the form of this type.
    package init?(json: [UInt8]) {
        guard let value = try? JSONDecoder().decode(Self.self, from: Data(json)) else { return nil }
        self = value
    }

    package var json: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return Array((try? encoder.encode(self)) ?? Data()) + [UInt8(ascii: "\n")]
    }
}

/// An error that stops the sink. Its text is one line and contains advice for the user.
package struct SinkError: Error, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }

    /// `why` is the system's error text, unless there is a more specific text.
    package static func failed(_ call: String, why: String = systemText) -> SinkError {
        SinkError("\(call) failed: \(why)")
    }

    /// Returns an error about a line of a file that a user has written.
    static func line(_ index: Int, of file: String, _ problem: String) -> SinkError {
        SinkError("\(file):\(index + 1): \(problem)")
    }

    /// The system's text for the error that has just occurred.
    package static var systemText: String { String(cString: strerror(errno)) }
}
