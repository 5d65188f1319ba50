import Foundation
import Testing

struct StatusTests {
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
