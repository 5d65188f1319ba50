import Foundation
import Testing

struct ConfigShowTests {
    @Test func `every value is shown with the place where it is set`() async throws {
        let workspace = try Workspace()
        let show = try await workspace.succeed("config", "show", "--json")
        let rows = try #require(try show.json() as? [[String: Any]])
        func row(_ path: String) -> [String: Any] { rows.first { $0["path"] as? String == path } ?? [:] }
        #expect(row("mta/@autoStart")["value"] as? String == "true")
        #expect(row("mta/@autoStart")["line"] as? Int == 5)
        #expect(row("mta/@logLevel")["value"] as? String == "2")
        #expect(row("mta/@logLevel")["line"] is NSNull)
        let store = row("shared/dataStore/dataSource/dbcnx/@server")
        #expect(store["value"] as? String == workspace.path("var/pushmta.db"))

        let text = try await workspace.succeed("config", "show")
        #expect(text.outputLines.first?.hasPrefix("SETTING") == true)
        #expect(text.output.contains("line 5"))
        #expect(text.output.contains("default"))
    }

    @Test func `an invalid file is not shown`() async throws {
        let workspace = try Workspace(configuration: Workspace.configuration(mta: #"logLevel="9""#))
        let show = try await workspace.run("config", "show")
        #expect(show.status == 3)
        #expect(show.output.isEmpty)
        #expect(show.errors.contains("logLevel"))
    }
}
