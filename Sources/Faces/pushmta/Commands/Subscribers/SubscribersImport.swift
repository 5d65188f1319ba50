internal import ArgumentParser
internal import Glibc
internal import PushAPI
internal import PushMaster
internal import PushModel
internal import PushStore
internal import PushSystem
internal import PushWire

struct SubscribersImport: AsyncParsableCommand, PerformingCommand {
    static let useCases: [any UseCase.Type] = [ImportSubscribers.self]
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Import subscribers from a file of CSV or JSON lines.",
        discussion: """
            The file is UTF-8. Columns are separated by commas, or by semicolons or tabs if the first line \
            uses them. Fields that contain the separator, quotation marks or line breaks are in quotation \
            marks. The first line names the columns: token and userKey in any order; osLanguage, if there is \
            such a column, is the language of the device, the other columns of "subscribers export" that \
            contain collected facts are ignored, and every further column is a subscription parameter, such \
            as timeZone. If the application declares parameters, the file must not contain \
            other parameters, and a row is rejected if a value is not of the declared kind.

            With --format jsonl, each line is an object: \
            {"token": "…", "userKey": "anna", "osLanguage": "it-IT", "parameters": {"city": "Rome"}}.

            A row with a known token updates that subscriber; a subscriber in quarantine stays there, \
            because an import is not a registration. Invalid rows are skipped and reported with their line \
            numbers; valid rows are imported. An import can be repeated safely. Exit status: 0 if every row \
            was valid, 1 if some rows were rejected, 3 if no row was valid or the first line is wrong. If \
            the import is interrupted, the rows that were imported until then stay in the store, and the \
            file of rejected rows is kept.

            Example: pushmta subscribers import subscribers.csv --app shop-ios --rejects rejects.csv
            """)

    @Argument(help: "The file; - is standard input.", completion: .file())
    var file: String

    @Option(help: "The application's name.", completion: .appNames)
    var app: String

    @OptionGroup var form: SubscriberFormatOption

    @Option(
        help: ArgumentHelp(
            "Write rejected rows to this file, as CSV with line and reason.",
            discussion: """
                Without this option, the first 10 are shown. The file appears when the import ends. An \
                earlier file of rejected rows is replaced; any other file is refused.
                """,
            valueName: "file"))
    var rejects: String?

    @Flag(
        help: """
            Replace the file that --rejects names, whatever it contains. The imported file is never \
            replaced, and links are not followed.
            """)
    var force = false

    @Flag(help: "Make subscribers in the file valid again if they are in quarantine or disabled.")
    var liftQuarantine = false

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    /// The interval at which to check for an interruption while waiting for the other end of a pipe.
    private static let patienceMilliseconds: Int32 = 250

    func run() async throws {
        let operations = try Operations(config)
        var reader = try FileReader(path: file)
        var rejectLog = RejectLog(
            file: try rejectsFile(alongside: reader.identity, storePath: operations.store.instancePath))
        let interruption = Interruption(SIGINT, SIGTERM)
        var progress = ImportProgress(totalBytes: reader.totalBytes)
        var inStore = 0
        let imported: ImportedSubscribers
        do {
            let use = ImportSubscribers(app: app, liftsQuarantine: liftQuarantine)
            imported = try await use.perform(
                in: operations.noting(use), form.format, fileName: reader.name,
                watchedBy: Watch(
                    report: { done in
                        inStore = done.taken
                        progress.show(done)
                    }, isCancelled: { interruption.isPending }),
                read: { limit in
                    // Check for an interruption while waiting for the other end of a pipe.
                    while !reader.hasBytes(withinMilliseconds: Self.patienceMilliseconds),
                        !interruption.isPending
                    {}
                    // Throw instead of reporting the end of the file, which would turn an incomplete last
                    // line into a row.
                    guard !interruption.isPending else { throw OperationError(.cancelled, "interrupted") }
                    let bytes = try reader.read(upTo: limit)
                    progress.bytesRead += bytes.count
                    return bytes
                },
                reject: { try rejectLog.take($0) })
        } catch let caught {
            let error = OperationError(caught)
            progress.clear()
            // The caller that catches the error reports why the import ended. The next line reports if the
            // rejected rows cannot be written either.
            do { try rejectLog.finishAfterFailure() } catch { StandardError.complain("\(error)") }
            guard error.kind == .cancelled else { throw error }
            StandardError.line(
                "interrupted: \(Numerals.count(inStore, "row")) or more are in the store, \(rejectLog.count) "
                    + "were rejected; repeating the import is harmless")
            interruption.obey()
        }
        progress.clear()
        try rejectLog.finish()
        try show(imported)
        if imported.rejected > 0 { throw imported.taken == 0 ? CommandExit.refused : CommandExit.failed }
    }

    private func rejectsFile(
        alongside input: FileIdentity?, storePath: String
    ) throws(CommandFailure) -> RejectsFile? {
        guard let rejects else { return nil }
        var protected: [RejectsFile.ProtectedFile] = []
        if let input { protected.append(.init(identity: input, name: "the imported file")) }
        let folder = storePath.lastIndex(of: "/").map { String(storePath[...$0]) } ?? ""
        let own =
            ["", "-wal", "-shm"].map { (storePath + $0, "the store") }
            + ["master", "children", "control"].map { ("\(storePath).\($0)", "a file of the running master") }
            + [(folder + "instance.key", "the instance's key"), (config.path, "the configuration")]
        for (path, name) in own {
            if let identity = FileIdentity(path: path) {
                protected.append(.init(identity: identity, name: name))
            }
        }
        return try RejectsFile.begin(path: rejects, isForced: force, sparing: protected)
    }

    private func show(_ imported: ImportedSubscribers) throws {
        if json.isWanted { return try StandardOutput.json(imported) }
        let rows = imported.rows
        try StandardOutput.line(
            "\(rows) row\(rows == 1 ? "" : "s"): \(imported.inserted) new, \(imported.updated) changed, "
                + "\(imported.unchanged) unchanged, \(imported.repeated) repeated, \(imported.rejected) "
                + "rejected"
        )
        if imported.optedOut > 0 {
            StandardError.line(
                "\(imported.optedOut) of these have opted out; an import does not change that")
        }
        if imported.quarantined > 0 {
            StandardError.line(
                "\(imported.quarantined) of these stay in quarantine or disabled; "
                    + "--lift-quarantine makes them valid again")
        }
    }
}

/// The progress of the import, as shown to the user.
private struct ImportProgress {
    var bytesRead = 0
    private let totalBytes: Int?
    private let start = Clocks.monotonic()
    private var bar = ProgressBar()

    init(totalBytes: Int?) { self.totalBytes = totalBytes }

    /// The proportion of the work on a row that consists of reading the row.
    private static let shareOfReading = 0.3

    /// - Parameter imported: The counts of the rows that have been read so far.
    mutating func show(_ imported: ImportedSubscribers) {
        let read = max(imported.rows + (imported.waiting ?? 0), 1)
        let written = Double(imported.rows) / Double(read)
        let share = Self.shareOfReading + (1 - Self.shareOfReading) * written
        let done = totalBytes == nil ? bytesRead : Int(Double(bytesRead) * share)
        bar.show(done: done, of: totalBytes) { [start] in
            let seconds = max(0.001, Double(Clocks.monotonic().milliseconds(since: start)) / 1_000)
            let rows = imported.taken
            return "\(Numerals.count(rows, "row")), \(Numerals.grouped(Int(Double(rows) / seconds)))/s"
        }
    }

    mutating func clear() { bar.clear() }
}

/// The destination of rejected rows: a file, or standard error for the first few.
struct RejectLog: ~Copyable {
    private var file: RejectsFile?
    private var csv = CSVWriter()
    private(set) var count = 0

    private static let shownWithoutFile = 10

    /// - Parameter file: The file for rejected rows. If it is `nil`, the first few rows are shown.
    init(file: consuming RejectsFile?) { self.file = file }

    mutating func take(_ rows: [RejectedRow]) throws(CommandFailure) {
        for row in rows {
            count += 1
            if file != nil {
                csv.appendRow([String(row.line), "\(row.fault)"])
            } else if count <= Self.shownWithoutFile {
                StandardError.line("\(row)")
            }
        }
        try flush()
    }

    mutating func finish() throws(CommandFailure) {
        try flush()
        try file?.place()
        if file == nil, count > Self.shownWithoutFile {
            StandardError.line(
                "… and \(count - Self.shownWithoutFile) more; use --rejects FILE to keep them all")
        }
    }

    /// Finishes the log after a failure, because the rows that were rejected before the failure must still be
    /// reported. If no row was rejected, an earlier file is kept.
    mutating func finishAfterFailure() throws(CommandFailure) {
        if count > 0 { try finish() }
    }

    private mutating func flush() throws(CommandFailure) {
        guard !csv.bytes.isEmpty else { return }
        let bytes = csv.bytes
        try file?.append(bytes)
        csv.removeAll()
    }
}

/// The file of `--rejects`. It is written next to its destination and then moved there as a whole.
///
/// **Promises.** An existing file under that name is replaced only if it is a file of rejects or the operator
/// requests the replacement. The input file and the store are never replaced. A symbolic link is not
/// followed. Only the owner may read the file, because quoted input may contain user keys and tokens.
/// **Failures.** ``CommandFailure``. A process that is killed leaves the unfinished file next to the
/// destination.
struct RejectsFile: ~Copyable {
    /// The first line of every such file. A later run recognises the file by this line.
    static let header = "line,reason\n"

    /// A file that must not be overwritten, and its description.
    struct ProtectedFile {
        let identity: FileIdentity
        let name: String
    }

    private let path: String
    private let temporary: String
    private let isForced: Bool
    private let protected: [ProtectedFile]
    private var writer: FileWriter
    private var isPlaced = false

    /// Creates a file of rejects next to its destination.
    static func begin(
        path: String, isForced: Bool, sparing protected: [ProtectedFile]
    ) throws(CommandFailure) -> RejectsFile {
        try check(path, isForced: isForced, sparing: protected)
        let temporary = "\(path).\(String(UInt32.random(in: 0 ... .max), radix: 16))"
        let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw unwritable(path) }
        var file = RejectsFile(
            path: path, temporary: temporary, isForced: isForced, protected: protected,
            writer: FileWriter(descriptor: descriptor, name: temporary))
        try file.append(Array(header.utf8))
        return file
    }

    private init(
        path: String, temporary: String, isForced: Bool, protected: [ProtectedFile],
        writer: consuming FileWriter
    ) {
        self.path = path
        self.temporary = temporary
        self.isForced = isForced
        self.protected = protected
        self.writer = writer
    }

    deinit {
        if !isPlaced { unsafe _ = unlink(temporary) }
    }

    mutating func append(_ bytes: [UInt8]) throws(CommandFailure) {
        try writer.append { $0 += bytes }
    }

    /// Moves the written file to its destination.
    mutating func place() throws(CommandFailure) {
        try writer.finish()
        // The file under that name may have changed since the first check.
        try Self.check(path, isForced: isForced, sparing: protected)
        guard unsafe rename(temporary, path) == 0 else {
            throw Self.unwritable(path)
        }
        isPlaced = true
    }

    private static func check(_ path: String, isForced: Bool, sparing protected: [ProtectedFile])
        throws(CommandFailure)
    {
        var facts = stat()
        guard unsafe lstat(path, &facts) == 0 else {
            guard errno == ENOENT else { throw unwritable(path) }
            return
        }
        if let protected = protected.first(where: { $0.identity == FileIdentity(facts) }) {
            throw .refused("\(path) is \(protected.name): name another file for --rejects")
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
                "\(path) exists and was not written by --rejects: name another, or replace it with --force"
            )
        }
    }

    private static func unwritable(_ path: String) -> CommandFailure {
        .failed("cannot write \(path): \(SystemErrorText.of(errno)); name another file for --rejects")
    }

    private static func isOfRejects(_ path: String) -> Bool {
        let descriptor = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: header.utf8.count)
        // Unsafe because read(2) takes a pointer; the access stays within the array's own bytes.
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
        return count == bytes.count && bytes.elementsEqual(header.utf8)
    }
}
