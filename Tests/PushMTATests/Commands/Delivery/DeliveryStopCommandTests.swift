import Foundation
import PushModel
import PushStore
import Testing

struct DeliveryStopCommandTests {
    @Test func `if no master is running, a delivery is stopped in the store and stays stopped`() async throws
    {
        let workspace = try await Workspace.withApp()
        try await workspace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: Workspace.subscribers(4))
        try await workspace.succeed("delivery", "submit", "-", input: try Workspace.document())
        let unsure = try await workspace.run("delivery", "stop", "1")
        #expect(unsure.status == 3 && unsure.errors.contains("add --yes to stop it"), "\(unsure.errors)")
        let text = try await workspace.succeed("delivery", "stop", "1", "--yes")
        #expect(text.output == "delivery 1 is stopped: 0 messages cancelled\n")
        let again = try await workspace.succeed("delivery", "stop", "1")
        #expect(again.output == "delivery 1 is stopped already: 0 messages cancelled\n")
        let json = try await workspace.succeed("delivery", "stop", "1", "--yes", "--json").json()
        let stopped = try #require(json as? [String: Any])
        #expect(
            Set(stopped.keys) == [
                "delivery", "state", "changed", "onTheWire", "cancelled", "toBeCancelled",
            ])
        for command in ["pause", "resume"] {
            let refused = try await workspace.run("delivery", command, "1")
            #expect(refused.status == 3 && refused.errors.contains("is stopped, and cannot be"))
        }
        let list = try await workspace.succeed("delivery", "list").outputLines
        #expect(list[1].split(separator: " ").contains("stopped"))
        let audit = try await workspace.succeed("audit").outputLines.dropFirst()
        #expect(audit.count { $0.contains("delivery.stop") } == 1)
    }

    @Test func `a running master withdraws a stopped delivery, whichever process wrote the stop`()
        async throws
    {
        let workspace = try await Workspace.withApp()
        let document = try Workspace.document(["schedule": ["start": "2099-01-01T00:00:00Z"]])
        for _ in 1...2 { try await workspace.succeed("delivery", "submit", "-", input: document) }
        try await workspace.withMaster { master in
            try await master.waitForOutput("serving ")
            let there = try await workspace.succeed("delivery", "stop", "1", "--yes")
            #expect(there.output == "delivery 1 is stopped: 0 messages cancelled\n")
            // If its settings differ from the master's, the command does the work itself, and queries the
            // master.
            try workspace.write(
                Workspace.configuration(mta: #"autoStart="true" verifyMode="true""#), to: "serverConf.xml")
            let here = try await workspace.succeed("delivery", "stop", "2", "--yes")
            #expect(here.output == "delivery 2 is stopped: 0 messages cancelled\n")
        }
    }

    @Test func `stopping a delivery that has ended or does not exist is refused with one line`() async throws
    {
        let workspace = try await Workspace.withApp()
        try await workspace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: Workspace.subscribers(1))
        try await workspace.succeed("delivery", "submit", "-", input: try Workspace.document())
        try workspace.settle(DeliveryID(rawValue: 1))
        for (id, words) in [
            ("1", "delivery 1 is finished, and cannot be stopped"), ("9", "no delivery 9"),
        ] {
            // The command does not ask for a confirmation first.
            for options in [["--yes"], []] {
                let refused = try await workspace.run(["delivery", "stop", id] + options)
                #expect(refused.status == 3 && refused.output.isEmpty)
                #expect(refused.errorLines.count == 1 && refused.errors.contains(words), "\(refused.errors)")
            }
        }
    }
}
