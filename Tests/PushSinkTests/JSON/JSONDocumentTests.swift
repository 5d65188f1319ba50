import Testing
import pushsink

@Suite struct JSONDocumentTests {
    @Test func `members are found at their position, and the first member with a name counts`() {
        let text =
            #" { "a" : {"x":[1, "two" ,{"y":null}],"b":true} , "b":"\u00e9\n\"\ud83d\udc4b", "a":3, "n":null } "#
        text.asBytes { bytes in
            let document = JSONDocument()
            #expect(document.read(bytes))
            let a = document.member("a", of: document.root)
            #expect(a.map(document.kind) == .object)
            let list = a.flatMap { document.member("x", of: $0) }
            #expect(list.map { document.elements(of: $0).map(document.kind) } == [.number, .text, .object])
            #expect(list.map { document.elements(of: $0).prefix(2).map(document.text) } == ["1", "two"])
            let b = document.member("b", of: document.root)
            #expect(b.map(document.text) == "é\n\"👋" && b.map(document.length) == 8)
            #expect(b.map(document.isPlain) == false)
            #expect(
                document.member("n", of: document.root) == nil
                    && document.member("y", of: document.root) == nil)
            #expect(
                document.members(of: document.root).map { document.text($0.key) } == ["a", "b", "a", "n"])
        }
    }

    @Test func `a text that is not JSON is refused, and a reader can be reused`() {
        let document = JSONDocument()
        for text in ["", "{", #"{"a":}"#, "{}{}"] { #expect(!text.asBytes(document.read), "\(text)") }
        for text in ["{}", "[]", "1", #"{"a":{}}"#] { #expect(text.asBytes(document.read), "\(text)") }
    }

    @Test(arguments: ["plain", "q\"b\\n\nt\tc\u{1}é👋/", ""])
    func `a quoted JSON text is decoded`(text: String) {
        let quoted = JSONText.quoted(text)
        #expect(quoted.asBytes { JSONShape($0) } == .other)
        #expect(quoted.dropFirst().dropLast().description.asBytes(JSONText.unescaped) == text)
    }

    @Test func `half of a surrogate pair is replaced`() {
        #expect(#"a\ud83db"#.asBytes(JSONText.unescaped) == "a\u{FFFD}b")
    }
}
