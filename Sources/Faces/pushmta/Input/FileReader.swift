internal import Glibc
internal import PushStore
internal import PushSystem

/// Bytes from a file, or from standard input where the name is `-`.
struct FileReader: ~Copyable {
    private let descriptor: Int32
    /// For messages.
    let name: String
    /// Bytes in the file; nil where that is not known beforehand.
    let totalBytes: Int?
    /// Standard input's, where a file stands behind it.
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

    /// Whether there is something to read, or the end, within that time. Of a file always.
    func hasBytes(withinMilliseconds patience: Int32) -> Bool {
        var item = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&item, 1, patience) > 0
    }

    /// The next bytes, as many as `limit`; empty at the end.
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

    /// All of a file that must fit into memory.
    static func contents(of path: String, atMost limit: Int) throws(CommandFailure) -> [UInt8] {
        var reader = try FileReader(path: path)
        var bytes: [UInt8] = []
        while true {
            let more = try reader.read(upTo: 1 << 16)
            if more.isEmpty { return bytes }
            bytes += more
            guard bytes.count <= limit else {
                throw .refused(
                    "\(reader.name) is longer than \(limit) bytes, which is more than such a file can need")
            }
        }
    }
}

extension FileIdentity {
    init(_ facts: stat) { self.init(device: UInt64(facts.st_dev), inode: UInt64(facts.st_ino)) }

    /// nil where there is no such file.
    init?(path: String) {
        guard let identity = Self.look(at: path).identity else { return nil }
        self = identity
    }
}

/// A question before something that cannot be undone: asked on a terminal, refused elsewhere.
enum Confirmation {
    /// - Parameters:
    ///   - question: what would be done.
    ///   - elsewhere: what to say where there is nobody to ask.
    ///   - refusal: what to say where the answer is not yes.
    static func ask(_ question: String, elsewhere: String, refusal: String) throws(CommandFailure) {
        guard isatty(STDIN_FILENO) == 1, StandardError.isTerminal else { throw .refused(elsewhere) }
        StandardError.write(question + " [y/N] ")
        let answer = readLine() ?? ""
        guard ["y", "yes"].contains(answer.lowercased()) else { throw .refused(refusal) }
    }
}
