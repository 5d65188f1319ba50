import Foundation
import PushModel
import PushStore
import Testing

struct DeliveryRecountTests {
    @Test func `a recount shows the old and the new figures, and a delivery on hold continues`() async throws
    {
        let workspace = try await Workspace.withApp()
        try await workspace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: Workspace.subscribers(4))
        try await workspace.succeed("delivery", "submit", "-", input: try Workspace.document())
        let (delivery, store) = (DeliveryID(rawValue: 1), try workspace.openStore())
        _ = try store.preparation.prepareChunk(of: delivery, at: Workspace.now)
        try store.repair.hold(delivery, because: "a counter is wrong", at: Workspace.now)

        let held = try await workspace.run("status")
        #expect(held.outputLines.contains { $0.hasPrefix("DAMAGED: delivery 1 is held since") })
        let shown = try await workspace.succeed("delivery", "show", "1")
        #expect(shown.output.contains("a counter is wrong; run 'pushmta delivery recount 1'"))

        let text = try await workspace.succeed("delivery", "recount", "1")
        #expect(text.outputLines.last == "delivery 1 continues")
        let json = try await workspace.succeed("delivery", "recount", "1", "--json").json()
        let report = try #require(json as? [String: Any])
        #expect(
            Set(report.keys) == [
                "id", "repairedParts", "repairedHits", "problem", "state", "before", "after",
            ])
        #expect((report["after"] as? [String: Int])?["pending"] == 4)
        #expect(try store.repair.held().isEmpty)
    }

    @Test func `recounting an unknown delivery is refused`() async throws {
        let workspace = try await Workspace.withApp()
        let result = try await workspace.run("delivery", "recount", "9")
        #expect(result.status != 0)
        #expect(result.output.isEmpty)
    }
}
