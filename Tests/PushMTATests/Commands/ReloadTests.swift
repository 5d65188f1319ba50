import Foundation
import Glibc
import TestSupport
import Testing

/// Tests that a running service reads serverConf.xml again.
struct ReloadTests {
    private static func configuration(_ child: String = "", mta: String = #"autoStart="true""#) -> String {
        Workplace.configuration(mta: "\(mta)><child \(child)/></mta").replacing("></mta/>", with: "></mta>")
    }

    /// The line of a file with this wrong value in the service's log.
    private static func refusal(_ value: String) throws -> Regex<Substring> {
        try Regex(#"level=error message="not reloaded: serverConf\.xml:\d+:\d+: error: .*\#(value)"#)
    }

    @Test func `reload reports the changes and those that need a restart`() async throws {
        let workplace = try Workplace()
        try await workplace.withMaster { master in
            try await master.says("serving")
            let unchanged = try await workplace.succeed("reload")
            #expect(unchanged.output.contains("no setting has changed"))

            try workplace.write(
                Self.configuration(#"maxWaitingMessages="77""#, mta: #"autoStart="true" verifyMode="true""#),
                to: "serverConf.xml")
            let reload = try await workplace.succeed("reload")
            #expect(
                reload.outputLines == [
                    "mta/child/@maxWaitingMessages: 2000 -> 77",
                    "mta/@verifyMode: false -> true, which needs a restart",
                ])
            // Commands and master agree on the settings again, so the master executes the commands.
            try await workplace.succeed("service", "create", "shop")
            let status = try await workplace.succeed("status", "--json").json() as? [String: Any]
            #expect((status?["master"] as? [String: Any])?["operations"] as? Int ?? 0 >= 3)

            let again = try await workplace.succeed("reload", "--json").json() as? [String: Any]
            #expect((again?["changes"] as? [Any])?.isEmpty == true)
            #expect(
                (again?["needRestart"] as? [[String: Any]])?.map { $0["path"] as? String } == [
                    "mta/@verifyMode"
                ])
        }
    }

    @Test func `a wrong file, or one that names an unusable file, changes nothing`() async throws {
        let workplace = try Workplace()
        try await workplace.withMaster { master in
            try await master.says("serving")
            try workplace.write(
                Self.configuration(#"maxWaitingMessages="many""#), to: "serverConf.xml")
            let reload = try await workplace.run("reload")
            #expect(reload.status == 3 && reload.errors.contains("maxWaitingMessages"))
            #expect(!reload.errors.contains("warning:"))
            // The service's log records what both the command and the signal made it refuse.
            try await eventually("the log to record the refusal") {
                try master.errorsSoFar().contains(try Self.refusal("many"))
            }
            try await master.says("correct the file, then run 'pushmta reload' again")

            try workplace.write(Self.configuration(#"maxWaitingMessages="few""#), to: "serverConf.xml")
            master.signal(SIGHUP)
            try await eventually("the log to record the second refusal") {
                try master.errorsSoFar().contains(try Self.refusal("few"))
            }

            let relay =
                #"<nmac><relay address="127.0.0.1" trustedCertsChain="missing.pem"/></nmac></serverConf>"#
            try workplace.write(
                Workplace.configuration().replacing("</serverConf>", with: relay), to: "serverConf.xml")
            let missing = try await workplace.run("reload")
            #expect(missing.status == 3 && missing.errors.contains("missing.pem"))
            try workplace.write(Workplace.configuration(), to: "serverConf.xml")
            #expect(try await workplace.succeed("reload").output.contains("no setting has changed"))
        }
    }

    @Test(arguments: ["<serverConf", "<other/>", ""])
    func
        `the service reports errors in a file, and the command does if there is no service`(
            text: String
        ) async throws
    {
        let workplace = try Workplace()
        try await workplace.withMaster { master in
            try await master.says("serving")
            try workplace.write(text, to: "serverConf.xml")
            let reload = try await workplace.run("reload")
            #expect(reload.status == 3 && reload.errors.contains("nothing was changed"), "\(reload.errors)")
            try workplace.write(Workplace.configuration(), to: "serverConf.xml")
        }
        try workplace.write(text, to: "serverConf.xml")
        let reload = try await workplace.run("reload")
        #expect(reload.status == 3 && !reload.errors.contains("nothing was changed"), "\(reload.errors)")
    }

    @Test func `without a master there is nothing to reload`() async throws {
        let reload = try await Workplace().run("reload")
        #expect(
            reload.status == 1 && reload.errorLines.count == 1 && reload.errors.contains("no master runs"))
    }

    @Test func `SIGHUP sets the log level for all later lines`() async throws {
        let workplace = try Workplace(
            configuration: Workplace.configuration(mta: #"autoStart="true" logLevel="1""#))
        try await workplace.withMaster { master in
            try await workplace.succeed("service", "list")
            _ = try await eventually("the master to serve") {
                try await workplace.run("status").status == 0
            }
            #expect(try !master.errorsSoFar().contains("serving"))
            try workplace.write(Workplace.configuration(), to: "serverConf.xml")
            master.signal(SIGHUP)
            try await master.says("mta/@logLevel: 1 -> 2")
        }
    }
}
