import FoundationEssentials
import Testing
import pushpages

struct ManualPageTests {
    private static let help = """
        {"serializationVersion": 0, "command": {
          "commandName": "tool", "abstract": "Does things.", "discussion": "At once. Or never.", "shouldDisplay": true,
          "arguments": [
            {"kind": "option", "shouldDisplay": true, "isOptional": true, "isRepeating": false, "valueName": "file",
             "names": [{"kind": "long", "name": "config"}], "preferredName": {"kind": "long", "name": "config"},
             "abstract": "The file."}],
          "subcommands": [
            {"commandName": "secret", "shouldDisplay": false, "superCommands": ["tool"]},
            {"commandName": "help", "shouldDisplay": true, "superCommands": ["tool"]},
            {"commandName": "list", "abstract": "Lists.", "shouldDisplay": true, "superCommands": ["tool"],
             "arguments": [
               {"kind": "option", "shouldDisplay": true, "isOptional": true, "isRepeating": false, "valueName": "file",
                "names": [{"kind": "long", "name": "config"}], "preferredName": {"kind": "long", "name": "config"}},
               {"kind": "flag", "shouldDisplay": true, "isOptional": true, "isRepeating": false, "abstract": "All.",
                "names": [{"kind": "short", "name": "a"}, {"kind": "long", "name": "all-of-them"}],
                "preferredName": {"kind": "long", "name": "all-of-them"}}]},
            {"commandName": "thing", "abstract": "Things.", "shouldDisplay": true, "superCommands": ["tool"],
             "subcommands": [
               {"commandName": "make", "abstract": "Makes one.", "shouldDisplay": true,
                "discussion": "Slowly.\\n\\nExample: tool thing make x_y",
                "superCommands": ["tool", "thing"],
                "arguments": [
                  {"kind": "positional", "shouldDisplay": true, "isOptional": false, "isRepeating": true,
                   "valueName": "name", "abstract": "Its name.", "allValues": ["x", "y"], "defaultValue": "x"}]}]}]}}
        """

    private func pages() throws -> [ManualPage] {
        let tree = try JSONDecoder().decode(HelpTree.self, from: Data(Self.help.utf8))
        return ManualPage.pages(of: tree, .init(version: "1.2.3", date: "November 22, 2026"))
    }

    @Test func `the program and each visible command have a manual page`() throws {
        #expect(try pages().map(\.name) == ["tool", "tool-list", "tool-thing"])
    }

    @Test func `the page of the program lists its commands and options`() throws {
        let text = try #require(try pages().first).text
        #expect(
            text.contains(
                ".Dd November 22, 2026\n.Dt TOOL 1\n.Os \"tool 1.2.3\"\n.Sh NAME\n.Nm tool\n.Nd Does things\n"
            ))
        #expect(text.contains("\nAt once.\nOr never.\n"))
        #expect(text.contains("\n.It Xr tool-list 1\nLists.\n"))
        #expect(text.contains("\n.It Fl \\-config Ar file\nThe file.\n"))
        #expect(!text.contains("secret"))
    }

    @Test func `the page of a command does not repeat the content of the program's page`() throws {
        let text = try pages()[1].text
        #expect(text.contains("\n.Nm tool\n.Cm list\n.Op Fl \\-all\\-of\\-them\n.Sh"))
        #expect(text.contains("\n.It Fl a , Fl \\-all\\-of\\-them\nAll.\n"))
        #expect(!text.contains("config\n"))
    }

    @Test func `the reference lists every visible command with the command's own arguments`() throws {
        let tree = try JSONDecoder().decode(HelpTree.self, from: Data(Self.help.utf8))
        let text = CommandReference(of: tree, introduction: "Read this.").text
        #expect(text.hasPrefix("# Command reference\n\nRead this.\n\nAt once. Or never.\n\n"))
        #expect(text.contains("\n| [`thing make`](#tool-thing-make) | Makes one. |\n"))
        #expect(text.contains("\n## tool list\n\nLists.\n\n```text\ntool list [--all-of-them]\n```\n"))
        #expect(text.contains("\n| `-a`, `--all-of-them` | All. |\n"))
        #expect(
            text.contains(
                "\n### tool thing make\n\nMakes one.\n\n```text\ntool thing make <name> …\n```\n\nSlowly.\n\n"
                    + "Example: `tool thing make x_y`\n"))
        #expect(text.contains("\n| `<name>` | Its name. One of `x`, `y`. Default: `x`. |\n"))
        #expect(!text.contains("secret"))
    }

    @Test func `the page of a command contains all of its subcommands`() throws {
        let text = try pages()[2].text
        #expect(text.contains("\n.Nm tool\n.Cm thing make\n.Ar name ...\n"))
        #expect(
            text.contains(
                "\n.Ss tool thing make\nMakes one.\n.Pp\nSlowly.\n.Pp\nExample: tool thing make x_y\n"))
        #expect(text.contains("\n.It Ar name\nIts name.\nOne of x, y.\nDefault: x.\n"))
    }
}
