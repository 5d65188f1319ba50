import Foundation
import PushModel
import PushStore
import Testing

struct StatusTests {
    @Test func `a rehearsal is marked in every output that could be mistaken for real sending`() async throws
    {
        let rehearsal = Workspace.configuration(mta: #"autoStart="true" verifyMode="true""#)
        let workspace = try await Workspace.withApp(rehearsal)
        try await workspace.succeed("delivery", "submit", "-", input: try Workspace.document())
        for command in [["config", "check"], ["status"], ["delivery", "show", "1"]] {
            #expect(try await workspace.run(command).output.contains("mta/@verifyMode"), "\(command)")
        }
        let status = try await workspace.run("status", "--json").json() as? [String: Any]
        #expect(status?["verifyMode"] as? Bool == true)
        let master = try workspace.start(["run"])
        try await master.waitForOutput("mta/@verifyMode: is true")
        master.signal(SIGTERM)
        let finished = try await master.finished()
        #expect(finished.errors.contains("mta/@verifyMode: is true"))
    }

    @Test func `if no master is running, status ends with 1 and shows waiting messages`() async throws {
        let workspace = try await Workspace.withApp()
        let idle = try await workspace.run("status")
        #expect(idle.status == 1)
        #expect(idle.output.contains("no master serves"))
        #expect(idle.output.contains("no open deliveries"))

        try await workspace.succeed("delivery", "submit", "-", input: try Workspace.document())
        let status = try await workspace.run("status", "--json")
        #expect(status.status == 1)
        let report = try #require(try status.json() as? [String: Any])
        #expect(report["running"] as? Bool == false)
        #expect(report["master"] is NSNull)
        let deliveries = try #require(report["deliveries"] as? [[String: Any]])
        #expect(deliveries.map { $0["id"] as? Int } == [1])
    }

    @Test func `the exit status of check shows whether a master is running`() async throws {
        let workspace = try Workspace()
        let none = try await workspace.run("status", "--check")
        #expect(none.status == 1 && none.output.isEmpty && none.errorLines.count == 1)
        try await workspace.withMaster { master in
            try await master.waitForOutput("serving")
            let check = try await workspace.succeed("status", "--check")
            #expect(check.outputLines == ["running, process \(master.processID)"])
            #expect(try await workspace.succeed("status", "--check", "--json").json() as? [String] == [])
        }
    }

    @Test func `check ends with status 4 if something requires an operator`() async throws {
        let workspace = try await Workspace.withApp()
        try await workspace.succeed("delivery", "submit", "-", input: try Workspace.document())
        try workspace.openStore().repair.hold(
            DeliveryID(rawValue: 1), because: "its part is torn", at: Workspace.now)
        try await workspace.withMaster { master in
            try await master.waitForOutput("delivery 1 is damaged and held")
            let check = try await workspace.run("status", "--check")
            #expect(check.status == 4 && check.outputLines.count == 1)
            #expect(check.output.hasPrefix("delivery 1: it is damaged and held"))
            #expect(try await workspace.run("status").output.contains("ALARM"))
        }
    }
}
