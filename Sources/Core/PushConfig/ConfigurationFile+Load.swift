internal import Glibc

extension ConfigurationFile {
    /// Reads and checks a file. A relative path is resolved against the working directory, and the paths in
    /// the settings are absolute. This is the only code in the target that accesses a file system.
    package static func load(
        path: String, schema: ConfigurationSchema, instanceName: String = "default",
        productVersion: String = "1"
    ) throws(ConfigurationError) -> LoadedConfiguration {
        try parse(
            try read(path), shownPath: path, schema, substitutions(for: path, instanceName, productVersion))
    }

    /// For a file that ``load(path:schema:instanceName:productVersion:)`` refuses, returns the default
    /// settings with the store that the file probably names. Anything about the store that cannot be read
    /// from the file has its default value. The result is good enough only for finding a running service.
    /// - Returns: `nil` if the file cannot be read at all.
    package static func probable(
        ofRefused path: String, schema: ConfigurationSchema, instanceName: String = "default",
        productVersion: String = "1"
    ) -> LoadedConfiguration? {
        guard let bytes = try? read(path),
            let store = probableStore(
                of: bytes, schema, substitutions(for: path, instanceName, productVersion))
        else { return nil }
        var settings = ServerConfiguration()
        settings.store = store
        return LoadedConfiguration(
            path: path, schema: schema, settings: settings, productVersion: productVersion, findings: [],
            notes: [],
            origins: [])
    }

    private static func substitutions(
        for path: String, _ instanceName: String, _ productVersion: String
    ) -> Substitutions {
        let directory = FilePath.directory(of: path.hasPrefix("/") ? path : "\(workingDirectory())/\(path)")
        return Substitutions(
            directory: FilePath.tidied(directory), instanceName: instanceName, productVersion: productVersion)
    }

    private static func read(_ path: String) throws(ConfigurationError) -> [UInt8] {
        func refuse(_ why: String) -> ConfigurationError {
            ConfigurationError(cause: .unreadable, path: path, findings: [Finding(.error, at: nil, why)])
        }
        // Non-blocking: opening a named pipe would otherwise wait for a writer. Pipes are refused below.
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw refuse("cannot be opened: \(reason(errno))") }
        defer { close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0 else { throw refuse("cannot be read: \(reason(errno))") }
        guard status.st_mode & S_IFMT == S_IFREG else { throw refuse("cannot be read: not a regular file") }
        guard status.st_size <= maximumBytes else { throw tooLarge(Int(status.st_size), path) }

        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        // The file may grow while it is read: one byte more than the limit shows that it is too large.
        while bytes.count <= maximumBytes {
            let count = unsafe buffer.withUnsafeMutableBytes {
                unsafe Glibc.read(file, $0.baseAddress, $0.count)
            }
            if count == 0 { break }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw refuse("cannot be read: \(reason(errno))") }
            bytes += buffer[..<count]
        }
        return bytes
    }

    private static func reason(_ code: Int32) -> String {
        switch code {
        case ENOENT, ENOTDIR:
            "the file does not exist; change to the folder in which you ran 'pushmta init', or specify the "
                + "file with --config"
        case EACCES, EPERM: "permission denied"
        case EISDIR: "it is a directory"
        case ENAMETOOLONG: "its path is too long"
        default: "system error \(code)"
        }
    }

    private static func workingDirectory() -> String {
        guard let name = unsafe getcwd(nil, 0) else { return "." }
        defer { unsafe free(name) }
        return unsafe String(cString: name)
    }
}
