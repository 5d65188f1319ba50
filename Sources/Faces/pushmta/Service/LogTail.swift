internal import Glibc

/// The end of a log file, for a user who wants to know why a service ended.
enum LogTail {
    private static let maxBytes = 4_096

    /// Returns the message of the last line, or the whole line if it is not a line of the log; `nil` if there
    /// is no line, or if the file cannot be read.
    static func message(of path: String) -> String? {
        lastLine(of: path).map { LogFormat.message(in: $0) ?? $0 }
    }

    private static func lastLine(of path: String) -> String? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        let size = lseek(file, 0, SEEK_END)
        lseek(file, max(size - off_t(maxBytes), 0), SEEK_SET)
        var buffer = [UInt8](repeating: 0, count: maxBytes)
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
        guard count > 0 else { return nil }
        return String(decoding: buffer[..<count], as: UTF8.self).split(whereSeparator: \.isNewline).last
            .map(String.init)
    }
}

/// A path that another process, with a different working directory, can use.
enum AbsolutePath {
    static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    static func of(_ path: String) -> String {
        guard !path.hasPrefix("/"), let name = unsafe getcwd(nil, 0) else { return path }
        defer { unsafe free(name) }
        return of(path, from: unsafe String(cString: name))
    }

    /// - Parameter folder: The absolute path of the folder in which a relative path starts.
    static func of(_ path: String, from folder: String) -> String {
        path.hasPrefix("/") ? path : "\(folder)/\(path)"
    }

    /// Returns the path without symbolic links; `nil`, with errno set, if it does not exist.
    static func resolved(_ path: String) -> String? {
        guard let real = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(real) }
        return unsafe String(cString: real)
    }
}
