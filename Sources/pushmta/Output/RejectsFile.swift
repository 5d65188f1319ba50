internal import Glibc
internal import PushStore
internal import PushSystem

/// The file of `--rejects`: written beside its place, and put there whole.
///
/// **Promises.** Nothing that stood under the name is lost that was not a file of rejects before, unless the
/// operator asks for it; never the file that is read, nor the store. A link is not followed. Only its owner
/// may read it: user keys and tokens may stand in what is quoted.
/// **Failures.** ``CommandFailure``. A process that is killed leaves the unfinished file beside its place.
struct RejectsFile: ~Copyable {
    /// The first line of each such file, by which a later run knows it.
    static let header = "line,reason\n"

    /// A file that must not be written over, and what it is.
    struct Spared {
        let identity: FileIdentity
        let name: String
    }

    private let path: String
    private let temporary: String
    private let isForced: Bool
    private let spared: [Spared]
    private var writer: FileWriter
    private var isPlaced = false

    /// Begins one beside its place.
    static func begin(
        path: String, isForced: Bool, sparing spared: [Spared]
    ) throws(CommandFailure) -> RejectsFile {
        try check(path, isForced: isForced, sparing: spared)
        let temporary = "\(path).\(String(UInt32.random(in: 0 ... .max), radix: 16))"
        let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .failed("cannot write \(path): \(SystemErrorText.of(errno))") }
        var file = RejectsFile(
            path: path, temporary: temporary, isForced: isForced, spared: spared,
            writer: FileWriter(descriptor: descriptor, name: temporary))
        try file.append(Array(header.utf8))
        return file
    }

    private init(
        path: String, temporary: String, isForced: Bool, spared: [Spared], writer: consuming FileWriter
    ) {
        self.path = path
        self.temporary = temporary
        self.isForced = isForced
        self.spared = spared
        self.writer = writer
    }

    deinit {
        if !isPlaced { unsafe _ = unlink(temporary) }
    }

    mutating func append(_ bytes: [UInt8]) throws(CommandFailure) {
        try writer.append { $0 += bytes }
    }

    /// Puts what was written in its place.
    mutating func place() throws(CommandFailure) {
        try writer.finish()
        // Much may have happened under that name since.
        try Self.check(path, isForced: isForced, sparing: spared)
        guard unsafe rename(temporary, path) == 0 else {
            throw .failed("cannot write \(path): \(SystemErrorText.of(errno))")
        }
        isPlaced = true
    }

    private static func check(_ path: String, isForced: Bool, sparing spared: [Spared]) throws(CommandFailure)
    {
        var facts = stat()
        guard unsafe lstat(path, &facts) == 0 else {
            guard errno == ENOENT else { throw .failed("cannot write \(path): \(SystemErrorText.of(errno))") }
            return
        }
        if let spared = spared.first(where: { $0.identity == FileIdentity(facts) }) {
            throw .refused("\(path) is \(spared.name): name another file for --rejects")
        }
        switch facts.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFLNK:
            throw .refused(
                "\(path) is a symbolic link, which --rejects does not follow: name the file itself")
        default: throw .refused("\(path) is not a file: name one for --rejects")
        }
        guard isForced || isOfRejects(path) else {
            throw .refused(
                "\(path) is there and was not written by --rejects: name another file, or replace it with --force"
            )
        }
    }

    private static func isOfRejects(_ path: String) -> Bool {
        let descriptor = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: header.utf8.count)
        // Unsafe because read(2) takes a pointer: it stays within the array's own bytes.
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
        return count == bytes.count && bytes.elementsEqual(header.utf8)
    }
}
