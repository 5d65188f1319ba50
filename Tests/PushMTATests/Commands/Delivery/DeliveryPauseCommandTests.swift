import Foundation
import PushModel
import PushStore
import Testing

struct DeliveryPauseCommandTests {
    @Test func `if no master is running, a delivery is paused and resumed in the store`() async throws {
        let workspace = try await Workspace.withApp()
        try await workspace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: Workspace.subscribers(4))
        try await workspace.succeed("delivery", "submit", "-", input: try Workspace.document())
        let before = try await workspace.succeed("delivery", "list")
        #expect(!before.output.contains("EXPIRES"))

        let text = try await workspace.succeed("delivery", "pause", "1")
        let end = try #require(text.output.wholeMatch(of: /delivery 1 is paused and expires at (.+Z)\n/)).1
        let again = try await workspace.succeed("delivery", "pause", "1")
        #expect(again.output == "delivery 1 is paused already and expires at \(end)\n")
        let list = try await workspace.succeed("delivery", "list").outputLines
        #expect(list[0].hasSuffix("EXPIRES") && list[1].hasSuffix(String(end)))
        #expect(list[1].split(separator: " ").contains("paused"))
        let shown = try await workspace.succeed("delivery", "show", "1")
        #expect(shown.output.contains("paused, expires at \(end)"))
        let status = try await workspace.run("status", "--json").json() as? [String: Any]
        let deliveries = try #require(status?["deliveries"] as? [[String: Any]])
        #expect(deliveries.map { $0["pausedUntil"] as? String } == [String(end)])

        let json = try await workspace.succeed("delivery", "resume", "1", "--json").json()
        let resumed = try #require(json as? [String: Any])
        #expect(Set(resumed.keys) == ["delivery", "state", "changed", "expiresAt"])
        #expect(resumed["state"] as? String == "startPending" && resumed["changed"] as? Bool == true)
        let idle = try await workspace.succeed("delivery", "resume", "1")
        #expect(idle.output == "delivery 1 is not paused: it is startPending\n")
        let audit = try await workspace.succeed("audit").outputLines.dropFirst()
        #expect(audit.allSatisfy { $0.contains("(command)") })
        #expect(audit.count { $0.contains("delivery.pause") || $0.contains("delivery.resume") } == 2)
    }

    @Test func `a running master is notified of a pause, whichever process wrote the pause`() async throws {
        let workspace = try await Workspace.withApp()
        let document = try Workspace.document(["schedule": ["start": "2099-01-01T00:00:00Z"]])
        try await workspace.succeed("delivery", "submit", "-", input: document)
        func operations() async throws -> Int? {
            let status = try await workspace.run("status", "--json").json() as? [String: Any]
            return (status?["master"] as? [String: Any])?["operations"] as? Int
        }
        try await workspace.withMaster { master in
            try await master.waitForOutput("serving ")
            try await workspace.succeed("delivery", "pause", "1")
            try await master.waitForOutput("delivery 1 is paused")
            #expect(try await operations() == 1)
            // If its settings differ from the master's, the command does the work itself.
            try workspace.write(
                Workspace.configuration(mta: #"autoStart="true" verifyMode="true""#), to: "serverConf.xml")
            try await workspace.succeed("delivery", "resume", "1")
            try await master.waitForOutput("delivery 1 was resumed")
            #expect(try await operations() == 1)
        }
    }

    @Test(arguments: ["pause", "resume"])
    func `pausing a delivery that has ended or does not exist is refused with one line`(command: String)
        async throws
    {
        let workspace = try await Workspace.withApp()
        try await workspace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: Workspace.subscribers(1))
        try await workspace.succeed("delivery", "submit", "-", input: try Workspace.document())
        try workspace.settle(DeliveryID(rawValue: 1))
        for (id, words) in [
            ("1", "delivery 1 is finished, and cannot be \(command)"), ("9", "no delivery 9"),
        ] {
            let refused = try await workspace.run("delivery", command, id)
            #expect(refused.status == 3 && refused.output.isEmpty)
            #expect(refused.errorLines.count == 1 && refused.errors.contains(words), "\(refused.errors)")
        }
    }
}
