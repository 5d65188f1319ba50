import Foundation
import Glibc
import TestSupport
import Testing

/// Tests a service whose environment fails. The service reports the failure, and can be ordered to end.
struct RunDuringFailuresTests {
    private static func isMasterRunning(_ workspace: Workspace) async throws -> Bool {
        try await workspace.run("status").status == 0
    }

    @Test func `run starts its threads regardless of the stack size limit`() async throws {
        let workspace = try await Workspace.withApp()
        // If this is the default size of a thread's stack, the stack exceeds the address space.
        let run = try workspace.start(["run"], limits: "-s 200000000000")
        try await eventually("it serves") { try run.errorsSoFar().contains("serving") }
        run.signal(SIGTERM)
        #expect(try await run.finished().status == 0)
    }

    @Test func `if memory is short, run reports why it ends, or it serves and can be ended`() async throws {
        let workspace = try await Workspace.withApp()
        var lacksThread = 0
        var serves = false
        for megabytes in stride(from: 96, to: 512, by: 8) where !serves {
            let run = try workspace.start(["run"], limits: "-v \(megabytes << 10)")
            try await eventually("it serves or has ended") {
                try run.errorsSoFar().contains("serving") || kill(run.processID, 0) != 0
            }
            let said = try run.errorsSoFar()
            run.signal(SIGTERM)
            let finished = try await run.finished()
            #expect(finished.status != -SIGKILL, "it hung with \(megabytes) MB: \(said)")
            if said.contains("cannot start the thread") {
                lacksThread += 1
                #expect(finished.status == 1, "\(said)")
            }
            serves = said.contains("serving") && finished.status == 0
        }
        #expect(serves && lacksThread > 0)
    }

    @Test
    func `if run cannot create its Unix socket, it reports the failure and ends with 1 before it serves`()
        async throws
    {
        let workspace = try await Workspace.withApp()
        // A folder at the socket's path is not replaced.
        try FileManager.default.createDirectory(
            atPath: workspace.path("var/pushmta.db.control"), withIntermediateDirectories: false)
        let finished = try await workspace.run("run")
        #expect(finished.status == 1 && !finished.errors.contains("serving"))
        #expect(finished.errors.contains("cannot listen on"))
        let start = try await workspace.run("start")
        #expect(start.status == 1 && start.errors.contains("cannot listen on"))
    }

    @Test func `run serves and sends with 32 open files`() async throws {
        let workspace = try await Workspace.withApp()
        let run = try workspace.start(["run"], limits: "-n 32")
        try await eventually("the master answers") { try await Self.isMasterRunning(workspace) }
        try await Self.deliver(workspace)
        run.signal(SIGTERM)
        #expect(try await run.finished().status == 0)
    }

    @Test func `a log that is not read blocks neither sending, nor answers, nor the end of run`() async throws
    {
        let workspace = try await Workspace.withApp()
        let pipe = try FullPipe(in: workspace.folder)
        let run = try workspace.start(["run"], errors: pipe.path)
        try await eventually("the master answers") { try await Self.isMasterRunning(workspace) }
        try await Self.deliver(workspace)
        // A reader that starts later finds the lines.
        var text = ""
        try await eventually("the log to be read") {
            text += pipe.read()
            return text.contains("serving")
        }
        run.signal(SIGTERM)
        #expect(try await run.finished().status == 0)
    }

    @Test func `run continues after the reader of its log ends, and after SIGHUP and SIGUSR1`() async throws {
        let workspace = try await Workspace.withApp()
        let pipe = try FullPipe(in: workspace.folder)
        let run = try workspace.start(["run"], errors: pipe.path)
        try await eventually("the master answers") { try await Self.isMasterRunning(workspace) }
        pipe.closeReader()
        for signal in [SIGHUP, SIGUSR1, SIGHUP] { run.signal(signal) }
        try await Self.deliver(workspace)
        run.signal(SIGTERM)
        #expect(try await run.finished().status == 0)
    }

    @Test func `SIGTERM immediately ends the wait for an earlier master's children`() async throws {
        let workspace = try await Workspace.withApp()
        // Replaces a child that outlives its master: a process that has locked this file.
        let child = unsafe open(
            workspace.path("var/pushmta.db.children"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        try #require(child >= 0)
        defer { close(child) }
        try #require(Self.lockShared(child) == 0)
        let run = try workspace.start(["run"])
        try await eventually("it waits") { try run.errorsSoFar().contains("waiting up to 30 s for children") }
        let begin = ContinuousClock.now
        run.signal(SIGTERM)
        let finished = try await run.finished()
        #expect(finished.status == 0 && !finished.errors.contains("serving"), "\(finished.errors)")
        #expect(ContinuousClock.now - begin < .seconds(20))
    }

    /// flock(2), which Swift cannot distinguish from the structure with the same name.
    private static func lockShared(_ descriptor: Int32) -> Int32 {
        typealias Function = @convention(c) (Int32, Int32) -> Int32
        guard let symbol = unsafe dlsym(nil, "flock") else { return -1 }
        return unsafe unsafeBitCast(symbol, to: Function.self)(descriptor, LOCK_SH)
    }

    /// Runs a delivery from its submission until it ends.
    private static func deliver(_ workspace: Workspace) async throws {
        try workspace.write(Workspace.subscribers(500), to: "subscribers.csv")
        try await workspace.succeed("subscribers", "import", "subscribers.csv", "--app", "ios")
        try await workspace.succeed("delivery", "submit", "-", "--wait", input: try Workspace.document())
    }
}
