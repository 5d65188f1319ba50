import Foundation
import PushModel
import PushStore
import Testing

@Suite struct StatisticsTests {
    /// A delivery to three subscribers: one message failed, one was received and one was clicked.
    private static func settled() async throws -> Workspace {
        let workspace = try await Workspace.withApp()
        try await workspace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: Workspace.subscribers(3))
        try await workspace.succeed("delivery", "submit", "-", input: try Workspace.document())
        let id = DeliveryID(rawValue: 1)
        try workspace.settle(id) { place in
            place == 0 ? .failed(.hard, .userUnknown, providerReason: "Unregistered") : .sent(providerID: nil)
        }
        let store = try workspace.openStore()
        let app = try #require(try store.catalogue.app(named: "ios"))
        let noon = WallMoment(WallTime(secondsSince1970: 1_795_262_400))
        _ = try store.hits.record([
            HitRecord(
                delivery: id, message: MessageID(rawValue: 2), number: 2, app: app.id, kind: .received,
                at: noon),
            HitRecord(
                delivery: id, message: MessageID(rawValue: 3), number: 3, app: app.id, kind: .clicked,
                at: noon),
        ])
        return workspace
    }

    @Test(.eachEngine) func `a delivery's statistics show its results, as text and as JSON`() async throws {
        let workspace = try await Self.settled()
        let text = try await workspace.succeed("delivery", "stats", "1", "--devices").output
        for line in ["sent       2", "failed     1", "received   2 (100.0 %)", "clicked    1 (50.0 %)"] {
            #expect(text.contains(line), "\(text)")
        }
        #expect(text.contains("Unregistered") && text.contains("DEVICES"))
        let json = try await workspace.succeed("delivery", "stats", "1", "--json").output
        let members = try #require(
            try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        #expect((members["counts"] as? [String: Any])?["clicked"] as? Int == 1)
        #expect(members["devices"] is NSNull)
        let csv = try await workspace.succeed("delivery", "stats", "1", "--csv").outputLines
        #expect(csv.first?.hasPrefix("figure,app,minute,") == true)
        #expect(csv.contains("failed,ios,,Hard,User unknown,Unregistered,,,,1"))
        // The table has all figures that the text has: the totals, and the counts of each app.
        for (figure, app, count) in [
            ("targeted", "", 3), ("sent", "", 2), ("failedTotal", "", 1), ("excludedTotal", "", 0),
            ("received", "", 2), ("clicked", "", 1), ("sentInApp", "ios", 2), ("failedInApp", "ios", 1),
            ("excludedInApp", "ios", 0), ("receivedInApp", "ios", 2), ("clickedInApp", "ios", 1),
            ("receipts", "", 2), ("clicks", "", 1), ("receiptsInApp", "ios", 2), ("clicksInApp", "ios", 1),
        ] {
            #expect(csv.contains("\(figure),\(app),,,,,,,,\(count)"), "\(figure): \(csv)")
        }
        #expect(
            csv.contains { $0.hasPrefix("clickedInMinute,ios,2026-11-21T12:00:00Z,") && $0.hasSuffix(",1") })
        let shown = try await workspace.succeed("delivery", "show", "1", "--json").output
        #expect(shown.contains(#""received": 2"#))
        let store = try workspace.openStore()
        let app = try #require(try store.catalogue.app(named: "ios"))
        _ = try store.hits.record([
            HitRecord(
                delivery: DeliveryID(rawValue: 1), message: MessageID(rawValue: 3), number: 3, app: app.id,
                kind: .clicked, at: WallMoment(WallTime(secondsSince1970: 1_795_262_460)))
        ])
        let again = try await workspace.succeed("delivery", "stats", "1").output
        #expect(again.contains("received   2 (100.0 %)\n"), "\(again)")
        #expect(again.contains("clicked    1 (50.0 %), reported 2 times\n"), "\(again)")
    }

    @Test func `a service's statistics show its subscribers`() async throws {
        let workspace = try await Self.settled()
        let text = try await workspace.succeed("service", "stats", "neotrips").outputLines
        #expect(text.first == "APP  PLATFORM  ENVIRONMENT  VALID  QUARANTINED  DISABLED  OPTED OUT")
        #expect(text.dropFirst().first?.hasPrefix("ios  ios       production       3") == true, "\(text)")
        let csv = try await workspace.succeed("service", "stats", "neotrips", "--csv").outputLines
        #expect(csv.contains("valid,ios,ios,,,,3"))
        #expect(try await workspace.run("service", "stats", "nobody").status == 3)
        #expect(try await workspace.run("delivery", "stats", "1", "--json", "--csv").status == 2)
        #expect(try await workspace.run("delivery", "stats", "9").status == 3)
    }

    @Test func `parameters are declared when the app is created, and can be changed one by one`() async throws
    {
        let workspace = try await Workspace.withApp(options: [
            "--parameter", "city", "--parameter", "points:number",
        ])
        #expect(
            try await workspace.succeed("app", "show", "ios").output.contains("city:text, points:number"))
        try await workspace.succeed(
            "app", "update", "ios", "--parameter", "points:text", "--remove-parameter", "city")
        let shown = try await workspace.succeed("app", "show", "ios").outputLines
        #expect(shown.contains { $0.hasPrefix("parameters") && $0.hasSuffix("  points:text") })
        #expect(try await workspace.run("app", "update", "ios", "--parameter", "a:colour").status == 2)
        #expect(try await workspace.run("app", "update", "ios", "--remove-parameter", "none").status == 3)
        let twice = ["--parameter", "a", "--parameter", "a:date"]
        #expect(try await workspace.run(["app", "update", "ios"] + twice).status == 3)
    }
}
