import Foundation
import Glibc
import TestSupport
import Testing

/// Tests a service whose log files another program moves away, as logrotate does.
struct LogRotationTests {
    private static let files = ["service.log", "attempts.log"]
    private static let configuration = Workspace.configuration(
        mta: #"autoStart="true" deliveryLog="attempts.log""#)

    private static func workspace() async throws -> Workspace {
        let workspace = try await Workspace.withApp(configuration)
        try await workspace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: Workspace.subscribers(3))
        return workspace
    }

    /// Returns whether the process has this file open.
    private static func hasOpen(_ name: String, _ process: RunningCommand) -> Bool {
        let folder = "/proc/\(process.processID)/fd"
        let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return descriptors.contains { descriptor in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(descriptor)")
            return target?.hasSuffix("/" + name) == true
        }
    }

    @Test func `reload and SIGHUP reopen both logs, even if the configuration is wrong`() async throws {
        let workspace = try await Self.workspace()
        let run = try workspace.start(["run", "--log-file", "service.log"])
        try await eventually("it serves") {
            try workspace.exists("service.log") && workspace.text(of: "service.log").contains("serving")
        }
        let orders: [(suffix: String, () async throws -> Void)] = [
            ("1", { try await workspace.succeed("reload") }), ("2", { run.signal(SIGHUP) }),
            (
                "3",
                {
                    try workspace.write("<serverConf", to: "serverConf.xml")
                    run.signal(SIGHUP)
                }
            ),
            (
                "4",
                {
                    let reload = try await workspace.run("reload")
                    #expect(reload.status == 3 && reload.errors.contains("nothing was changed"))
                }
            ),
        ]
        for (suffix, order) in orders {
            for name in Self.files {
                let moved = unsafe rename(workspace.path(name), workspace.path("\(name)-\(suffix)"))
                #expect(moved == 0)
            }
            try await order()
            for name in Self.files {
                try await eventually("\(name) after order \(suffix)") {
                    workspace.exists(name) && !Self.hasOpen("\(name)-\(suffix)", run)
                }
            }
        }
        try workspace.write(Self.configuration, to: "serverConf.xml")
        try await workspace.succeed("send", "--app", "ios", "--user-key", "user1", "--title", "x", "--wait")
        try await eventually("the attempt's line") {
            try workspace.text(of: "attempts.log").contains("outcome=sent")
        }
        run.signal(SIGTERM)
        #expect(try await run.finished().status == 0)
        #expect(try workspace.text(of: "service.log").contains("stopped"))
        #expect(try workspace.text(of: "service.log-1").contains("serving"))
    }

    @Test func `a deleted log file is created again when the next line is written`() async throws {
        let workspace = try await Self.workspace()
        let run = try workspace.start(["run", "--log-file", "service.log"])
        try await eventually("it serves") {
            try workspace.exists("service.log") && workspace.text(of: "service.log").contains("serving")
        }
        for name in Self.files { try FileManager.default.removeItem(atPath: workspace.path(name)) }
        try await workspace.succeed("send", "--app", "ios", "--user-key", "user1", "--title", "x", "--wait")
        try await eventually("the attempt's line") {
            try workspace.exists("attempts.log")
                && workspace.text(of: "attempts.log").contains("outcome=sent")
        }
        run.signal(SIGTERM)
        #expect(try await run.finished().status == 0)
        #expect(try workspace.text(of: "service.log").contains("stopped"))
    }
}
