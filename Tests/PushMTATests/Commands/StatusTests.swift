import Foundation
import Testing

struct StatusTests {
    @Test func `a rehearsal is said wherever one could take it for a sending`() async throws {
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

    @Test func `without a master it ends with 1 and shows what waits`() async throws {
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
}
