import Testing
import pushmta

struct StringShellTests {
    @Test(arguments: [
        ("ios", "ios"), ("neo-trips_2.x", "neo-trips_2.x"), ("", "''"), ("two words", "'two words'"),
        ("it's", #"'it'\''s'"#), ("$HOME", "'$HOME'"), ("äpp", "'äpp'"), ("a;b", "'a;b'"),
    ])
    func `a shell parses a quoted text as one word`(text: String, quoted: String) {
        #expect(text.quotedForShell == quoted)
    }
}
