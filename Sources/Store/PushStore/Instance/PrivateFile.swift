internal import Glibc
internal import PushModel
internal import PushSystem

/// Small files that only their owner may read, created completely or not at all.
package enum PrivateFile {
    /// The reason why a file could not be used, in the system's terms.
    package enum Failure: Error {
        case missing
        case exposed
        /// The path names a pipe, a folder or a device.
        case notAFile
        case system(String)
    }

    /// Returns the first line of a file with a secret, without its line ending; `nil` if it is empty.
    /// - Parameter limit: The maximum number of bytes in the line.
    package static func firstLine(of path: String, limit: Int) throws(Failure) -> [UInt8]? {
        let line = try read(path, limit: limit).prefix {
            $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r")
        }
        return line.isEmpty ? nil : Array(line)
    }

    /// - Throws: ``Failure/exposed`` if the group or others have any permission.
    static func read(_ path: String, limit: Int) throws(Failure) -> [UInt8] {
        let descriptor = try openFile(path)
        defer { close(descriptor) }
        var facts = stat()
        guard unsafe fstat(descriptor, &facts) == 0 else { throw failure() }
        guard facts.st_mode & 0o077 == 0 else { throw .exposed }
        var bytes = [UInt8](repeating: 0, count: limit)
        var filled = 0
        while filled < limit {
            let count = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe Glibc.read(descriptor, buffer.baseAddress.map { unsafe $0 + filled }, limit - filled)
            }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw failure() }
            if count == 0 { break }
            filled += count
        }
        return Array(bytes[..<filled])
    }

    /// Creates the file with mode 0600, complete and on disk, unless it already exists.
    /// - Returns: `false` if it already existed; it is unchanged.
    static func create(_ path: String, containing bytes: [UInt8]) throws(Failure) -> Bool {
        let draft = "\(path).\(getpid()).\(UInt64.random(in: 0 ... .max))"
        let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure() }
        defer { unsafe unlink(draft) }
        do throws(Failure) { try write(bytes, to: descriptor) } catch {
            close(descriptor)
            throw error
        }
        let synced = fsync(descriptor) == 0
        close(descriptor)
        guard synced else { throw failure() }
        // A link appears completely or not at all, and never replaces a file that another process created in
        // the meantime.
        if unsafe link(draft, path) != 0 {
            if errno == EEXIST { return false }
            throw failure()
        }
        try syncFolder(of: path)
        return true
    }

    /// Whether this process can open as many more files as an open store needs. If it cannot, SQLite fails
    /// without reporting this reason.
    static var hasDescriptors: Bool {
        let opened = (0..<3).map { _ in unsafe open("/dev/null", O_RDONLY | O_CLOEXEC) }
        for descriptor in opened where descriptor >= 0 { close(descriptor) }
        return opened.allSatisfy { $0 >= 0 }
    }

    static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    static func isEmptyOrAbsent(_ path: String) -> Bool {
        var facts = stat()
        guard unsafe stat(path, &facts) == 0 else { return errno == ENOENT }
        return facts.st_size == 0
    }

    /// Returns the size; 0 if the file cannot be looked at.
    static func size(of path: String) -> Int {
        var facts = stat()
        return unsafe stat(path, &facts) == 0 ? Int(facts.st_size) : 0
    }

    /// Creates the missing folders above `path`, accessible only to their owner. When this returns, the names
    /// of the new folders are on disk.
    static func createFolder(of path: String) throws(Failure) {
        let folder = folder(of: path)
        if unsafe mkdir(folder, 0o700) != 0 {
            if errno == EEXIST { return }
            guard errno == ENOENT, folder != path, folder.utf8.count > 1 else { throw failure() }
            try createFolder(of: folder)
            if unsafe mkdir(folder, 0o700) != 0 {
                if errno == EEXIST { return }
                throw failure()
            }
        }
        try syncFolder(of: folder)
    }

    static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Syncs the folder that contains `path`. A new name in a folder is on disk only after the folder has
    /// been synced.
    static func syncFolder(of path: String) throws(Failure) {
        let descriptor = unsafe open(folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure() }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure() }
    }

    /// Returns the path of the file to which a name finally refers, whether the file exists or is still to be
    /// created. Symbolic links are followed, and the folder in the returned path contains none.
    static func target(of path: String) throws(Failure) -> String {
        var path = path
        // The kernel follows the same number of links.
        for _ in 0..<40 {
            var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
            let count = unsafe readlink(path, &buffer, buffer.count)
            guard count > 0 else { return try real(path) }
            let link = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            path = link.hasPrefix("/") ? link : folder(of: path) + "/" + link
        }
        throw .system(SystemErrorText.of(ELOOP))
    }

    /// Returns the path unchanged if its folder does not exist yet.
    private static func real(_ path: String) throws(Failure) -> String {
        let folder = folder(of: path)
        guard let real = unsafe realpath(folder, nil) else {
            if errno == ENOENT { return path }
            throw failure()
        }
        defer { unsafe free(real) }
        let name =
            path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[path.index(after: $0)...]) } ?? path
        let base = unsafe String(cString: real)
        return base == "/" ? "/" + name : base + "/" + name
    }

    private static func failure() -> Failure { .system(SystemErrorText.of(errno)) }
}
