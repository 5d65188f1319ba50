internal import FoundationEssentials
internal import Glibc

/// A private folder for one testbed, and the few file operations that a testbed needs.
package struct Folder: Sendable {
    package let path: String

    /// Creates a folder below `TMPDIR` or /tmp.
    package init() throws(LoadError) {
        let parent = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/pushload.XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else { throw LoadError.system("mkdtemp", on: parent) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    package func file(_ name: String) -> String { "\(path)/\(name)" }

    package func make(_ name: String) throws(LoadError) {
        guard unsafe mkdir(file(name), 0o700) == 0 || errno == EEXIST else {
            throw LoadError.system("mkdir", on: file(name))
        }
    }

    package func write(_ text: String, to name: String) throws(LoadError) {
        try write(Array(text.utf8), to: name)
    }

    package func write(_ bytes: [UInt8], to name: String) throws(LoadError) {
        try Self.write(bytes, to: file(name))
    }

    /// Removes the folder with its contents.
    package func remove() { Self.remove(path) }

    // MARK: Any file

    package static func write(_ bytes: [UInt8], to path: String, mode: UInt32 = 0o600) throws(LoadError) {
        try write(to: path, mode: mode) { append throws(LoadError) in try append(bytes) }
    }

    /// Writes a file in pieces. If this process held a large file in memory, the measured peak memory of its
    /// children would increase, because the kernel counts their parent's memory in their peak.
    static func write(
        to path: String, mode: UInt32 = 0o600,
        _ body: (_ append: ([UInt8]) throws(LoadError) -> Void) throws(LoadError) -> Void
    ) throws(LoadError) {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw LoadError.system("open", on: path) }
        defer { close(descriptor) }
        try body { bytes throws(LoadError) in try append(bytes, to: descriptor, path) }
    }

    private static func append(_ bytes: [UInt8], to descriptor: Int32, _ path: String) throws(LoadError) {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { bytes in
                unsafe Glibc.write(
                    descriptor, bytes.baseAddress?.advanced(by: written), bytes.count - written)
            }
            guard count > 0 else { throw LoadError.system("write", on: path) }
            written += count
        }
    }

    /// - Parameters:
    ///   - offset: The offset at which to begin.
    ///   - limit: The number of bytes after which reading stops. A few more bytes may be read.
    package static func read(
        _ path: String, from offset: Int = 0, limit: Int = .max
    ) throws(LoadError) -> [UInt8] {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw LoadError.system("open", on: path) }
        defer { close(descriptor) }
        guard offset == 0 || lseek(descriptor, offset, SEEK_SET) == offset else {
            throw LoadError.system("lseek", on: path)
        }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 256 << 10)
        while bytes.count < limit {
            let count = unsafe Glibc.read(descriptor, &chunk, chunk.count)
            guard count >= 0 else { throw LoadError.system("read", on: path) }
            if count == 0 { break }
            bytes += chunk[..<count]
        }
        return bytes
    }

    /// Returns the text of a file, or an empty string if the file cannot be read, for example because it
    /// belongs to a process that has ended.
    package static func text(_ path: String) -> String {
        ((try? read(path)).map { String(decoding: $0, as: UTF8.self) }) ?? ""
    }

    /// Creates a folder and its parents if they do not exist.
    static func makeFolder(_ path: String) throws(LoadError) {
        do { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) } catch
        {
            throw LoadError("cannot create the folder \(path): \(error)")
        }
    }

    /// Returns the size of a file in bytes; 0 if it does not exist.
    static func size(of path: String) -> Int {
        var file = stat()
        return unsafe stat(path, &file) == 0 ? Int(file.st_size) : 0
    }

    static func lines(of path: String) -> [String] { text(path).split(separator: "\n").map(String.init) }

    /// Returns the end of a text file, for an error message.
    package static func lastLines(of path: String, _ count: Int = 5) -> String {
        lines(of: path).suffix(count).joined(separator: " | ")
    }

    /// Returns the names in a folder; none if the folder cannot be read.
    package static func names(in folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }

    /// Returns the target of a symbolic link; empty if it is not a link.
    static func target(of link: String) -> String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: link)) ?? ""
    }

    package static func remove(_ path: String) {
        for name in names(in: path) {
            let entry = "\(path)/\(name)"
            if unsafe unlink(entry) != 0 { remove(entry) }
        }
        unsafe rmdir(path)
    }
}

/// The paths of the programs that a testbed runs. They are in the same folder as the program that drives the
/// testbed.
package struct Programs: Sendable {
    package var pushmta: String
    package var pushsink: String
    package var pushload: String

    package init() throws(LoadError) {
        let own = Folder.target(of: "/proc/self/exe")
        let folder = own.dropLast(own.fileName.count + 1)
        (pushmta, pushsink, pushload) = ("\(folder)/pushmta", "\(folder)/pushsink", "\(folder)/pushload")
        for program in [pushmta, pushsink, pushload] where unsafe access(program, X_OK) != 0 {
            throw LoadError.missing(program)
        }
    }
}
