import Testing
import pushpages

struct MdocWriterTests {
    private func lines(_ text: String) -> [String] {
        var writer = MdocWriter()
        writer.prose(text)
        return writer.lines
    }

    @Test func `a sentence begins a line, and an abbreviation of one letter ends none`() {
        #expect(
            lines("It sends. It waits (a while.) Done? Yes.") == [
                "It sends.", "It waits (a while.)", "Done?", "Yes.",
            ])
        #expect(lines("what is a . in a path") == ["what is a . in a path"])
    }

    @Test func `long sentences are broken between words`() {
        let broken = lines(String(repeating: "word ", count: 40))
        #expect(broken.count == 3)
        #expect(broken.allSatisfy { $0.count <= 78 })
        #expect(broken.joined(separator: " ").split(separator: " ").count == 40)
    }

    @Test func `paragraphs are parted, and no blank line is left`() {
        #expect(lines("One.\n\nTwo.\n") == ["One.", ".Pp", "Two."])
    }

    @Test func `nothing of a text is taken for a macro or an escape`() {
        #expect(lines(".Sh is text") == ["\\&.Sh is text"])
        #expect(lines("'tis text") == ["\\&'tis text"])
        #expect(lines("C:\\new --all") == ["C:\\enew \\-\\-all"])
    }

    @Test func `no text, no line`() {
        #expect(lines("").isEmpty)
        #expect(lines(" \n\n ").isEmpty)
    }
}
