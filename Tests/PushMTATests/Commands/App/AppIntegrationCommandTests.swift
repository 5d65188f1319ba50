import Foundation
import TestSupport
import Testing

struct AppIntegrationCommandTests {
    @Test(.eachEngine) func `the command prints addresses, key, names and code`() async throws {
        let web = #"<web publicUrl="https://push.example.com"/></serverConf>"#
        let workspace = try await Workspace.withApp(
            Workspace.configuration().replacing("</serverConf>", with: web),
            options: ["--variable", "screen=home", "--parameter", "city", "--sound", "bell.caf=Bell"])
        let shown = try await workspace.succeed("app", "integration", "ios")
        #expect(shown.errors.isEmpty, "\(shown.errors)")
        for line in [
            "marketing URL    https://push.example.com/", "integration key  key of ios",
            "registration     https://push.example.com/nms/mobile/1/registerIOS.jssp",
            "variables        screen=home", "parameters       city:text", "sounds           bell.caf=Bell",
            "environment      production", "# Neolane SDK (Campaign SDK)",
            #"[nl setTrackingHost:@"https://push.example.com/"];"#,
            #"let server = URL(string: "https://push.example.com/")!"#,
        ] {
            #expect(shown.outputLines.contains(line), "missing: \(line)\n\(shown.output)")
        }
        let json = try await workspace.succeed("app", "integration", "ios", "--json")
        let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
        #expect((object?["snippets"] as? [Any])?.count == 4)
    }

    @Test func `without a public URL, the command warns`() async throws {
        let workspace = try await Workspace.withApp()
        let shown = try await workspace.succeed("app", "integration", "ios")
        #expect(shown.errors.hasPrefix("warning: web/@publicUrl is not set"), "\(shown.errors)")
        #expect(try await workspace.run("app", "integration", "nobody").status != 0)
    }
}
