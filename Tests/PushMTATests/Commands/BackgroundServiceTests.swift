import Foundation
import Glibc
import TestSupport
import Testing

/// Tests `start`, `stop` and `restart` with a real service that is detached from the process that started it.
struct BackgroundServiceTests {
    /// Provides a workplace whose service is ended however the test ends.
    private static func withWorkplace(_ story: (Workspace) async throws -> Void) async throws {
        let workspace = try Workspace()
        do { try await story(workspace) } catch {
            if let process = process(in: workspace) { kill(process, SIGKILL) }
            throw error
        }
        if let process = process(in: workspace) { kill(process, SIGKILL) }
    }

    /// Returns the process id in the pid file; `nil` if there is none.
    private static func process(in workspace: Workspace) -> pid_t? {
        let text = try? workspace.text(of: "var/pushmta.db.pid")
        return text.flatMap { pid_t($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
    }

    /// Restarts the service at a time of day that is still in the future when the service reads it, however
    /// busy the machine is.
    private static func restart(_ service: RunningCommand, in workspace: Workspace) async throws {
        let words = DateFormatter()
        words.dateFormat = "HH:mm:ss"
        var secondsAhead = 2.0
        var moment: Date
        repeat {
            // The time in the file has no fraction of a second.
            moment = Date(
                timeIntervalSinceReferenceDate: (Date().timeIntervalSinceReferenceDate + secondsAhead)
                    .rounded(.down))
            let time = words.string(from: moment)
            try workspace.write(
                Workspace.configuration(mta: "autoStart=\"true\" processRestartTime=\"\(time)\""),
                to: "serverConf.xml")
            service.signal(SIGHUP)
            try await service.waitForOutput("-> \(time)")
            secondsAhead *= 2
        } while Date() >= moment
        try await eventually("it serves again") {
            try service.errorsSoFar().components(separatedBy: "message=\"serving ").count >= 3
        }
    }

    @Test func `start returns when the service is ready, and stop returns when the service has ended`()
        async throws
    {
        try await Self.withWorkplace { workspace in
            let start = try await workspace.succeed("start")
            let process = try #require(Self.process(in: workspace))
            #expect(start.output.contains("process \(process)"))
            let status = try await workspace.succeed("status", "--json").json() as? [String: Any]
            #expect((status?["master"] as? [String: Any])?["pid"] as? Int == Int(process))
            // The service inherits nothing from the process that started it: it leads its own session.
            #expect(getsid(process) == process)

            let again = try await workspace.run("start")
            #expect(again.status == 1 && again.errorLines.count == 1)
            #expect(again.errors.contains("process \(process)") && again.errors.contains("restart"))

            let stop = try await workspace.succeed("stop")
            #expect(stop.output.contains("process \(process) has ended"))
            #expect(kill(process, 0) != 0 || Self.isZombie(process))
            #expect(Self.process(in: workspace) == nil)
            let log = try workspace.text(of: "var/pushmta.db.log")
            #expect(
                log.contains("message=stopped")
                    && log.split(separator: "\n").allSatisfy { $0.hasPrefix("time=") })

            let second = try await workspace.run("stop")
            #expect(second.status == 1 && second.errors.contains("no master runs"))
        }
    }

    /// The process may remain unreaped: its only parent is the machine's first process.
    private static func isZombie(_ process: pid_t) -> Bool {
        let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        return status?.split(separator: ")").last?.hasPrefix(" Z") ?? true
    }

    @Test func `a stale pid file does not prevent a start`() async throws {
        try await Self.withWorkplace { workspace in
            // This process exists, but is not a service.
            try workspace.write("\(getpid())\n", to: "var/pushmta.db.pid")
            try await workspace.succeed("start")
            #expect(Self.process(in: workspace) != getpid())
            try await workspace.succeed("stop", "--deadline", "0")
        }
    }

    @Test func `restart replaces the running process, or starts one if none is running`() async throws {
        try await Self.withWorkplace { workspace in
            try await workspace.succeed("restart")
            let first = try #require(Self.process(in: workspace))
            try await workspace.succeed("restart", "--log-format", "json")
            let second = try #require(Self.process(in: workspace))
            #expect(first != second)
            func lines(of file: String) throws -> [Substring] {
                try workspace.text(of: file).split(separator: "\n")
            }
            try await eventually("the log reports in JSON that it serves") {
                try lines(of: "var/pushmta.db.log").contains { $0.hasPrefix("{") && $0.contains("serving") }
            }
            // The options of the running service apply until other options are given.
            try await workspace.succeed("restart", "--log-file", "other.log")
            try await eventually("the other log reports in JSON that it serves") {
                try lines(of: "other.log").contains { $0.hasPrefix("{") && $0.contains("serving") }
            }
            try await workspace.succeed("restart", "--log-format", "text")
            try await eventually("the other log reports as text that it serves") {
                try lines(of: "other.log").contains { $0.hasPrefix("time=") && $0.contains("serving") }
            }
            let third = try #require(Self.process(in: workspace))

            try workspace.write("<serverConf><mta autoStart=\"perhaps\"/></serverConf>", to: "serverConf.xml")
            let refused = try await workspace.run("restart")
            #expect(refused.status == 3 && kill(third, 0) == 0)
        }
    }

    @Test func `start reports that the service cannot start`() async throws {
        try await Self.withWorkplace { workspace in
            try workspace.write("not a database, and long enough to be seen as none", to: "var/pushmta.db")
            let start = try await workspace.run("start")
            #expect(start.status == 1 && start.errorLines.count == 1, "\(start.errors)")
            #expect(start.errors.contains("ended before it was ready (exit status 1): "))
            #expect(start.errors.contains("; the log is /"))
            #expect(start.errors.hasSuffix("/var/pushmta.db.log\n"))
            // The error contains the message of the log's last line, not the line itself.
            #expect(!start.errors.contains("time=") && !start.errors.contains("level="))
            let json = try await workspace.run("start", "--log-format", "json")
            #expect(json.status == 1 && json.errors == start.errors)
            #expect(Self.process(in: workspace) == nil)
        }
    }

    @Test func `start reports a configuration that starts no service`() async throws {
        let workspace = try Workspace(configuration: Workspace.configuration(mta: #"autoStart="false""#))
        let start = try await workspace.run("start")
        #expect(start.status == 1 && start.errors.contains("autoStart") && !workspace.exists("var"))
    }

    @Test func `restart runs the program that is installed at that moment`() async throws {
        let workspace = try Workspace()
        let (built, program) = (try BuiltProgram().path, workspace.path("pushmta"))
        for name in [program, program + ".next"] {
            // Another process makes the copy: a file that this process writes may be open in a program that a
            // parallel test spawns at that moment, and a file that is open for writing cannot be executed.
            let copy = try RunningCommand(
                program: "/bin/cp", arguments: [built, name], folder: workspace.folder, input: "",
                output: nil)
            #expect(try await copy.finished().status == 0)
        }
        let service = try RunningCommand(
            program: program, arguments: ["run"], folder: workspace.folder, input: "", output: nil)
        try await service.waitForOutput("serving ")
        // As in an upgrade, the file of the running program no longer has a name.
        try #require(unsafe rename(program + ".next", program) == 0)
        func file() throws -> String {
            try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(service.processID)/exe")
        }
        try await Self.restart(service, in: workspace)
        #expect(try file() == program)
        service.signal(SIGTERM)
        #expect(try await service.finished().status == 0)
    }

    @Test func `the service restarts at the configured time of day, without changing its process`()
        async throws
    {
        // The process is started as a service manager would start it: with the arguments of the program that
        // the process becomes.
        let workspace = try Workspace()
        let service = try workspace.start(["run"])
        try await service.waitForOutput("serving ")
        try await Self.restart(service, in: workspace)
        try await service.waitForOutput("the time set in mta/@processRestartTime has come")
        let status = try await workspace.succeed("status", "--json").json() as? [String: Any]
        #expect((status?["master"] as? [String: Any])?["pid"] as? Int == Int(service.processID))
        service.signal(SIGTERM)
        #expect(try await service.finished().status == 0)
    }
}
