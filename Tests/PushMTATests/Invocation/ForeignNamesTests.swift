import Testing

/// Tests file names and file contents in error messages.
struct ForeignNamesTests {
    private static let name = "no\nsuch\u{1B}]0;title\u{7}\u{202E}file"

    @Test func `a name with terminal control characters is shown on one line`() async throws {
        let workspace = try await Workspace.withApp()
        try workspace.write(Workspace.subscribers(1), to: "list.csv")
        try workspace.write("{\"\\u001b[2J\\nkey\": 1}", to: Self.name + ".json")
        for arguments in [
            ["subscribers", "import", "--app", "ios", Self.name],
            ["subscribers", "import", "--app", "ios", "list.csv", "--rejects", Self.name + "/x"],
            ["subscribers", "count", "--app", Self.name], ["delivery", "submit", Self.name],
            ["delivery", "submit", Self.name + ".json"],
            ["delivery", "submit", "list.csv", "--user-keys", Self.name],
            ["--config", Self.name, "config", "check"], ["explain", Self.name],
        ] {
            let finished = try await workspace.run(arguments)
            #expect(finished.status == 1 || finished.status == 3, "\(arguments)")
            // A document with several errors produces one line for each.
            #expect(finished.errorLines.allSatisfy { $0.hasPrefix("pushmta: ") || $0.hasPrefix("no\\nsuch") })
            let raw = (finished.errors + finished.output).unicodeScalars.filter {
                $0 != "\n" && ($0.value < 0x20 || $0.value == 0x7F || $0 == "\u{202E}")
            }
            #expect(raw.isEmpty, "\(finished.errors)")
        }
    }
}
