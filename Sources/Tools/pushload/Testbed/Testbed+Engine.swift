internal import FoundationEssentials
internal import Glibc

/// The engine of a testbed: one master at a time, with its children.
extension Testbed {
    /// Starts `pushmta run` in the background.
    /// - Parameter executable: Another copy of the program's file; `nil` for the usual file.
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

    /// Waits until the launched master answers and is permitted to start children.
    package func engineIsReady() async throws {
        try await Waiting.until("the engine to be ready") {
            if let engine { try engine.requireRunning() }
            // A master that has taken the lock but not yet opened its socket exists but cannot be queried.
            return (try? await status())?.master.flatMap { $0.state == "starting" ? nil : () }
        }
    }

    /// Ends the engine with SIGTERM. Outstanding requests get their answers, and no new requests begin.
    @discardableResult
    package func stopEngine() async throws -> RunningProcess.ExitInfo {
        guard let engine else { throw LoadError("the engine was not started") }
        return try await engine.endByRequest()
    }

    /// Kills the master with `kill -9` and returns the time for which its children outlived it. Afterwards
    /// neither the master nor its children are running.
    package func killMaster() async throws -> Duration {
        guard let engine, let master = try await status().master else {
            throw LoadError("there is no master to kill")
        }
        engine.killAndReap()
        return try await waitForOrphans(master.children.map(\.pid))
    }

    /// Waits until the children of a master that was just killed have ended.
    /// - Returns: The time for which the children outlived the master.
    func waitForOrphans(_ children: [Int32]) async throws -> Duration {
        let start = ContinuousClock.now
        // A child that was stopped continues and finds that its link is closed.
        for child in children { Glibc.kill(child, SIGCONT) }
        return try await Waiting.until("the children to end after their master") {
            children.contains(where: ProcessTable.isAlive) ? nil : ContinuousClock.now - start
        }
    }

    /// Kills one child with `kill -9`.
    package func kill(child processID: Int32) { Glibc.kill(processID, SIGKILL) }

    /// Stops one child with SIGSTOP. It stays alive and does nothing, as if it were stuck.
    package func stop(child processID: Int32) { Glibc.kill(processID, SIGSTOP) }

    package var engineLog: String { engineLogs.map { Folder.text($0) }.joined() }
}
