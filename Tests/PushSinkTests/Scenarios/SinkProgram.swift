import Foundation
import Testing
import pushsink

/// The built program as a process. It writes to files: another test that starts a process at the same moment
/// would inherit the end of a pipe, and the pipe would end only with that process.
final class SinkProgram {
    /// The program is next to the test bundle.
    static let executable = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("pushsink").path

    private let directory: String
    private let pid: pid_t
    private var status: Int32?

    /// Starts the program. Its outputs are files in `directory`.
    init(_ arguments: [String], in directory: String, executable: String = SinkProgram.executable) throws {
        self.directory = directory
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (descriptor, name) in [(Int32(1), "output"), (2, "errors")] {
            posix_spawn_file_actions_addopen(
                &actions, descriptor, "\(directory)/\(name)", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        }
        var words: [UnsafeMutablePointer<CChar>?] = ([executable] + arguments).map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        var pid: pid_t = 0
        let cause = posix_spawn(&pid, executable, &actions, nil, &words, environ)
        guard cause == 0 else {
            throw SinkError.failed("starting \(executable)", why: String(cString: strerror(cause)))
        }
        self.pid = pid
    }

    var output: String { (try? Files.text("\(directory)/output")) ?? "" }
    var errors: String { (try? Files.text("\(directory)/errors")) ?? "" }

    var isRunning: Bool {
        if status == nil {
            var raw: Int32 = 0
            if waitpid(pid, &raw, WNOHANG) == pid { status = raw }
        }
        return status == nil
    }

    func signal(_ number: Int32) { if isRunning { _ = kill(pid, number) } }

    /// Waits for the end of the process and returns its exit code. If a signal ended it, the result is the
    /// negative signal number.
    func wait() -> Int32 {
        if status == nil {
            var raw: Int32 = 0
            while waitpid(pid, &raw, 0) == -1, errno == EINTR {}
            status = raw
        }
        let raw = status ?? 0
        return raw & 0x7F == 0 ? raw >> 8 & 0xFF : -(raw & 0x7F)
    }

    /// Requests the end of the process and waits for it.
    func end() -> Int32 {
        signal(SIGTERM)
        return wait()
    }

    /// Runs the program until it ends.
    static func run(_ arguments: [String], executable: String = SinkProgram.executable) throws -> (
        status: Int32, output: String, errors: String
    ) {
        let directory = try Files.makeTemporaryDirectory()
        defer { Files.removeDirectory(directory) }
        let program = try SinkProgram(arguments, in: directory, executable: executable)
        let status = program.wait()
        return (status, program.output, program.errors)
    }
}
