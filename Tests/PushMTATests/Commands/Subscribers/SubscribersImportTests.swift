import Foundation
import Testing

struct SubscribersImportTests {
    private static let token = String(repeating: "ab", count: 32)
    private static let other = String(repeating: "cd", count: 32)

    private static func importing(_ text: String, _ options: String...) async throws -> (Workspace, Finished)
    {
        try await importing(Data(text.utf8), options)
    }

    private static func importing(_ bytes: Data, _ options: [String] = []) async throws -> (
        Workspace, Finished
    ) {
        let workspace = try await Workspace.withApp()
        try workspace.write(bytes, to: "list.csv")
        let finished = try await workspace.run(
            ["subscribers", "import", "--app", "ios", "list.csv"] + options)
        return (workspace, finished)
    }

    private static func export(_ workspace: Workspace) async throws -> String {
        try await workspace.succeed("subscribers", "export", "--app", "ios", "--without-facts").output
    }

    @Test func `a valid file is imported completely`() async throws {
        let (workspace, finished) = try await Self.importing(Workspace.subscribers(12_345))
        #expect(finished.status == 0)
        #expect(finished.output == "12345 rows: 12345 new, 0 changed, 0 unchanged, 0 repeated, 0 rejected\n")
        #expect(finished.errors.isEmpty)
        #expect(try await workspace.succeed("subscribers", "count", "--app", "ios").output == "12345\n")
        #expect(try await Self.export(workspace) == Workspace.subscribers(12_345))
    }

    @Test func `a byte order mark, CRLF line ends, quotes and columns in any order are accepted`()
        async throws
    {
        let (workspace, finished) = try await Self.importing(
            "\u{FEFF}city,userKey,registrationToken\r\n"
                + "\"Aix, \"\"Provence\"\"\",\"u\n1\",\(Self.token.uppercased())\r\n,u2,\(Self.other)")
        #expect(finished.status == 0)
        #expect(
            try await Self.export(workspace) == """
                token,userKey,city
                \(Self.token),"u\n1","Aix, ""Provence\"""
                \(Self.other),u2,

                """)
    }

    @Test func `if two rows have the same token, the later row wins`() async throws {
        let (workspace, finished) = try await Self.importing(
            "registrationToken,userKey\n\(Self.token),first\n\(Self.token),second\n", "--json")
        #expect(finished.status == 0)
        let counts = try #require(try finished.json() as? [String: Any]).compactMapValues { $0 as? Int }
        #expect(
            counts == [
                "rows": 2, "inserted": 1, "updated": 0, "unchanged": 0, "repeated": 1, "rejected": 0,
                "quarantined": 0, "optedOut": 0,
            ])
        #expect(try await Self.export(workspace).contains("second"))
    }

    @Test func `importing a file again changes nothing`() async throws {
        let (workspace, _) = try await Self.importing(Workspace.subscribers(10))
        let again = try await workspace.succeed("subscribers", "import", "--app", "ios", "list.csv")
        #expect(again.output == "10 rows: 0 new, 0 changed, 10 unchanged, 0 repeated, 0 rejected\n")
    }

    @Test func `bad rows are reported with their lines, and the other rows are imported`() async throws {
        var file = Data("registrationToken,userKey\n\(Self.token),u1\nshort,u2\n\(Self.other)\n".utf8)
        file += Data("\(Self.other),".utf8) + Data([0xFF, 0xFE]) + Data("\n\(Self.other),u5\n".utf8)
        file += Data(repeating: UInt8(ascii: "a"), count: (1 << 20) + 1) + Data(",u6\n".utf8)
        let (workspace, finished) = try await Self.importing(file)
        #expect(finished.status == 1)
        #expect(finished.output == "6 rows: 2 new, 0 changed, 0 unchanged, 0 repeated, 4 rejected\n")
        #expect(finished.errorLines.map { $0.prefix(7) } == ["line 3:", "line 4:", "line 5:", "line 7:"])
        #expect(try await workspace.succeed("subscribers", "count", "--app", "ios").output == "2\n")
    }

    @Test func `a rejects file contains all bad rows, and the terminal shows only the first ten`()
        async throws
    {
        let bad = "registrationToken,userKey\n\(Self.token),good\n" + String(repeating: "x,y\n", count: 25)
        let (workspace, finished) = try await Self.importing(bad)
        #expect(finished.status == 1)
        #expect(finished.errorLines.count == 11)
        #expect(finished.errorLines.last?.contains("15 more") == true)

        let again = try await workspace.run(
            "subscribers", "import", "--app", "ios", "list.csv", "--rejects", "rejects.csv")
        #expect(again.status == 1)
        #expect(again.errors.isEmpty)
        let rejects = try workspace.text(of: "rejects.csv").split(separator: "\n")
        #expect(rejects.count == 26)
        #expect(rejects.first == "line,reason")
        #expect(rejects.last?.hasPrefix("27,") == true)
    }

    @Test(arguments: [
        ("", "empty"), ("token,user\nab,1\n", "userKey"), ("registrationToken\nabcd\n", "userKey"),
        ("registrationToken|userKey\nabcd|1\n", "commas"),
        ("registrationToken,userKey,registrationToken\n", "name"),
        ("registrationToken,userKey\nnot-hex,1\nnor-this,2\n", "line 3"),
    ])
    func `a file without a valid row is refused`(text: String, hint: String) async throws {
        let (workspace, finished) = try await Self.importing(text)
        #expect(finished.status == 3)
        #expect(finished.errors.contains(hint))
        #expect(try await workspace.succeed("subscribers", "count", "--app", "ios").output == "0\n")
    }

    @Test func `a file can only have parameters that the app declares, with values of the declared types`()
        async throws
    {
        let workspace = try await Workspace.withApp()
        try await workspace.succeed(
            "app", "update", "ios", "--parameter", "points:number", "--parameter", "city")
        try workspace.write(
            "registrationToken,userKey,colour\n\(Self.token),u1,red\n", to: "colour.csv")
        let refused = try await workspace.run("subscribers", "import", "--app", "ios", "colour.csv")
        #expect(refused.status == 3)
        #expect(refused.errorLines.count == 1)
        #expect(
            refused.errors.contains("colour.csv: line 1: unknown parameters: colour; the app declares"))
        #expect(refused.errors.contains("points:number") && refused.errors.contains("city:text"))

        try workspace.write(
            "registrationToken,userKey,points\n\(Self.token),u1,7\n\(Self.other),u2,seven\n",
            to: "list.csv")
        let finished = try await workspace.run("subscribers", "import", "--app", "ios", "list.csv")
        #expect(finished.status == 1)
        #expect(finished.errorLines == ["line 3: column points: this app requires a number, like -12.5"])
        #expect(
            try await Self.export(workspace) == "token,userKey,points\n\(Self.token),u1,7\n")
    }

    @Test func `a file with only a header is valid and has no subscribers`() async throws {
        let (_, finished) = try await Self.importing("registrationToken,userKey\n")
        #expect(finished.status == 0)
        #expect(finished.output.hasPrefix("0 rows"))
    }

    @Test func `import can also read standard input`() async throws {
        let workspace = try await Workspace.withApp()
        let finished = try await workspace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: Workspace.subscribers(2))
        #expect(finished.output.hasPrefix("2 rows: 2 new"))
        let bad = try await workspace.run("subscribers", "import", "--app", "ios", "-", input: "no header\n")
        #expect(bad.status == 3)
        #expect(bad.errors.contains("standard input"))
    }

    @Test
    func `input that is too large for memory is read from a pipe and sorted, and no temporary file remains`()
        async throws
    {
        let workspace = try await Workspace.withApp()
        let files = try FileManager.default.contentsOfDirectory(atPath: workspace.path("var")).count
        // The input has 60 MB, of which memory can contain 40 MB. The second part of the file repeats rows
        // from the first part.
        let city = String(repeating: "a city with a very long name, ", count: 140)
        let rows = (0..<15_000).map { "\(Self.token(of: $0 * 7 % 13_000)),user-\($0),\"\(city)\($0)\"\n" }
        let finished = try await workspace.succeed(
            "subscribers", "import", "--app", "ios", "-", input: "token,userKey,city\n" + rows.joined())
        #expect(
            finished.output
                == "15000 rows: 13000 new, 0 changed, 0 unchanged, 2000 repeated, 0 rejected\n")
        let export = try await Self.export(workspace)
        #expect(export.utf8.count(where: { $0 == UInt8(ascii: "\n") }) == 13_001)
        let lines = Set(export.split(separator: "\n").map { "\($0)\n" })
        #expect(rows[2_000...].allSatisfy { lines.contains($0) })
        #expect(try FileManager.default.contentsOfDirectory(atPath: workspace.path("var")).count == files)
    }

    private static func token(of number: Int) -> String {
        let digits = String(UInt64(number + 1) &* 0x9E37_79B9_7F4A_7C15, radix: 16)
        return String(repeating: "0", count: 64 - digits.count) + digits
    }

    @Test func `unreadable input and unwritable output are reported before anything is imported`()
        async throws
    {
        let workspace = try await Workspace.withApp()
        try workspace.write(Workspace.subscribers(2), to: "list.csv")
        for (arguments, status, name) in [
            (["nowhere.csv", "--app", "ios"], Int32(1), "nowhere.csv"), ([".", "--app", "ios"], 1, "."),
            (["list.csv", "--app", "ios", "--rejects", "no/such/folder"], 1, "no/such/folder"),
            (["list.csv", "--app", "ios", "--rejects", "."], 3, "not a file"),
            (["list.csv", "--app", "android"], 3, "android"),
        ] {
            let finished = try await workspace.run(["subscribers", "import"] + arguments)
            #expect(finished.status == status)
            #expect(finished.errorLines.count == 1)
            #expect(finished.errors.contains(name))
        }
        #expect(try await workspace.succeed("subscribers", "count", "--app", "ios").output == "0\n")
    }
}
