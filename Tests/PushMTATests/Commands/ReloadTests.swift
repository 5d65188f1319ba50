import Foundation
import Glibc
import TestSupport
import Testing

/// Tests that a running service reads serverConf.xml again.
struct ReloadTests {
    private static func configuration(_ child: String = "", mta: String = #"autoStart="true""#) -> String {
        Workspace.configuration(mta: "\(mta)><child \(child)/></mta").replacing("></mta/>", with: "></mta>")
    }

    /// The line in the service's log about a file with this wrong value.
    private static func refusal(_ value: String) throws -> Regex<Substring> {
        try Regex(#"level=error message="not reloaded: serverConf\.xml:\d+:\d+: error: .*\#(value)"#)
    }

    @Test func `reload reports the changes, and which of them need a restart`() async throws {
        let workspace = try Workspace()
        try await workspace.withMaster { master in
            try await master.waitForOutput("serving")
            let unchanged = try await workspace.succeed("reload")
            #expect(unchanged.output.contains("no setting has changed"))

            try workspace.write(
                Self.configuration(#"maxWaitingMessages="77""#, mta: #"autoStart="true" verifyMode="true""#),
                to: "serverConf.xml")
            let reload = try await workspace.succeed("reload")
            #expect(
                reload.outputLines == [
                    "mta/child/@maxWaitingMessages: 2000 -> 77",
                    "mta/@verifyMode: false -> true, which needs a restart",
                ])
            // Commands and master agree on the settings again, so the master executes the commands.
            try await workspace.succeed("service", "create", "shop")
            let status = try await workspace.succeed("status", "--json").json() as? [String: Any]
            #expect((status?["master"] as? [String: Any])?["operations"] as? Int ?? 0 >= 3)

            let again = try await workspace.succeed("reload", "--json").json() as? [String: Any]
            #expect((again?["changes"] as? [Any])?.isEmpty == true)
            #expect(
                (again?["needRestart"] as? [[String: Any]])?.map { $0["path"] as? String } == [
                    "mta/@verifyMode"
                ])
        }
    }

    @Test func `reload warns of a misspelt attribute, and a refused restart leaves the service running`()
        async throws
    {
        let workspace = try Workspace()
        try await workspace.withMaster { master in
            try await master.waitForOutput("serving")
            try workspace.write(Self.configuration(#"maxWaitingMessage="77""#), to: "serverConf.xml")
            let reload = try await workspace.succeed("reload")
            #expect(reload.output.contains("no setting has changed"))
            #expect(
                reload.errorLines.contains { $0.hasPrefix("serverConf.xml:") && $0.contains("did you mean") })
            try await master.waitForOutput("did you mean")
            let json = try await workspace.succeed("reload", "--json").json() as? [String: Any]
            #expect((json?["warnings"] as? [String])?.contains { $0.contains("did you mean") } == true)

            try workspace.write(Self.configuration(#"maxWaitingMessages="many""#), to: "serverConf.xml")
            let restart = try await workspace.run("restart")
            #expect(restart.status == 3 && restart.errors.contains("maxWaitingMessages"))
            #expect(restart.errors.contains("the service continues with its earlier configuration"))
            try workspace.write(Workspace.configuration(), to: "serverConf.xml")
            #expect(try await workspace.run("status").status == 0)
        }
    }

    @Test func `reloading an invalid file, or a file that names an unusable file, changes nothing`()
        async throws
    {
        let workspace = try Workspace()
        try await workspace.withMaster { master in
            try await master.waitForOutput("serving")
            try workspace.write(
                Self.configuration(#"maxWaitingMessages="many""#), to: "serverConf.xml")
            let reload = try await workspace.run("reload")
            #expect(reload.status == 3 && reload.errors.contains("maxWaitingMessages"))
            #expect(!reload.errors.contains("warning:"))
            // The service's log contains the errors for which it refused both the command and the signal.
            try await eventually("the log to record the refusal") {
                try master.errorsSoFar().contains(try Self.refusal("many"))
            }
            try await master.waitForOutput("correct the file, then run 'pushmta reload' again")

            try workspace.write(Self.configuration(#"maxWaitingMessages="few""#), to: "serverConf.xml")
            master.signal(SIGHUP)
            try await eventually("the log to record the second refusal") {
                try master.errorsSoFar().contains(try Self.refusal("few"))
            }

            let relay =
                #"<nmac><relay address="127.0.0.1" trustedCertsChain="missing.pem"/></nmac></serverConf>"#
            try workspace.write(
                Workspace.configuration().replacing("</serverConf>", with: relay), to: "serverConf.xml")
            let missing = try await workspace.run("reload")
            #expect(missing.status == 3 && missing.errors.contains("missing.pem"))
            try workspace.write(Workspace.configuration(), to: "serverConf.xml")
            #expect(try await workspace.succeed("reload").output.contains("no setting has changed"))
            let trail = try await workspace.succeed("audit", "--limit", "2").outputLines.suffix(2)
            #expect(trail.first?.contains("engine.reload") == true, "\(trail)")
            #expect(trail.first?.contains("refused") == false, "\(trail)")
            #expect(trail.last?.contains("engine.reload  refused: ") == true, "\(trail)")
        }
    }

    @Test(arguments: ["<serverConf", "<other/>", ""])
    func `errors in a file are reported by the service, or by the command if no service is running`(
        text: String
    ) async throws {
        let workspace = try Workspace()
        try await workspace.withMaster { master in
            try await master.waitForOutput("serving")
            try workspace.write(text, to: "serverConf.xml")
            let reload = try await workspace.run("reload")
            #expect(reload.status == 3 && reload.errors.contains("nothing was changed"), "\(reload.errors)")
            try workspace.write(Workspace.configuration(), to: "serverConf.xml")
        }
        try workspace.write(text, to: "serverConf.xml")
        let reload = try await workspace.run("reload")
        #expect(reload.status == 3 && !reload.errors.contains("nothing was changed"), "\(reload.errors)")
    }

    @Test func `reload is refused if no master is running`() async throws {
        let reload = try await Workspace().run("reload")
        #expect(
            reload.status == 1 && reload.errorLines.count == 1 && reload.errors.contains("no master runs"))
    }

    @Test func `SIGHUP sets the log level for all later lines`() async throws {
        let workspace = try Workspace(
            configuration: Workspace.configuration(mta: #"autoStart="true" logLevel="1""#))
        try await workspace.withMaster { master in
            try await workspace.succeed("service", "list")
            _ = try await eventually("the master to serve") {
                try await workspace.run("status").status == 0
            }
            #expect(try !master.errorsSoFar().contains("serving"))
            try workspace.write(Workspace.configuration(), to: "serverConf.xml")
            master.signal(SIGHUP)
            try await master.waitForOutput("mta/@logLevel: 1 -> 2")
        }
    }
}
