import Foundation
import GRDB
import TestSupport
import Testing

struct ConfigCheckTests {
    @Test func `a valid file is reported as valid`() async throws {
        let check = try await Workspace().run("config", "check")
        #expect(check.status == 0)
        #expect(check.outputLines.last == "serverConf.xml: good, 0 warnings")
    }

    @Test func `the shipped file causes no finding in the check, in the status or in the log of a start`()
        async throws
    {
        let shipped = try String(contentsOf: Repository.file("serverConf.xml"), encoding: .utf8)
        let workspace = try Workspace(
            configuration: shipped.replacing(#"httpPort="8080""#, with: #"httpPort="0""#))
        #expect(try await workspace.run("config", "check").output == "serverConf.xml: good, 0 warnings\n")
        try await workspace.withMaster { master in
            try await master.waitForOutput("serving ")
            try await workspace.succeed("service", "create", "neotrips")
            try await workspace.succeed(Workspace.stubApp("ios"))
            let status = try await workspace.run("status", "--check")
            #expect(status.status == 0 && status.outputLines.count == 1, "\(status.output)\(status.errors)")
            #expect(status.output.hasPrefix("running, process "))
            let explained = try await workspace.succeed("explain", "ios")
            #expect(!explained.output.contains("no effect") && explained.errors.isEmpty)
            let log = try master.errorsSoFar()
            for level in ["warning", "error", "critical"] {
                #expect(!log.contains("level=\(level)"), "\(log)")
            }
        }
        #expect(try await workspace.run("config", "check").output == "serverConf.xml: good, 0 warnings\n")
    }

    @Test func `a low rate to Android devices is reported with its value, as a note and not as a warning`()
        async throws
    {
        let low = Workspace.configuration().replacing(
            "</serverConf>", with: "<nmac><fcm messagesPerMinute='60000'/></nmac></serverConf>")
        let workspace = try Workspace(configuration: low)
        // The check does not consider the rate until there is an app to which the rate applies.
        #expect(try await workspace.run("config", "check").output == "serverConf.xml: good, 0 warnings\n")
        try await workspace.succeed("service", "create", "neotrips")
        let creation = try await workspace.run(
            Workspace.androidApp() + Workspace.withFixtures("--service-account service-account.json"))
        #expect(creation.status == 0, "\(creation.errors)")
        let check = try await workspace.run("config", "check")
        #expect(check.status == 0)
        #expect(check.outputLines.count == 2)
        #expect(
            check.outputLines.first?.hasPrefix("serverConf.xml: note: mta/child/@maxGCMConnectPerChild: ")
                == true)
        #expect(check.output.contains(" 320 messages a second"))

        try workspace.write(low.replacing("60000", with: "18000"), to: "serverConf.xml")
        let enough = try await workspace.run("config", "check")
        #expect(enough.output == "serverConf.xml: good, 0 warnings\n")
    }

    @Test
    func `apps from an earlier version that share an integration key cause a warning, also in app show`()
        async throws
    {
        let workspace = try await Workspace.withApp()
        let other = try await workspace.run(Workspace.stubApp("droid", platform: "android"))
        #expect(other.status == 0, "\(other.errors)")
        let taken = try await workspace.run("app", "update", "droid", "--integration-key", "key of ios")
        #expect(taken.status == 3 && taken.errors.contains("app ios already has this integration key"))
        #expect(try await !workspace.succeed("app", "show", "ios").output.contains("same key"))
        let file = try StoreFile.open(workspace.path("var/pushmta.db"))
        try await file.writeWithoutTransaction {
            try $0.execute(sql: "UPDATE app SET integration_key = 'key of ios'")
        }
        try file.close()
        let check = try await workspace.run("config", "check")
        #expect(check.status == 0 && check.outputLines.last == "serverConf.xml: good, 1 warning")
        #expect(
            check.output.contains(
                "warning: apps droid, ios have the same integration key; give each app its own key")
        )
        let shown = try await workspace.succeed("app", "show", "ios").output
        #expect(shown.contains("same key         droid\n"), "\(shown)")
        try await workspace.succeed("app", "update", "droid", "--integration-key", "its own")
        #expect(try await workspace.run("config", "check").output == "serverConf.xml: good, 0 warnings\n")
    }

    @Test func `an invalid value is refused with its line, column and attribute and with the allowed values`()
        async throws
    {
        let workspace = try Workspace(configuration: Workspace.configuration(mta: #"autoStart="perhaps""#))
        let check = try await workspace.run("config", "check")
        #expect(check.status == 3)
        let finding = try #require(check.outputLines.first)
        #expect(finding.hasPrefix("serverConf.xml:5:"))
        #expect(finding.contains("autoStart"))
        #expect(finding.contains("perhaps"))
        #expect(finding.contains("true"))
    }

    @Test func `programs can parse the JSON output`() async throws {
        let workspace = try Workspace(configuration: Workspace.configuration(mta: #"autoStart="perhaps""#))
        let check = try await workspace.run("config", "check", "--json")
        #expect(check.status == 3)
        let report = try #require(try check.json() as? [String: Any])
        #expect(report["valid"] as? Bool == false)
        let finding = try #require((report["findings"] as? [[String: Any]])?.first)
        #expect(Set(finding.keys) == ["severity", "line", "column", "message"])
        #expect(finding["line"] as? Int == 5)
    }

    @Test func `a missing file is reported in one line`() async throws {
        let check = try await Workspace(configuration: nil).run("config", "check")
        #expect(check.status == 1)
        #expect(check.output.isEmpty)
        #expect(check.errorLines.count == 1)
        #expect(check.errors.contains("serverConf.xml"))
        #expect(check.errors.contains("--config"))
    }

    @Test(arguments: ["<serverConf><mta></serverConf>", "", "not XML", "<other/>", "<serverConf"])
    func `every command refuses a file that is not a configuration, and changes nothing`(text: String)
        async throws
    {
        let workspace = try Workspace(configuration: text)
        let check = try await workspace.run("config", "check")
        #expect(check.status == 3)
        #expect(check.outputLines.first?.hasPrefix("serverConf.xml") == true)
        let create = try await workspace.run("service", "create", "neotrips")
        #expect(create.status == 3)
        #expect(create.output.isEmpty)
        #expect(create.errors.contains("serverConf.xml"))
        #expect(!workspace.exists("var"))
    }
}
