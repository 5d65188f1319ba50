import Foundation
import PushModel
import PushStore
import Testing

struct StatusTests {
    @Test func `a rehearsal is marked wherever it could be mistaken for sending`() async throws {
        let rehearsal = Workplace.configuration(mta: #"autoStart="true" verifyMode="true""#)
        let workplace = try await Workplace.withApp(rehearsal)
        try await workplace.succeed("delivery", "submit", "-", input: try Workplace.document())
        for command in [["config", "check"], ["status"], ["delivery", "show", "1"]] {
            #expect(try await workplace.run(command).output.contains("mta/@verifyMode"), "\(command)")
        }
        let status = try await workplace.run("status", "--json").json() as? [String: Any]
        #expect(status?["verifyMode"] as? Bool == true)
        let master = try workplace.start(["run"])
        try await master.says("mta/@verifyMode: is true")
        master.signal(SIGTERM)
        let finished = try await master.finished()
        #expect(finished.errors.contains("mta/@verifyMode: is true"))
    }

    @Test func `without a master, status ends with 1 and shows waiting messages`() async throws {
        let workplace = try await Workplace.withApp()
        let idle = try await workplace.run("status")
        #expect(idle.status == 1)
        #expect(idle.output.contains("no master serves"))
        #expect(idle.output.contains("no open deliveries"))

        try await workplace.succeed("delivery", "submit", "-", input: try Workplace.document())
        let status = try await workplace.run("status", "--json")
        #expect(status.status == 1)
        let report = try #require(try status.json() as? [String: Any])
        #expect(report["running"] as? Bool == false)
        #expect(report["master"] is NSNull)
        let deliveries = try #require(report["deliveries"] as? [[String: Any]])
        #expect(deliveries.map { $0["id"] as? Int } == [1])
    }

    @Test func `check reports in its exit status whether a master serves`() async throws {
        let workplace = try Workplace()
        let none = try await workplace.run("status", "--check")
        #expect(none.status == 1 && none.output.isEmpty && none.errorLines.count == 1)
        try await workplace.withMaster { master in
            try await master.says("serving")
            let check = try await workplace.succeed("status", "--check")
            #expect(check.outputLines == ["running, process \(master.processID)"])
            #expect(try await workplace.succeed("status", "--check", "--json").json() as? [String] == [])
        }
    }

    @Test func `check ends with 4 if something needs an operator`() async throws {
        let workplace = try await Workplace.withApp()
        try await workplace.succeed("delivery", "submit", "-", input: try Workplace.document())
        try workplace.openStore().repair.hold(
            DeliveryID(rawValue: 1), because: "its part is torn", at: Workplace.now)
        try await workplace.withMaster { master in
            try await master.says("delivery 1 is damaged and held")
            let check = try await workplace.run("status", "--check")
            #expect(check.status == 4 && check.outputLines.count == 1)
            #expect(check.output.hasPrefix("delivery 1: it is damaged and held"))
            #expect(try await workplace.run("status").output.contains("ALARM"))
        }
    }
}
