internal import Glibc

/// Small files that only their owner may read, made whole or not at all.
enum PrivateFile {
    /// Why a file could not be used, in the system's words.
    enum Failure: Error {
        case missing
        case exposed
        case system(String)
    }

    /// - Throws: ``Failure/exposed`` where group or others have any right to it.
    static func read(_ path: String, limit: Int) throws(Failure) -> [UInt8] {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw errno == ENOENT ? .missing : failure() }
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

    /// Makes the file with mode 0600, complete and on disk, unless there is one already.
    /// - Returns: false where there was one: it is untouched.
    static func create(_ path: String, containing bytes: [UInt8]) throws(Failure) -> Bool {
        let draft = "\(path).\(getpid()).\(UInt64.random(in: 0 ... .max))"
        let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure() }
        defer { unsafe unlink(draft) }
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe write(descriptor, buffer.baseAddress.map { unsafe $0 + written }, bytes.count - written)
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else {
                let failed = failure()
                close(descriptor)
                throw failed
            }
            written += count
        }
        let synced = fsync(descriptor) == 0
        close(descriptor)
        guard synced else { throw failure() }
        // A link appears whole or not at all, and never replaces what another process made meanwhile.
        if unsafe link(draft, path) != 0 {
            if errno == EEXIST { return false }
            throw failure()
        }
        try syncFolder(of: path)
        return true
    }

    static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    /// Makes the folders above `path` that are absent, for their owner only. Their names are on disk afterwards.
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

    /// A new name is on disk only once its folder is.
    private static func syncFolder(of path: String) throws(Failure) {
        let descriptor = unsafe open(folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure() }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure() }
    }

    private static func failure() -> Failure {
        .system(unsafe String(cString: strerror(errno)))
    }
}
