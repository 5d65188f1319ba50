import Foundation
import PushAPI
import TestSupport
import Testing
import pushmta

struct SendingLimitCommandTests {
    @Test func `status, explain and delivery show report the same limit on a delivery's rate`() async throws {
        let workspace = try await Workspace.withApp()
        try await workspace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: Workspace.subscribers(2_000))
        try await workspace.withMaster { master in
            try await master.waitForOutput("serving ")
            let document = try Workspace.document(["schedule": ["ratePerSecond": 10]])
            try await workspace.succeed("delivery", "submit", "-", input: document)
            try await eventually("the rate is the limit of the delivery and of its account") {
                let status = try await workspace.succeed("status", "--json").json() as? [String: Any]
                let delivery = (status?["deliveries"] as? [[String: Any]])?.first
                let account = ((status?["master"] as? [String: Any])?["accounts"] as? [[String: Any]])?.first
                return delivery?["limitedBy"] as? String == "rate" && delivery?["secondsLeft"] is Int
                    && account?["limitedBy"] as? String == "rate"
            }
            let shown = try await workspace.succeed("delivery", "show", "1")
            #expect(shown.outputLines.contains { $0.hasPrefix("limited by ") && $0.contains(" rate: ") })
            #expect(shown.outputLines.contains { $0.hasPrefix("time left ") && $0.contains(" about ") })
            #expect(try await workspace.succeed("explain", "ios").output.contains("limited by"))
            let status = try await workspace.succeed("status").output
            #expect(status.contains("LIMITED BY") && status.contains("TIME LEFT"), "\(status)")

            try await workspace.succeed("delivery", "pause", "1")
            let paused = try await workspace.succeed("delivery", "show", "1").outputLines
            #expect(paused.contains { $0.hasPrefix("limited by ") && $0.contains(" paused: ") })
            #expect(paused.contains { $0.hasPrefix("time left ") && $0.hasSuffix(" unknown") })
            try await workspace.succeed("delivery", "stop", "1", "--yes")
        }
        let over = try await workspace.succeed("delivery", "show", "1").output
        #expect(!over.contains("limited by"), "\(over)")
    }

    @Test func `the progress line states the limit and the remaining time`() throws {
        func summary(_ changes: [String: Any]) throws -> String {
            var view: [String: Any] = [
                "id": 1, "label": "Sale", "state": "inProgress", "environments": ["production"],
                "createdAt": "2026-11-21T10:00:00.000Z", "messagesPerSecond": 50,
                "counts": [
                    "targeted": 100, "excluded": 0, "pending": 58, "sent": 42, "retrying": 0, "failed": 0,
                    "cancelled": 0, "received": 0, "clicked": 0,
                ],
            ]
            view.merge(changes) { $1 }
            return try JSONDecoder().decode(
                DeliveryView.self, from: try JSONSerialization.data(withJSONObject: view)
            ).summary
        }
        #expect(try summary([:]) == "sent 42 of 100, 50/s")
        #expect(
            try summary(["limitedBy": "gatewayLatency", "secondsLeft": 65])
                == "sent 42 of 100, 50/s, limited by gateway latency, time left about 1m 5s")
        #expect(
            try summary(["limitedBy": "window"])
                == "sent 42 of 100, 50/s, limited by window, time left unknown")
        #expect(
            try summary(["state": "paused", "limitedBy": "paused"]) == "sent 42 of 100, paused, 50/s")
        #expect(try summary(["held": "a backup was restored"]) == "sent 42 of 100, HELD, 50/s")
    }
}
