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
        let export = try await workspace.succeed("subscribers", "export", "--app", "ios", "--without-facts")
        #expect(export.output == file)
        let again = try await workspace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: export.output)
        #expect(again.output.hasPrefix("3 rows: 0 new, 0 changed, 3 unchanged"))
    }

    @Test func `exporting an app without subscribers prints only a header`() async throws {
        let workspace = try await Workspace.withApp()
        let export = try await workspace.succeed("subscribers", "export", "--app", "ios", "--without-facts")
        #expect(export.output == "token,userKey\n")
    }

    @Test(.eachEngine) func `an export has all collected facts, and an import of it keeps only the language`()
        async throws
    {
        let workspace = try await Workspace.withApp()
        let token = String(repeating: "01", count: 32)
        let file = "token,userKey,timeZone,osLanguage\n\(token),anna,Europe/Paris,fr-FR\n"
        try await workspace.succeed("subscribers", "import", "--app", "ios", "-", input: file)
        let export = try await workspace.succeed("subscribers", "export", "--app", "ios").output
        let lines = export.split(separator: "\n").map(String.init)
        let header =
            "token,userKey,timeZone,osLanguage,osName,osVersion,deviceName,deviceModel,deviceBrand,deviceManufacturer,createdAt,registeredAt,lastActiveAt"
        #expect(lines.first == header)
        #expect(lines.last?.hasPrefix("\(token),anna,Europe/Paris,fr-FR,,,,,,,20") == true)
        let again = try await workspace.succeed("subscribers", "import", "--app", "ios", "-", input: export)
        #expect(again.output.hasPrefix("1 row: 0 new, 0 changed, 1 unchanged"))
        let other = export.replacing("fr-FR", with: "de")
        let changed = try await workspace.succeed("subscribers", "import", "--app", "ios", "-", input: other)
        #expect(changed.output.hasPrefix("1 row: 0 new, 1 changed, 0 unchanged"))
        let lineFile = try await workspace.succeed(
            "subscribers", "export", "--app", "ios", "--format", "jsonl"
        ).output
        #expect(lineFile.contains(#""osLanguage":"de","createdAt":"20"#))
        #expect(lineFile.contains(#""parameters":{"timeZone":"Europe/Paris"}"#))
        let last = try await workspace.succeed(
            "subscribers", "import", "--app", "ios", "--format", "jsonl", "-", input: lineFile)
        #expect(last.output.hasPrefix("1 row: 0 new, 0 changed, 1 unchanged"))
    }
}
