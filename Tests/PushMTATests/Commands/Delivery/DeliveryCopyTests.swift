import Foundation
import TestSupport
import Testing

struct DeliveryCopyTests {
    private static func workspace() async throws -> Workspace {
        let workspace = try await Workspace.withApp()
        try await workspace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: Workspace.subscribers(3))
        let first = try await workspace.succeed("delivery", "submit", "-", input: try Workspace.document())
        #expect(first.output == "1\n")
        return workspace
    }

    @Test func `a copy is printed as a document that can be submitted`() async throws {
        let workspace = try await Self.workspace()
        let printed = try await workspace.succeed("delivery", "copy", "1", "--label", "Second")
        let document = try #require(try printed.json() as? [String: Any])
        #expect(document["label"] as? String == "Second" && document["target"] != nil)
        #expect(try await workspace.succeed("delivery", "list").outputLines.count == 2)
        let submitted = try await workspace.succeed("delivery", "submit", "-", input: printed.output)
        #expect(submitted.output == "2\n")
    }

    @Test(.eachEngine) func `a copy is submitted once with the changes`() async throws {
        let workspace = try await Self.workspace()
        try workspace.write(#"{"content": {"title": "Changed"}, "tracking": false}"#, to: "changes.json")
        let copy = [
            "delivery", "copy", "1", "--with", "changes.json", "--submit", "--idempotency-key", "second",
        ]
        #expect(try await workspace.succeed(copy).output == "2\n")
        let again = try await workspace.succeed(copy)
        #expect(again.output == "2\n" && again.errors.contains("already submitted"))
        let shown = try await workspace.succeed("delivery", "show", "2").output
        #expect(shown.contains("copy of 1: ") && shown.contains("Changed"), "\(shown)")
        #expect(try await workspace.succeed("audit").output.contains("1 copied as 2"))
    }

    @Test func `changes that cannot be sent are refused with their place`() async throws {
        let workspace = try await Self.workspace()
        for (changes, why) in [
            (#"{"apps": ["none"]}"#, "apps[0]: service neotrips has no app none"),
            (#"{"content": {"titel": "x"}}"#, "content.titel: unknown"),
            ("[]", "changes.json: the changes must be an object"), ("{", "changes.json: not JSON"),
        ] {
            try workspace.write(changes, to: "changes.json")
            let finished = try await workspace.run(
                "delivery", "copy", "1", "--with", "changes.json", "--submit")
            #expect(finished.status == 3 && finished.errors.contains(why), "\(finished.errors)")
        }
        try workspace.write(#"{"label": "x"}"#, to: "changes.json")
        let twice = try await workspace.run(
            "delivery", "copy", "1", "--with", "changes.json", "--label", "y")
        #expect(twice.status == 3 && twice.errors.contains("also given as --label"))
        #expect(try await workspace.run("delivery", "copy", "9").status == 3)
        let idle = try await workspace.run("delivery", "copy", "1", "--idempotency-key", "k")
        #expect(idle.status == 2 && idle.errors.contains("--submit"))
    }

    @Test(.eachEngine) func `recipients from a separate file are not part of a copy`() async throws {
        let workspace = try await Self.workspace()
        try workspace.write("userKey\nuser1\nuser2\n", to: "list.csv")
        let listed = try await workspace.succeed(
            "delivery", "submit", "-", "--recipients", "list.csv",
            input: try Workspace.document(["target": NSNull()]))
        #expect(listed.output == "2\n")
        let printed = try await workspace.succeed("delivery", "copy", "2")
        #expect(printed.errors.contains("the recipients were in a separate file: 2 user keys"))
        let refused = try await workspace.run("delivery", "copy", "2", "--submit")
        #expect(refused.status == 3 && refused.errors.contains(#"{"target": {"recipientsOf": 2}}"#))
        try workspace.write(#"{"target": {"all": true}}"#, to: "changes.json")
        let all = try await workspace.succeed(
            "delivery", "copy", "2", "--with", "changes.json", "--submit")
        #expect(all.output == "3\n")
    }
}
