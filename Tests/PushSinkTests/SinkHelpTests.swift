import TestSupport
import Testing
import pushsink

struct SinkHelpTests {
    @Test func `the help of every command ends with an example that the parser accepts`() throws {
        for (name, discussion) in SinkCommands.help {
            let example = HelpExample(in: discussion, of: "pushsink \(name)")
            let words = try #require(example, "\(name) has no example").words
            #expect(throws: Never.self, "\(name)") { try SinkCommands.parse(words) }
        }
    }
}
