internal import Glibc
internal import Logging
internal import PushAPI
internal import PushModel
internal import PushSystem

/// The file `web/@apiTokenFile`: the first token of a new instance, for every user who may read the file
/// (0600).
///
/// An existing file is used as it is, for example when a deployment supplies its own token.
enum APITokenFile {
    private static let maxBytes = 256

    /// Provides the token. Does nothing if there is a token or ever was one. A failure is only logged,
    /// because tokens can also be created with 'token create'.
    static func provide(_ path: String, in operations: Operations, _ logger: Logger) {
        do {
            guard try FirstAccessToken.isNeeded(in: operations) else { return }
            let token = try contents(of: path) ?? write(FirstAccessToken.make(), to: path)
            _ = try operations.with(caller: "the service's first start").carryOut(
                try FirstAccessToken(token: token))
            logger.notice("\(path.printable(atMost: 1_000)) contains the first token of the HTTP API")
        } catch {
            // Another process of the instance may have created the token in the meantime.
            if (try? FirstAccessToken.isNeeded(in: operations)) == false { return }
            let why = (error as? OperationError)?.description ?? "\(error)"
            logger.error(
                """
                web/@apiTokenFile \(path.printable(atMost: 1_000)): \(why); correct this and restart the \
                service, or create a token with 'pushmta token create'
                """)
        }
    }

    /// Returns the token in the file; `nil` if there is no such file.
    private static func contents(of path: String) throws -> String? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw CommandFailure.failed("cannot be read: \(SystemErrorText.of(errno))")
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: maxBytes)
        let count = unsafe read(descriptor, &bytes, bytes.count)
        guard count >= 0 else {
            throw CommandFailure.failed("cannot be read: \(SystemErrorText.of(errno))")
        }
        let text = bytes[..<count].prefix { $0 > UInt8(ascii: " ") && $0 < 0x7F }
        return String(decoding: text, as: UTF8.self)
    }

    private static func write(_ token: String, to path: String) throws -> String {
        // By default, the file is in the default folder of the store. If the store is elsewhere, nothing else
        // creates that folder.
        unsafe _ = mkdir(AbsolutePath.folder(of: path), 0o700)
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw CommandFailure.failed("cannot be created: \(SystemErrorText.of(errno))")
        }
        defer { close(descriptor) }
        try FileWriter.writeAll(Array("\(token)\n".utf8), to: descriptor, name: path)
        // Write the token to disk before the store receives it: a token that no user can read would be
        // useless.
        guard fsync(descriptor) == 0 else {
            throw CommandFailure.failed("cannot be written: \(SystemErrorText.of(errno))")
        }
        return token
    }
}
