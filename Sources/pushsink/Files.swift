internal import Glibc

/// Whole small files.
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

    /// Text, which must be UTF-8.
    package static func text(_ path: String) throws(SinkError) -> String {
        guard let text = String(validating: try read(path), as: UTF8.self) else {
            throw SinkError(.unreadable(file: path, why: "not UTF-8 text"))
        }
        return text
    }

    /// Replaces the file at one stroke, so that a reader sees the old or the new, never half of one.
    package static func replace(_ path: String, with bytes: [UInt8], mode: UInt32 = 0o644) throws(SinkError) {
        let draft = path + ".new"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw unwritable(path) }
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress! + sent, $0.count - sent) }
            guard count >= 0 else {
                let error = unwritable(path)
                close(descriptor)
                throw error
            }
            sent += count
        }
        guard close(descriptor) == 0, rename(draft, path) == 0 else { throw unwritable(path) }
    }

    /// What tells a file from what stood there before.
    package struct Version: Equatable {
        let device: UInt64, node: UInt64, size: Int, seconds: Int, nanoseconds: Int
    }

    /// Nil: there is none.
    package static func version(of path: String) -> Version? {
        var found = Glibc.stat()
        guard stat(path, &found) == 0 else { return nil }
        return Version(
            device: UInt64(found.st_dev), node: UInt64(found.st_ino), size: Int(found.st_size),
            seconds: found.st_mtim.tv_sec, nanoseconds: found.st_mtim.tv_nsec)
    }

    package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Names in a directory; none where it cannot be read.
    package static func names(in directory: String) -> [String] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
                })
        }
        return names.sorted()
    }

    /// Makes the directory, private, where there is none.
    package static func makeDirectory(_ path: String) throws(SinkError) {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw unwritable(path) }
    }

    package static func remove(_ path: String) throws(SinkError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw unwritable(path) }
    }

    /// A new private directory for what nobody needs later.
    package static func makeTemporaryDirectory() throws(SinkError) -> String {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/pushsink.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw unwritable(parent) }
        return template.cText
    }

    /// Removes a directory of files, as far as that goes.
    package static func removeDirectory(_ path: String) {
        for name in names(in: path) where name != "." && name != ".." { unlink("\(path)/\(name)") }
        rmdir(path)
    }

    private static func unreadable(_ path: String) -> SinkError {
        SinkError(.unreadable(file: path, why: String(cString: strerror(errno))))
    }

    private static func unwritable(_ path: String) -> SinkError {
        SinkError(.unwritable(file: path, why: String(cString: strerror(errno))))
    }
}
