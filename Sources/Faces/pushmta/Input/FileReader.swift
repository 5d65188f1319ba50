internal import Glibc
internal import PushStore
internal import PushSystem

/// Reads bytes from a file, or from standard input if the name is `-`.
struct FileReader: ~Copyable {
    private let descriptor: Int32
    /// The name used in error messages.
    let name: String
    /// The size of the file in bytes; `nil` if it is not known in advance.
    let totalBytes: Int?
    /// The identity of the file. For standard input, this is the identity of the file that it is redirected
    /// from.
    let identity: FileIdentity?
    private(set) var bytesRead = 0

    init(path: String) throws(CommandFailure) {
        if path == "-" {
            descriptor = STDIN_FILENO
            name = "standard input"
            totalBytes = nil
            identity = Self.facts(of: descriptor).map(FileIdentity.init)
            return
        }
        name = path
        descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            totalBytes = nil
            identity = nil
            throw .failed("cannot read \(path): \(SystemErrorText.of(errno))")
        }
        let facts = Self.facts(of: descriptor)
        identity = facts.map(FileIdentity.init)
        totalBytes = facts.flatMap { $0.st_mode & S_IFMT == S_IFREG ? Int($0.st_size) : nil }
    }

    private static func facts(of descriptor: Int32) -> stat? {
        var facts = stat()
        return unsafe fstat(descriptor, &facts) == 0 ? facts : nil
    }

    deinit {
        if descriptor > STDIN_FILENO { close(descriptor) }
    }

    /// Waits until there are bytes to read or the end has been reached, but no longer than the given time.
    /// Returns `false` if the time has passed. The result is always `true` for a regular file.
    func hasBytes(withinMilliseconds patience: Int32) -> Bool {
        var item = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&item, 1, patience) > 0
    }

    /// Returns the next bytes, at most `limit`; empty at the end.
    mutating func read(upTo limit: Int) throws(CommandFailure) -> [UInt8] {
        while true {
            var problem: Int32 = 0
            let descriptor = descriptor
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
                let result = unsafe Glibc.read(descriptor, buffer.baseAddress, limit)
                if result < 0 { problem = errno }
                count = max(result, 0)
            }
            if problem == 0 {
                bytesRead += bytes.count
                return bytes
            }
            guard problem == EINTR else {
                throw .failed("cannot read \(name): \(SystemErrorText.of(problem))")
            }
        }
    }

    /// Returns the whole contents of a file that must fit into memory.
    static func contents(of path: String, atMost limit: Int) throws(CommandFailure) -> [UInt8] {
        var reader = try FileReader(path: path)
        var bytes: [UInt8] = []
        while true {
            let more = try reader.read(upTo: 1 << 16)
            if more.isEmpty { return bytes }
            bytes += more
            guard bytes.count <= limit else {
                throw .refused(
                    "\(reader.name) is longer than \(limit) bytes, the maximum for this kind of file")
            }
        }
    }
}

extension FileIdentity {
    init(_ facts: stat) { self.init(device: UInt64(facts.st_dev), inode: UInt64(facts.st_ino)) }

    /// Returns `nil` if the file does not exist.
    init?(path: String) {
        guard let identity = Self.look(at: path).identity else { return nil }
        self = identity
    }
}

/// A confirmation before an action that cannot be undone. On a terminal, the command asks the user. Elsewhere
/// it refuses the action.
enum Confirmation {
    /// - Parameters:
    ///   - question: The action that would be performed.
    ///   - elsewhere: The error text if there is no terminal.
    ///   - refusal: The error text if the answer is not yes.
    static func ask(_ question: String, elsewhere: String, refusal: String) throws(CommandFailure) {
        guard isatty(STDIN_FILENO) == 1, StandardError.isTerminal else { throw .refused(elsewhere) }
        StandardError.write(question + " [y/N] ")
        let answer = readLine() ?? ""
        guard ["y", "yes"].contains(answer.lowercased()) else { throw .refused(refusal) }
    }
}
