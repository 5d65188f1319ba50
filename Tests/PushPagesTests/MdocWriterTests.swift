import Testing
import pushpages

struct MdocWriterTests {
    private func lines(_ text: String) -> [String] {
        var writer = MdocWriter()
        writer.prose(text)
        return writer.lines
    }

    @Test func `each sentence begins a line, and an abbreviation with one letter does not end a sentence`() {
        #expect(
            lines("It sends. It waits (a while.) Done? Yes.") == [
                "It sends.", "It waits (a while.)", "Done?", "Yes.",
            ])
        #expect(lines("what is a . in a path") == ["what is a . in a path"])
    }

    @Test func `long sentences are wrapped between words`() {
        let broken = lines(String(repeating: "word ", count: 40))
        #expect(broken.count == 3)
        #expect(broken.allSatisfy { $0.count <= 78 })
        #expect(broken.joined(separator: " ").split(separator: " ").count == 40)
    }

    @Test func `paragraphs are separated, and the page contains no blank line`() {
        #expect(lines("One.\n\nTwo.\n") == ["One.", ".Pp", "Two."])
    }

    @Test func `no part of a text is interpreted as a macro or as an escape sequence`() {
        #expect(lines(".Sh is text") == ["\\&.Sh is text"])
        #expect(lines("'tis text") == ["\\&'tis text"])
        #expect(lines("C:\\new --all") == ["C:\\enew \\-\\-all"])
    }

    @Test func `an empty text produces no line`() {
        #expect(lines("").isEmpty)
        #expect(lines(" \n\n ").isEmpty)
    }
}
