import Foundation
import Glibc
import TestSupport

/// The result of a finished command.
struct Finished: Sendable {
    /// The exit status. If a signal ended the command, the negative of its number.
    var status: Int32
    var output: String
    var errors: String

    var errorLines: [String] { errors.split(separator: "\n").map(String.init) }
    var outputLines: [String] { output.split(separator: "\n").map(String.init) }

    /// Returns the standard output, parsed as JSON.
    func json() throws -> Any { try JSONSerialization.jsonObject(with: Data(output.utf8)) }
}

/// A running command. Its output goes to files, so that no pipe can fill up.
///
/// It is spawned without Foundation's Process, which passes on the test runner's blocked signals and lets
/// commands inherit each other's descriptors.
final class RunningCommand: Sendable {
    struct CannotStart: Error { var errorNumber: Int32 }

    let processID: pid_t
    /// The command as it was typed.
    private let name: String
    private let ended: AsyncStream<Int32>
    private let outputFile: String
    private let errorFile: String
    /// Whether the output goes to a place from which it cannot be read back.
    private let isOutputElsewhere: Bool
    private let areErrorsElsewhere: Bool

    /// - Parameters:
    ///   - output: A device that replaces the file from which ``Finished/output`` is read.
    ///   - errors: The same for standard error.
    ///   - limits: Options of the shell's `ulimit` that apply to the program.
    ///   - environment: `NAME=VALUE` in addition to the tests' own environment.
    init(
        program: String, arguments: [String], folder: URL, input: String, output: String?,
        errors: String? = nil,
        limits: String? = nil, environment: [String] = []
    ) throws {
        name = ([URL(filePath: program).lastPathComponent] + arguments).joined(separator: " ")
        let prefix = folder.appending(path: ".\(UUID().uuidString)").path(percentEncoded: false)
        isOutputElsewhere = output != nil
        outputFile = output ?? prefix + ".out"
        areErrorsElsewhere = errors != nil
        errorFile = errors ?? prefix + ".err"
        try input.write(toFile: prefix + ".in", atomically: false, encoding: .utf8)
        // env executes the program in its own process, as the shell does, so the process id stays the same.
        // PUSHMTA_CONFIG is set so that, in a folder without a configuration, the configuration of an
        // installed service is not used.
        let command =
            [
                "/usr/bin/env", "--chdir=\(folder.path(percentEncoded: false))",
                "PUSHMTA_CONFIG=serverConf.xml",
            ] + environment + [program] + arguments
        processID = try Self.spawn(
            (limits.map { ["/bin/sh", "-c", "ulimit \($0); exec \"$@\"", "sh"] } ?? []) + command,
            files: [prefix + ".in", outputFile, errorFile])

        let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
        ended = stream
        Thread.detachNewThread { [processID] in
            continuation.yield(Self.wait(for: processID))
            continuation.finish()
        }
    }

    func signal(_ number: Int32) { kill(processID, number) }

    /// Returns the standard error so far.
    func errorsSoFar() throws -> String { try String(contentsOfFile: errorFile, encoding: .utf8) }
    func outputSoFar() throws -> String { try String(contentsOfFile: outputFile, encoding: .utf8) }

    /// Waits until this text appears in the standard error.
    func waitForOutput(_ text: String) async throws {
        try await eventually("\(name) prints '\(text)'") { try errorsSoFar().contains(text) }
    }

    /// Waits for the command to end.
    /// - Throws: ``Patience/Exhausted`` if the command did not end and had to be killed.
    func finished() async throws -> Finished {
        let processID = processID
        let guardian = Task {
            try await Task.sleep(for: Patience.limit)
            kill(processID, SIGKILL)
            return true
        }
        var status = Int32.min
        for await end in ended { status = end }
        guardian.cancel()
        if (try? await guardian.value) == true {
            throw Patience.Exhausted("\(name) did not end: \((try? errorsSoFar()) ?? "")")
        }
        return Finished(
            status: status, output: isOutputElsewhere ? "" : try outputSoFar(),
            errors: areErrorsElsewhere ? "" : try errorsSoFar())
    }

    // MARK: The operating system

    // Unsafe throughout, because the C library fills the structures through pointers. All of them are local
    // to the call.

    private static func spawn(_ words: [String], files: [String]) throws -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, files[0], O_RDONLY, 0)
        unsafe posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, files[1], O_WRONLY | O_CREAT, 0o600)
        unsafe posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, files[2], O_WRONLY | O_CREAT, 0o600)

        // As a shell would start it: no signal is blocked or ignored.
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        unsafe sigfillset(&signals)
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { for index in unsafe arguments.indices { unsafe free(arguments[index]) } }
        var process: pid_t = 0
        let error = unsafe posix_spawn(&process, words[0], &actions, &attributes, &arguments, environ)
        guard error == 0 else { throw CannotStart(errorNumber: error) }
        return process
    }

    private static func wait(for process: pid_t) -> Int32 {
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : -signal
    }
}
