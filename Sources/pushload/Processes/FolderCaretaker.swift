internal import Glibc

/// A process that ends whatever holds a folder, when this one has vanished: a pipe tells it, however that
/// happens.
package final class FolderCaretaker {
    private let process: RunningProcess
    private var pipeEnd: Int32?

    package var processID: Int32 { process.processID }

    /// - Parameters:
    ///   - log: what its outputs are called, without their endings.
    ///   - removes: the folder too, at the end.
    package init(of folder: String, log: String, removes: Bool = false) throws(LoadError) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw LoadError.system("pipe", on: folder) }
        defer { close(ends[0]) }
        process = try RunningProcess(
            try Programs().pushload, ["caretaker", folder] + (removes ? ["--removes"] : []),
            name: "pushload caretaker",
            output: log + ".out", complaints: log + ".err", input: ends[0])
        pipeEnd = ends[1]
    }

    deinit { dismiss() }

    /// Its work begins.
    package func dismiss() {
        if let pipeEnd { close(pipeEnd) }
        pipeEnd = nil
    }

    /// Waits for the end of its work.
    package func end() async throws { _ = try await process.end() }
    package func wait() { _ = process.wait() }

    /// It does nothing any more.
    package func killAndReap() { process.killAndReap() }
}
