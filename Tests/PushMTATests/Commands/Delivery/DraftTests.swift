import Foundation
import TestSupport
import Testing

struct DraftTests {
    @Test func `a draft is saved by two people, submitted once and listed`() async throws {
        let workspace = try await Workspace.withApp()
        try await workspace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: Workspace.subscribers(3))
        try workspace.write(#"{"label": "Spring", "service": "neotrips"}"#, to: "draft.json")
        let created = try await workspace.succeed("draft", "save", "draft.json")
        #expect(created.output == "draft 1 saved: version 1\n")
        try workspace.write(
            #"{"label": "Spring", "service": "neotrips", "target": {"all": true}, "content": {"body": "x"}}"#,
            to: "draft.json")
        let second = ["draft", "save", "draft.json", "--id", "1", "--draft-version", "1"]
        #expect(try await workspace.succeed(second).output == "draft 1 saved: version 2\n")
        try workspace.write(#"{"label": "Mine", "service": "neotrips"}"#, to: "draft.json")
        let refused = try await workspace.run(second)
        #expect(
            refused.status == 3 && refused.errors.contains("saved by another caller"), "\(refused.errors)")
        let shown = try await workspace.succeed("draft", "show", "1")
        #expect(shown.output.contains("Spring") && !shown.output.contains("Mine"))
        #expect(try await workspace.succeed("draft", "list").outputLines.count == 2)

        let submit = ["draft", "submit", "1", "--draft-version", "2"]
        #expect(try await workspace.succeed(submit).output == "1\n")
        let again = try await workspace.run(submit)
        #expect(again.status == 3 && again.errors.contains("there is no draft 1"), "\(again.errors)")
        #expect(try await workspace.succeed("delivery", "list").output.contains("Spring"))

        try await workspace.succeed("draft", "save", "draft.json")
        #expect(try await workspace.succeed("draft", "remove", "2").output == "draft 2 removed\n")
        let usage = try await workspace.run("draft", "save", "draft.json", "--id", "2")
        #expect(usage.status == 2 && usage.errors.contains("--draft-version"))
    }
}
