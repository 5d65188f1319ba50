internal import ArgumentParser
internal import Glibc

/// A helper process. When this process ends for any reason, the helper ends all processes that have open
/// files below a folder. The helper detects the end of this process because a pipe from this process is
/// closed.
package final class CleanupProcess {
    private let process: RunningProcess
    private var pipeEnd: Int32?

    package var processID: Int32 { process.processID }

    /// - Parameters:
    ///   - log: The path of the helper's output files, without their extensions.
    ///   - removes: Whether the helper also removes the folder at the end.
    package init(of folder: String, log: String, removes: Bool = false) throws(LoadError) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw LoadError.system("pipe", on: folder) }
        defer { close(ends[0]) }
        process = try RunningProcess(
            try Programs().pushload, ["caretaker", folder] + (removes ? ["--removes"] : []),
            name: "pushload caretaker", output: log + ".out", complaints: log + ".err", input: ends[0])
        pipeEnd = ends[1]
    }

    deinit { dismiss() }

    /// Closes the pipe, so that the helper begins its work.
    package func dismiss() {
        if let pipeEnd { close(pipeEnd) }
        pipeEnd = nil
    }

    /// Waits until the helper has finished its work.
    package func end() async throws { _ = try await process.end() }
    package func wait() { _ = process.wait() }

    /// Kills the helper, so that it does no further work.
    package func killAndReap() { process.killAndReap() }
}

/// Ends the processes of a testbed whose owner ended without ending them, for example because of SIGKILL.
struct CleanupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "caretaker",
        abstract: "End the processes that a testbed leaves behind. Only testbeds start this command.",
        shouldDisplay: false)

    @Argument(help: "The testbed's folder.") var folder: String

    @Flag(help: "Remove the folder at the end.") var removes = false

    /// Standard input is a pipe whose other end only the owner holds, so the pipe ends when the owner ends.
    func run() throws {
        for number in [SIGINT, SIGTERM, SIGHUP] { _ = signal(number, SIG_IGN) }
        var byte: UInt8 = 0
        var count: Int
        repeat { count = unsafe read(0, &byte, 1) } while count > 0 || (count < 0 && errno == EINTR)
        DatabaseServer.end(below: folder)
        for (processID, _) in ProcessTable.holding(folder) { kill(processID, SIGKILL) }
        if removes { Folder.remove(folder) }
    }
}
