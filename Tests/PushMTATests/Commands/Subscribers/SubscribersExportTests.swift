import Testing

struct SubscribersExportTests {
    @Test func `an exported file can be imported`() async throws {
        let workspace = try await Workspace.withApp()
        let tokens = (1...3).map { String(repeating: "0\($0)", count: 32) }
        let file = """
            token,userKey,city,size
            \(tokens[0]),"a,b",Paris,
            \(tokens[1]),,,XL
            \(tokens[2]),"quote "" and
            line",Rome,S

            """
        try await workspace.succeed("subscribers", "import", "--app", "ios", "-", input: file)
        let export = try await workspace.succeed("subscribers", "export", "--app", "ios")
        #expect(export.output == file)
        let again = try await workspace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: export.output)
        #expect(again.output.hasPrefix("3 rows: 0 new, 0 changed, 3 unchanged"))
    }

    @Test func `exporting an app without subscribers prints only a header`() async throws {
        let workspace = try await Workspace.withApp()
        let export = try await workspace.succeed("subscribers", "export", "--app", "ios")
        #expect(export.output == "token,userKey\n")
    }
}
