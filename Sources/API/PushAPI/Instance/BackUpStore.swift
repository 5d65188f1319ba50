internal import Glibc
internal import PushModel
package import PushStore
internal import PushSystem
internal import PushWire

/// Writes a consistent copy of the store to one file, with or without a running master: see
/// ``PushStore/StoreBackup``.
package struct BackUpStore: Job {
    package static let name = "store.backup"
    package static let operation = Operation(
        .post, "/backups", .admin,
        "Creates a consistent copy of the store in one file while the store is in use.",
        status: 202, reach: .instance)
    package static let members: [Member<Self>] = [
        .field(
            \.file, "name",
            """
            The name of the file, which is created in the folder `\(folder)`. That folder is in the \
            instance folder, or next to the store's file.
            """
        ),
        .field(\.withoutKey, "withoutKey", "Omit the instance's key.", default: false),
        // The path from a command, which only processes of the instance may set.
        .inner(\.path, "path"), .field(\.isForced, "force", "Replace an existing file.", default: false),
    ]
    package static let example = #"{"name": "nightly.pmta"}"#
    private static let folder = "backups"
    package var auditText: AuditText? { .of(path ?? file) }

    /// A file name in ``folder``.
    package private(set) var file = ""
    /// The path to which a command writes, instead of a name in the folder.
    package private(set) var path: String?
    /// Whether to omit the file with the instance's key.
    package private(set) var withoutKey = false
    /// Whether to replace an earlier file.
    package private(set) var isForced = false

    package init() {}

    package init(path: String, withoutKey: Bool = false, isForced: Bool = false) {
        self.path = path
        self.withoutKey = withoutKey
        self.isForced = isForced
    }

    /// Clients cannot give paths, because they could then write wherever the service can.
    package func check(in operations: Operations) throws {
        guard path == nil else { return }
        guard NameRule.accepts(file), !file.contains("/"), !file.hasPrefix(".") else {
            throw OperationError.refused(
                "name: must be a file name that contains no slash and does not begin with a dot")
        }
    }

    package func perform(
        in operations: Operations, watchedBy watch: Watch<JobProgress<BackupResult>>
    ) throws -> BackupResult {
        let start = operations.clock.monotonic()
        let path = try self.path ?? Self.path(of: file, in: operations)
        let backup = operations.store.backup(to: path, withKey: !withoutKey, isForced: isForced)
        let soFar = BackupResult(file: path, keyFile: nil, bytes: 0)
        let done = try withoutActuallyEscaping(watch.report) { report in
            try withoutActuallyEscaping(watch.isCancelled) { isCancelled in
                try backup.run(at: operations.clock.moment()) { progress in
                    let total = progress.totalBytes > 0 ? progress.totalBytes : nil
                    report(JobProgress(soFar, done: progress.copy?.rows ?? progress.bytes, of: total))
                    return !isCancelled()
                }
            }
        }
        guard var done else { throw OperationError(.cancelled, "cancelled; no backup was created") }
        done.milliseconds = operations.clock.monotonic().milliseconds(since: start)
        // The API's job has its line already. A backup is good even if the store accepts no line.
        do { try operations.store.addNote() } catch { operations.warn(ofUnrecorded: self) }
        return done
    }

    private static func path(of name: String, in operations: Operations) throws -> String {
        let place = operations.store.instancePath
        let folder = (place.lastIndex(of: "/").map { String(place[...$0]) } ?? "") + Self.folder
        guard unsafe mkdir(folder, 0o700) == 0 || errno == EEXIST else {
            throw OperationError.failed(
                """
                the folder \(Self.folder) next to the store cannot be created: \(SystemErrorText.of(errno)); \
                check the permissions and the free space there
                """)
        }
        return "\(folder)/\(name)"
    }
}

extension BackupResult: View {
    package static let about = [
        "keyFile": "null if the key was omitted", "milliseconds": "the duration of the backup",
    ]
}
