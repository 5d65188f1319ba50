import Testing
import pushmta

struct StringShellTests {
    @Test(arguments: [
        ("ios", "ios"), ("neo-trips_2.x", "neo-trips_2.x"), ("", "''"), ("two words", "'two words'"),
        ("it's", #"'it'\''s'"#), ("$HOME", "'$HOME'"), ("äpp", "'äpp'"), ("a;b", "'a;b'"),
    ])
    func `a quoted text is one word to a shell`(text: String, quoted: String) {
        #expect(text.quotedForShell == quoted)
    }
}
