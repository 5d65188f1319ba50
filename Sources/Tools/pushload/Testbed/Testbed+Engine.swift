internal import FoundationEssentials
internal import Glibc

/// The engine of a testbed: one master at a time, with its children.
extension Testbed {
    /// Starts `pushmta run` in the background.
    /// - Parameter executable: Another file of the same program.
    package func launchEngine(_ executable: String? = nil) throws {
        let options =
            (settings.retentionDaySeconds.map { ["--retention-day-seconds", "\($0)"] } ?? [])
            + takeOverOptions
        let log = folder.file("engine-\(engineLogs.count + 1).log")
        engine = try start(executable ?? programs.pushmta, configuration + ["run"] + options, log: log)
        engineLogs.append(log)
    }

    var takeOverOptions: [String] { settings.takeOverMilliseconds.map { ["--take-over-ms", "\($0)"] } ?? [] }

    /// Starts the engine and waits until it answers.
    package func startEngine() async throws {
        try launchEngine()
        try await engineIsReady()
    }

    /// Waits until the launched master answers and may have children.
    package func engineIsReady() async throws {
        try await Waiting.until("the engine to be ready") {
            if let engine { try engine.requireRunning() }
            // Between taking the lock and opening its socket, a master exists but cannot be queried.
            return (try? await status())?.master.flatMap { $0.state == "starting" ? nil : () }
        }
    }

    /// Ends the engine with SIGTERM. Outstanding requests get their answers, and no new ones begin.
    @discardableResult
    package func stopEngine() async throws -> RunningProcess.ExitInfo {
        guard let engine else { throw LoadError("the engine was not started") }
        return try await engine.endByRequest()
    }

    /// Kills the master with `kill -9` and returns how long its children survived it. Neither the master nor
    /// its children run afterwards.
    package func killMaster() async throws -> Duration {
        guard let engine, let master = try await status().master else {
            throw LoadError("there is no master to kill")
        }
        engine.killAndReap()
        return try await waitForOrphans(master.children.map(\.pid))
    }

    /// - Returns: How long the children of a master that has just been killed survived it.
    func waitForOrphans(_ children: [Int32]) async throws -> Duration {
        let start = ContinuousClock.now
        // A child that was stopped wakes and finds its link closed.
        for child in children { Glibc.kill(child, SIGCONT) }
        return try await Waiting.until("the children to end after their master") {
            children.contains(where: ProcessTable.isAlive) ? nil : ContinuousClock.now - start
        }
    }

    /// Kills one child with `kill -9`.
    package func kill(child processID: Int32) { Glibc.kill(processID, SIGKILL) }

    /// Stops one child with SIGSTOP. It stays alive and does nothing, like a child that hangs.
    package func stop(child processID: Int32) { Glibc.kill(processID, SIGSTOP) }

    package var engineLog: String { engineLogs.map { Folder.text($0) }.joined() }
}
