import Foundation
import TestSupport
import Testing
import pushpages

struct CommandReferencePageTests {
    private static let introduction = """
        `make reference` writes this page from the program's help.
        [The command line](../Operate/CommandLine.md) describes the properties that all commands share.
        `pushmta help COMMAND` and the manual pages have the same text as this page.
        """

    @Test func `the command reference page matches the program's help`() async throws {
        let help = try await Workspace(configuration: nil).run("--experimental-dump-help")
        let tree = try JSONDecoder().decode(HelpTree.self, from: Data(help.output.utf8))
        let reference = CommandReference(of: tree, introduction: Self.introduction)
        try ReferencePage("Commands.md").check(reference.text)
    }
}
