import Foundation
import Testing

/// Tests combined targets, and lists that are matched by a parameter, through the program.
@Suite(.eachEngine) struct CombinedTargetCommandTests {
    @Test func `a combined target is submitted, described and printed as a document`() async throws {
        let workspace = try await Workspace.withApp()
        try await workspace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: Workspace.subscribers(5))
        let target: [String: Any] = [
            "or": [["userKeys": ["user1"]], ["not": ["userKeys": ["user2", "user3"]]]]
        ]
        try workspace.write(try Workspace.document(["target": target]), to: "delivery.json")
        let dry = try await workspace.succeed("delivery", "submit", "delivery.json", "--dry-run", "--json")
        #expect((try dry.json() as? [String: Any])?["targeted"] as? Int == 3)
        #expect(try await workspace.succeed("delivery", "submit", "delivery.json").output == "1\n")
        let shown = try await workspace.succeed("delivery", "show", "1")
        #expect(shown.output.contains("1 user key or not (2 user keys)"))
        let document = try await workspace.succeed("delivery", "document", "1")
        let printed = try #require(
            try JSONSerialization.jsonObject(with: Data(document.output.utf8)) as? [String: Any])
        #expect(printed["target"] as? NSDictionary == target as NSDictionary)
        try workspace.write(
            try Workspace.document(["target": ["not": ["openersOf": 99]]]), to: "missing.json")
        let refused = try await workspace.run("delivery", "submit", "missing.json")
        #expect(refused.status == 3 && refused.output.isEmpty)
        #expect(
            refused.errors == "pushmta: missing.json: target.not.openersOf: there is no delivery 99\n")
    }

    @Test func `the recipients of a file are found by a parameter`() async throws {
        let workspace = try await Workspace.withApp()
        let table = "token,userKey,customerId\n" + (1...3).map { "00aa11b\($0),user\($0),C-\($0)\n" }.joined()
        try await workspace.succeed("subscribers", "import", "--app", "ios", "-", input: table)
        try workspace.write(try Workspace.document(["target": NSNull()]), to: "delivery.json")
        try workspace.write("customerId\nC-1\nC-3\nC-9\n", to: "list.csv")
        let options = ["delivery", "submit", "delivery.json", "--recipients", "list.csv"]
        let dry = try await workspace.succeed(options + ["--key", "customerId", "--dry-run"])
        #expect(dry.output.contains("2 of 3 listed recipients; no subscriber has the other 1"))
        #expect(dry.output.contains("customerId, 3 rows, 66.7 % matched, 2 devices, 2 people"))
        #expect(try await workspace.succeed(options + ["--key", "customerId"]).output == "1\n")
        let shown = try await workspace.succeed("delivery", "show", "1", "--json")
        let list = try #require((try shown.json() as? [String: Any])?["list"] as? [String: Any])
        #expect(list["rows"] as? Int == 3 && list["matched"] as? Int == 2 && list["devices"] as? Int == 2)
        let lacking = try await workspace.run(options)
        #expect(lacking.status == 3 && lacking.errors.contains("neither a userKey nor a token column"))
        let alone = try await workspace.run("delivery", "submit", "delivery.json", "--key", "customerId")
        #expect(alone.status == 2 && alone.output.isEmpty)
    }
}
