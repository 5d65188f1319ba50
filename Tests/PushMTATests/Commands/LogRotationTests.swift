import Foundation
import Glibc
import TestSupport
import Testing

/// Tests a service whose log files another program moves away, as logrotate does.
struct LogRotationTests {
    private static let files = ["service.log", "attempts.log"]
    private static let configuration = Workplace.configuration(
        mta: #"autoStart="true" deliveryLog="attempts.log""#)

    private static func workplace() async throws -> Workplace {
        let workplace = try await Workplace.withApp(configuration)
        try await workplace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: Workplace.subscribers(3))
        return workplace
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
        let workplace = try await Self.workplace()
        let run = try workplace.start(["run", "--log-file", "service.log"])
        try await eventually("it serves") {
            try workplace.exists("service.log") && workplace.text(of: "service.log").contains("serving")
        }
        let orders: [(suffix: String, () async throws -> Void)] = [
            ("1", { try await workplace.succeed("reload") }), ("2", { run.signal(SIGHUP) }),
            (
                "3",
                {
                    try workplace.write("<serverConf", to: "serverConf.xml")
                    run.signal(SIGHUP)
                }
            ),
            (
                "4",
                {
                    let reload = try await workplace.run("reload")
                    #expect(reload.status == 3 && reload.errors.contains("nothing was changed"))
                }
            ),
        ]
        for (suffix, order) in orders {
            for name in Self.files {
                let moved = unsafe rename(workplace.path(name), workplace.path("\(name)-\(suffix)"))
                #expect(moved == 0)
            }
            try await order()
            for name in Self.files {
                try await eventually("\(name) after order \(suffix)") {
                    workplace.exists(name) && !Self.hasOpen("\(name)-\(suffix)", run)
                }
            }
        }
        try workplace.write(Self.configuration, to: "serverConf.xml")
        try await workplace.succeed("send", "--app", "ios", "--user-key", "user1", "--title", "x", "--wait")
        try await eventually("the attempt's line") {
            try workplace.text(of: "attempts.log").contains("outcome=sent")
        }
        run.signal(SIGTERM)
        #expect(try await run.finished().status == 0)
        #expect(try workplace.text(of: "service.log").contains("stopped"))
        #expect(try workplace.text(of: "service.log-1").contains("serving"))
    }

    @Test func `a deleted log is created again with the next line`() async throws {
        let workplace = try await Self.workplace()
        let run = try workplace.start(["run", "--log-file", "service.log"])
        try await eventually("it serves") {
            try workplace.exists("service.log") && workplace.text(of: "service.log").contains("serving")
        }
        for name in Self.files { try FileManager.default.removeItem(atPath: workplace.path(name)) }
        try await workplace.succeed("send", "--app", "ios", "--user-key", "user1", "--title", "x", "--wait")
        try await eventually("the attempt's line") {
            try workplace.exists("attempts.log")
                && workplace.text(of: "attempts.log").contains("outcome=sent")
        }
        run.signal(SIGTERM)
        #expect(try await run.finished().status == 0)
        #expect(try workplace.text(of: "service.log").contains("stopped"))
    }
}
