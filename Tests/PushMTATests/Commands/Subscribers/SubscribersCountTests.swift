import Foundation
import Testing

struct SubscribersCountTests {
    @Test func `subscribers that deliveries exclude are counted separately, for one app or for each app`()
        async throws
    {
        let workspace = try await Workspace.withApp()
        try await workspace.succeed(Workspace.stubApp("second"))
        for app in ["ios", "second"] {
            try await workspace.succeed(
                "subscribers", "import", "--app", app, "-", input: Workspace.subscribers(5))
        }
        try await workspace.quarantineEverybody()
        #expect(
            try await workspace.succeed("subscribers", "count", "--app", "ios").output
                == "0 valid, 5 quarantined, 0 disabled\n")
        #expect(try await workspace.succeed("subscribers", "count", "--app", "second").output == "5\n")
        let json = try await workspace.succeed("subscribers", "count", "--app", "ios", "--json").json()
        let members = try #require(json as? [String: Any])
        #expect(Set(members.keys) == ["app", "subscribers", "valid", "quarantined", "disabled", "optedOut"])
        #expect(members["subscribers"] as? Int == 5 && members["valid"] as? Int == 0)

        let table = try await workspace.succeed("subscribers", "count")
        #expect(
            table.outputLines.map { $0.split(separator: " ").map(String.init) } == [
                ["APP", "SUBSCRIBERS", "VALID", "QUARANTINED", "DISABLED", "OPTED", "OUT"],
                ["ios", "5", "0", "5", "0", "0"], ["second", "5", "5", "0", "0", "0"],
            ])
    }
}
