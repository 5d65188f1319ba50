import Testing

/// Tests the rules of the documents about rich notifications and Android contents through the program.
struct ContentRulesCommandTests {
    @Test(.eachEngine) func `a content is checked against each app's platform and connector`() async throws {
        let workspace = try await Workspace.withBinaryApp()
        for (app, platform) in [("ios", "ios"), ("play", "android")] {
            try await workspace.succeed(Workspace.stubApp(app, platform: platform))
            try await workspace.succeed(
                "subscribers", "import", "--app", app, "-", input: Workspace.subscribers(1))
        }
        func submit(_ content: [String: Any], to apps: String...) async throws -> Finished {
            let document = try Workspace.document(["apps": apps, "content": content])
            return try await workspace.run("delivery", "submit", "-", input: document)
        }
        let media: [String: Any] = [
            "title": "x", "variables": ["mediaUrl": "https://example.com/a.jpg"],
        ]
        let hidden = try await submit(media, to: "ios")
        #expect(
            hidden.status == 0 && hidden.errors.contains("iOS does not show the media of variable mediaUrl"))
        let rich = try await submit(["title": "x", "ios": ["mutableContent": true]], to: "ios", "old")
        #expect(rich.status == 0 && rich.errors.contains("app old: rich notifications and subtitles need"))
        let blank: [String: Any] = ["variables": ["v": "1"]]
        let refused = try await submit(blank, to: "play")
        #expect(refused.status == 3 && refused.errors.contains("content: a data message needs a title or a"))
        let silent = try await submit(blank.merging(["android": ["type": "silent"]]) { $1 }, to: "play")
        #expect(silent.status == 0, "\(silent.errors)")

        let both: [String: Any] = ["title": "Paris", "body": "99 EUR", "variables": ["title": "Rome"]]
        let document = try Workspace.document(["apps": ["ios", "play"], "content": both])
        try workspace.write(document, to: "both.json")
        let preview = try await workspace.succeed("delivery", "preview", "both.json", "--user-key", "user1")
        #expect(preview.output.contains("Paris") && preview.output.contains("Rome"), "\(preview.output)")
    }
}
