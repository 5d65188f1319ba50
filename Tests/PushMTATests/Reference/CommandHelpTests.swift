import TestSupport
import Testing
import pushmta

struct CommandHelpTests {
    @Test func `the help of every command ends with an example that the parser accepts`() throws {
        // The child takes no arguments, and no help lists it.
        for command in LeafCommand.all where command.name != "mtachild" {
            let example = HelpExample(in: command.discussion, of: "pushmta \(command.name)")
            let words = try #require(example, "\(command.name) has no example").words
            #expect(throws: Never.self, "\(command.name)") { try LeafCommand.parse(words) }
        }
    }

    @Test func `an example that the parser refuses is detected`() throws {
        for line in [
            "delivery pause", "delivery pause 0", "subscribers erase",
            "webhook update crm --enable --disable",
            "quarantine release --app shop-ios --yes", "service create \"\"",
        ] {
            let example = try #require(HelpExample(in: "Example: pushmta \(line)", of: "pushmta"))
            #expect(throws: (any Error).self, "\(line)") { try LeafCommand.parse(example.words) }
        }
        #expect(HelpExample(in: "Text.\nExample: pushmta reload", of: "pushmta reload") == nil)
        #expect(HelpExample(in: "Text.\n\nExample: pushmta run", of: "pushmta reload") == nil)
        let example = HelpExample(in: "Text.\n\nExample: pushmta send --title 'a b' > id", of: "pushmta send")
        #expect(example?.words == ["send", "--title", "a b"])
    }
}
