internal import FoundationEssentials
internal import Glibc

/// The engine of a testbed: one master at a time, and its children.
extension Testbed {
    /// `pushmta run`, in the background.
    /// - Parameter executable: another file of the same program.
    package func launchEngine(_ executable: String? = nil) throws {
        let options =
            (settings.retentionDaySeconds.map { ["--retention-day-seconds", "\($0)"] } ?? [])
            + takeOverOptions
        let log = folder.file("engine-\(engineLogs.count + 1).log")
        engine = try start(executable ?? programs.pushmta, configuration + ["run"] + options, log: log)
        engineLogs.append(log)
    }

    var takeOverOptions: [String] { settings.takeOverMilliseconds.map { ["--take-over-ms", "\($0)"] } ?? [] }

    /// The same, and waits until it answers.
    package func startEngine() async throws {
        try launchEngine()
        try await engineIsReady()
    }

    /// Waits until the master that was launched answers, and may have children.
    package func engineIsReady() async throws {
        try await Waiting.until("the engine to be ready") {
            if let engine { try engine.requireRunning() }
            // Between taking the lock and opening its socket a master is there and cannot be asked.
            return (try? await status())?.master.flatMap { $0.state == "starting" ? nil : () }
        }
    }

    /// SIGTERM: what is out gets its answer, and nothing new begins.
    @discardableResult
    package func stopEngine() async throws -> RunningProcess.Ending {
        guard let engine else { throw LoadError("no engine was started") }
        return try await engine.endByRequest()
    }

    /// `kill -9` of the master, and how long its children lived on; the testbed is empty afterwards.
    package func killMaster() async throws -> Duration {
        guard let engine, let master = try await status().master else { throw LoadError("no master to kill") }
        engine.killAndReap()
        return try await waitForOrphans(master.children.map(\.pid))
    }

    /// - Returns: how long children lived on whose master has just been killed.
    func waitForOrphans(_ children: [Int32]) async throws -> Duration {
        let start = ContinuousClock.now
        // One that was stopped wakes to the end of its link.
        for child in children { Glibc.kill(child, SIGCONT) }
        return try await Waiting.until("the children to follow their master") {
            children.contains(where: ProcessTable.isAlive) ? nil : ContinuousClock.now - start
        }
    }

    /// `kill -9` of one child.
    package func kill(child processID: Int32) { Glibc.kill(processID, SIGKILL) }

    /// SIGSTOP: it lives and does nothing, as a child that wedged.
    package func stop(child processID: Int32) { Glibc.kill(processID, SIGSTOP) }

    package var engineLog: String { engineLogs.map { Folder.text($0) }.joined() }
}
