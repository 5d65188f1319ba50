import Foundation
import PushModel
import TestSupport
import Testing

struct AppTestTests {
    @Test func `app test reports that a stub app has nothing to test`() async throws {
        let workspace = try await Workspace.withApp()
        let test = try await workspace.succeed("app", "test", "ios")
        #expect(test.outputLines.count == 1)
        let json = try await workspace.succeed("app", "test", "ios", "--json").json() as? [String: Any]
        #expect(json?["succeeded"] as? Bool == true && (json?["lines"] as? [String])?.count == 1)
        #expect(try await workspace.run("app", "test", "none").status == 3)
    }

    @Test func `an app's icon is written exactly as it was set, and an app without an icon is refused`()
        async throws
    {
        let workspace = try await Workspace.withApp()
        let none = try await workspace.run("app", "icon", "ios")
        #expect(none.status == 3 && none.output.isEmpty)
        let png = AppIcon.examplePNG(width: 48, height: 48)
        try workspace.write(Data(png), to: "icon.png")
        try await workspace.succeed("app", "update", "ios", "--icon", "icon.png")
        let json = try await workspace.succeed("app", "icon", "ios", "--json").json() as? [String: Any]
        #expect(json?["icon"] as? String == Data(png).base64EncodedString())
        let file = workspace.path("copy.png")
        #expect(try await workspace.start(["app", "icon", "ios"], output: file).finished().status == 0)
        #expect(try Data(contentsOf: URL(filePath: file)) == Data(png))
    }

    @Test func `testing an app fails with the reason if nothing listens at its gateway`() async throws {
        let workspace = try await Workspace.withUnreachableApp("neo")
        let test = try await workspace.run("app", "test", "neo")
        #expect(test.status == 1)
        #expect(test.output.contains("127.0.0.1"))
        #expect(test.output.contains("See Docs/Reference/GatewayAnswers.md#apns-connect-failed"))
    }

    @Test(arguments: ["--service-account service-account.json", "--project-key-file project-key.txt"])
    func `testing an app against Google's hosts fails for either credential if nothing listens there`(
        credential: String
    )
        async throws
    {
        let workspace = try await Workspace.withAndroidApp(credential)
        let test = try await workspace.run("app", "test", "droid")
        #expect(test.status == 1)
        #expect(test.output.contains("127.0.0.1"), "\(test.output)")
        #expect(test.output.contains("See Docs/Reference/GatewayAnswers.md#fcm-connect-failed"))
    }
}
