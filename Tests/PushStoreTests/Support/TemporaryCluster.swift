import Foundation
import Glibc
import PushStore
import Synchronization

/// A PostgreSQL server of this process's own: on a Unix socket in a temporary folder, with the durability of a real one.
///
/// A shell keeps it, as another user where this one is root. It ends the server and removes the folder when its input
/// ends, and that is when this process does, however it does.
final class TemporaryCluster: Sendable {
    struct Unavailable: Error, CustomStringConvertible {
        var description: String
    }

    /// One for all tests of this process that do no harm to it; nil where this machine has no PostgreSQL.
    static let shared: TemporaryCluster? = {
        do { return try TemporaryCluster() } catch {
            print("◇ tests on PostgreSQL do not run: \(error)")
            return nil
        }
    }()

    let folder: String
    let programs: String
    private let keeper: Mutex<Keeper>
    private let lastDatabase = Mutex(0)

    private struct Keeper: @unchecked Sendable {
        let process: Process
        let orders: FileHandle
        let answers: FileHandle
    }

    init() throws {
        guard let programs = Self.findPrograms() else {
            throw Unavailable(description: "no initdb in /usr/lib/postgresql/*/bin; install postgresql")
        }
        self.programs = programs
        folder = FileManager.default.temporaryDirectory.path + "/pushmta-cluster-\(UInt64.random(in: 0 ... .max))"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let process = Process()
        let shell = ["/bin/sh", "-c", Self.script, "keeper", programs, folder]
        if geteuid() == 0 {
            // initdb refuses to run as root.
            let account = try Self.account()
            guard unsafe chown(folder, account.uid, account.gid) == 0 else {
                throw Unavailable(description: "cannot give \(folder) to another user")
            }
            process.executableURL = URL(filePath: "/usr/bin/setpriv")
            process.arguments =
                ["--reuid=\(account.uid)", "--regid=\(account.gid)", "--clear-groups", "--"] + shell
        } else {
            process.executableURL = URL(filePath: shell[0])
            process.arguments = Array(shell.dropFirst())
        }
        let (orders, answers) = (Pipe(), Pipe())
        process.standardInput = orders
        process.standardOutput = answers
        try process.run()
        keeper = Mutex(
            Keeper(
                process: process, orders: orders.fileHandleForWriting, answers: answers.fileHandleForReading))
        try awaitAnswer()
    }

    deinit {
        keeper.withLock {
            try? $0.orders.close()
            $0.process.waitUntilExit()
        }
    }

    private static let script = """
        PATH=$1:$PATH; folder=$2
        ctl() { pg_ctl -s -w -D "$folder/data" -l "$folder/log" "$@" </dev/null >/dev/null 2>&1; }
        trap 'ctl -m immediate stop; rm -rf "$folder"' EXIT
        trap '' INT TERM
        cd "$folder"
        initdb -D data -U postgres -A trust -E UTF8 --locale=C --no-sync </dev/null >initdb.log 2>&1 || exit 1
        printf '%s\\n' "listen_addresses = ''" "unix_socket_directories = '$folder'" 'max_connections = 300' \
            'shared_buffers = 32MB' 'log_min_messages = fatal' >> data/postgresql.conf
        printf '%s\\n' 'local all asked scram-sha-256' 'local all all trust' > data/pg_hba.conf
        ctl start || exit 1
        echo done
        while read -r order; do ctl -m immediate $order && echo done; done
        """

    private static func findPrograms() -> String? {
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        return versions.compactMap { name in Int(name).map { (number: $0, name: name) } }
            .filter { $0.number >= 15 }.sorted { $0.number > $1.number }
            .map { "/usr/lib/postgresql/\($0.name)/bin" }
            .first { FileManager.default.isExecutableFile(atPath: $0 + "/initdb") }
    }

    private static func account() throws -> (uid: uid_t, gid: gid_t) {
        for name in ["postgres", "nobody"] {
            if let entry = unsafe getpwnam(name) { return unsafe (entry.pointee.pw_uid, entry.pointee.pw_gid) }
        }
        throw Unavailable(description: "there is no other user to run it as")
    }

    /// Ends every connection as a crash does, and recovers.
    func restart() throws { try order("restart") }
    func stop() throws { try order("stop") }
    func start() throws { try order("start") }

    private func order(_ order: String) throws {
        try keeper.withLock { try $0.orders.write(contentsOf: Data("\(order)\n".utf8)) }
        try awaitAnswer()
    }

    private func awaitAnswer() throws {
        let answer = keeper.withLock { $0.answers.availableData }
        guard String(decoding: answer, as: UTF8.self) == "done\n" else {
            throw Unavailable(description: "PostgreSQL did not start in \(folder)")
        }
    }

    // MARK: Databases

    /// A database of that name is made, like another one where that is named.
    func makeDatabase(like template: String? = nil, encoding: String? = nil) throws -> PostgreSQLServer {
        let number = lastDatabase.withLock { last in
            last += 1
            return last
        }
        let name = "test\(number)"
        try run(
            "CREATE DATABASE \(name)" + (template.map { " TEMPLATE \($0)" } ?? "")
                + (encoding.map { " ENCODING '\($0)' TEMPLATE template0" } ?? ""))
        return server(name)
    }

    func drop(_ server: PostgreSQLServer) throws { try run("DROP DATABASE \(server.database) WITH (FORCE)") }

    func server(_ database: String, account: String = "postgres") -> PostgreSQLServer {
        PostgreSQLServer(hosts: [.init(name: folder)], account: account, database: database)
    }

    /// What another program makes of a statement: a line a row.
    @discardableResult
    func run(_ sql: String, in database: String = "postgres") throws -> [String] {
        let process = Process()
        process.executableURL = URL(filePath: programs + "/psql")
        process.arguments = [
            "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", folder, "-U", "postgres", "-d", database, "-f", "-",
        ]
        var environment = ProcessInfo.processInfo.environment
        environment["PGOPTIONS"] = "-c search_path=pushmta -c client_min_messages=warning"
        process.environment = environment
        let (input, output, errors) = (Pipe(), Pipe(), Pipe())
        (process.standardInput, process.standardOutput, process.standardError) = (input, output, errors)
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data(sql.utf8))
        try input.fileHandleForWriting.close()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        let complaint = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Unavailable(description: "\(String(decoding: complaint, as: UTF8.self)) of \(sql)")
        }
        return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
