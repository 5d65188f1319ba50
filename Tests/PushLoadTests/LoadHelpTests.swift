import Foundation
import TestSupport
import Testing
import pushload

struct LoadHelpTests {
    @Test func `the help of every command ends with an example that the parser accepts`() throws {
        for (name, discussion) in LoadCommands.help {
            let example = HelpExample(in: discussion, of: "pushload \(name)")
            let words = try #require(example, "\(name) has no example").words
            // This command is refused on a machine without the tool that it runs.
            if name == "web", !FileManager.default.isExecutableFile(atPath: "/usr/bin/wrk") { continue }
            #expect(throws: Never.self, "\(name)") { try LoadCommands.parse(words) }
        }
    }
}
