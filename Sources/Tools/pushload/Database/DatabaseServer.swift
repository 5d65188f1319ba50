internal import Glibc

/// A PostgreSQL server that belongs to this process, created with the programs from Debian's package. The
/// server listens on a Unix socket in a folder and writes data as durably as a production server.
///
/// **Promises.** If this process runs as root, the server runs under another account, because PostgreSQL
/// refuses to run as root. The server has no network socket.
/// **Failures.** ``LoadError``, also on a machine without PostgreSQL.
package final class DatabaseServer: Sendable {
    /// The folder that contains the programs initdb, pg_ctl and psql.
    package let programs: String
    /// The absolute path of the folder that contains the socket.
    package let folder: String
    private let account: Account?

    private struct Account {
        let user: uid_t
        let group: gid_t
    }

    /// The way in which a server is stopped.
    package enum ShutdownMode: String, Sendable {
        /// All connections are cut immediately. When the server starts again, it recovers as it would after a
        /// crash.
        case immediate
        /// Transactions are rolled back, and committed data is written.
        case fast
    }

    /// Creates a server in a new folder below `parent` and starts it.
    /// - Parameter versions: The folder that contains a folder for each installed version of PostgreSQL.
    package init(
        below parent: String, installedIn versions: String = DatabaseServer.versions
    ) throws(LoadError) {
        guard let programs = Self.findPrograms(in: versions) else {
            throw LoadError.notInstalled("PostgreSQL 15 or newer", debianPackage: "postgresql")
        }
        self.programs = programs
        folder = "\(parent)/postgresql"
        account = geteuid() == 0 ? try Self.otherAccount() : nil
        guard unsafe mkdir(folder, 0o700) == 0 else { throw LoadError.system("mkdir", on: folder) }
        if let account {
            // The server's account can reach its folder through the parent but cannot list the parent's
            // contents.
            guard unsafe chmod(parent, 0o711) == 0 else { throw LoadError.system("chmod", on: parent) }
            guard unsafe chown(folder, account.user, account.group) == 0 else {
                throw LoadError.system("chown", on: folder)
            }
        }
        try run(
            "initdb", ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"])
        // The server writes files that only its own account can access. This process can change them, because
        // it runs as root or as that account.
        let settings = "\(data)/postgresql.conf"
        try Folder.write(try Folder.read(settings) + Array(Self.settings(folder).utf8), to: settings)
        // Only the account `asked` must present a password, so that connections with a password can be
        // tested.
        try Folder.write(
            Array("local all asked scram-sha-256\nlocal all all trust\n".utf8), to: "\(data)/pg_hba.conf")
        try start()
    }

    private var data: String { "\(folder)/data" }

    /// Returns additional settings. The memory for tables is the amount that an operator would configure: a
    /// quarter of 2 GB.
    private static func settings(_ folder: String) -> String {
        """
        listen_addresses = ''
        unix_socket_directories = '\(folder)'
        max_connections = 300
        shared_buffers = 512MB
        log_min_messages = fatal

        """
    }

    // MARK: Starting and ending

    package func start() throws(LoadError) { try control(["start"]) }
    package func stop(_ ending: ShutdownMode = .fast) throws(LoadError) {
        try control(["stop", "-m", ending.rawValue])
    }
    package func restart(_ ending: ShutdownMode = .immediate) throws(LoadError) {
        try control(["restart", "-m", ending.rawValue])
    }

    /// Stops a server that was started below `parent` by a process that no longer exists. Does not kill the
    /// server, because a killed server leaves its shared memory behind.
    package static func end(below parent: String) {
        guard let process = firstProcess(of: "\(parent)/postgresql/data") else { return }
        kill(process, SIGQUIT)
        for _ in 0..<1_000 where ProcessTable.isAlive(process) { usleep(10_000) }
    }

    /// The ID of the server process that starts the others; `nil` if the server is not running.
    var processID: Int32? { Self.firstProcess(of: data) }

    private static func firstProcess(of data: String) -> Int32? {
        Int32(Folder.text("\(data)/postmaster.pid").firstLine)
    }

    private func control(_ words: [String]) throws(LoadError) {
        try run("pg_ctl", ["-s", "-w", "-t", "120", "-D", data, "-l", "\(folder)/server.log"] + words)
    }

    /// The CPU time that the server's processes have used since it started, including processes that have
    /// ended.
    package var cpuSeconds: Double {
        guard let first = Self.firstProcess(of: data), let own = ProcessFigures(of: first) else { return 0 }
        return ProcessTable.children(of: first).reduce(own.ownSeconds + own.endedChildrenSeconds) {
            $0 + (ProcessFigures(of: $1)?.ownSeconds ?? 0)
        }
    }

    // MARK: Databases

    /// Creates an empty database with this name.
    package func makeDatabase(_ name: String) throws(LoadError) { try query("CREATE DATABASE \(name)") }

    /// Creates a copy of another database from a dump, with all rows and without the server's statistics.
    package func makeDatabase(_ name: String, fromDumpOf original: String) throws(LoadError) {
        let dump = try launch(
            "\(programs)/pg_dump", ["-h", folder, "-U", "postgres", "-d", original], name: "pg_dump")
        try makeDatabase(name)
        try query(dump, in: name)
    }

    /// Runs statements in psql, in the schema that contains the engine's tables, and returns the output of
    /// psql: one line per row, with values separated by `|`.
    @discardableResult
    package func query(_ sql: String, in database: String = "postgres") throws(LoadError) -> [String] {
        let options = "PGOPTIONS=-c search_path=pushmta -c client_min_messages=warning"
        return try launch(
            "/usr/bin/env",
            [
                options, "\(programs)/psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", folder,
                "-U", "postgres", "-d", database, "-f", "-",
            ], name: "psql", input: sql
        ).split(separator: "\n").map(String.init)
    }

    // MARK: Programs

    /// Whether this machine has PostgreSQL's programs.
    package static var isInstalled: Bool { findPrograms(in: versions) != nil }

    /// The folder into which Debian's packages install PostgreSQL.
    package static let versions = "/usr/lib/postgresql"

    private static func findPrograms(in versions: String) -> String? {
        Folder.names(in: versions).compactMap { Int($0) }.filter { $0 >= 15 }.sorted(by: >)
            .map { "\(versions)/\($0)/bin" }
            .first { unsafe access($0 + "/initdb", X_OK) == 0 }
    }

    private static func otherAccount() throws(LoadError) -> Account {
        let names = ["postgres", "nobody"]
        for name in names {
            if let entry = unsafe getpwnam(name) {
                return unsafe Account(user: entry.pointee.pw_uid, group: entry.pointee.pw_gid)
            }
        }
        throw LoadError(
            "PostgreSQL does not run as root, and none of the accounts \(names.joined(separator: ", ")) "
                + "exists; run pushload as another user"
        )
    }

    /// Runs a program as the server's own account.
    private func run(_ program: String, _ arguments: [String]) throws(LoadError) {
        var words = ["\(programs)/\(program)"] + arguments
        if let account {
            let identity = ["--reuid=\(account.user)", "--regid=\(account.group)", "--clear-groups"]
            words = ["/usr/bin/setpriv"] + identity + ["--"] + words
        }
        try launch(words[0], Array(words.dropFirst()), name: program)
    }

    /// - Returns: The program's standard output.
    @discardableResult
    private func launch(
        _ executable: String, _ arguments: [String], name: String, input: String = ""
    ) throws(LoadError) -> String {
        let base = "\(folder)-\(name)-\(UInt64.random(in: 0 ... .max))"
        defer { for end in [".in", ".out", ".err"] { unsafe unlink(base + end) } }
        try Folder.write(Array(input.utf8), to: base + ".in")
        let given = unsafe open(base + ".in", O_RDONLY | O_CLOEXEC)
        defer { close(given) }
        let process = try RunningProcess(
            executable, arguments, name: name, output: base + ".out", complaints: base + ".err", input: given)
        let ending = process.wait()
        guard ending?.status == 0 else {
            let status = ending.map { "\($0)" } ?? "no status"
            throw LoadError("\(name) ended with \(status): \(Folder.lastLines(of: base + ".err"))")
        }
        return Folder.text(base + ".out")
    }
}
