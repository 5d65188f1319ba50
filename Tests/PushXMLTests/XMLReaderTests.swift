import PushXML
import Testing

@Suite struct XMLReaderTests {
    @Test func `a document is parsed to a tree, in which each element and attribute has its position`() throws
    {
        let root = try read("<a b='1'\n c = \"é\">\r\n  <é.1-·_:x/><d>\n<e f=''/></d ></a>\n")
        #expect(
            shown(root) == [
                "1:1 a", "1:4 1:7 b=1", "2:2 2:7 c=é", "3:3 é.1-·_:x", "3:14 d", "4:1 e", "4:4 4:7 f=",
            ])
        #expect(root.children.map(\.name) == ["é.1-·_:x", "d"])
        #expect(root.attribute("c")?.value == "é" && root.attribute("d") == nil)
    }

    private func shown(_ element: DocumentElement) -> [String] {
        let attributes = element.attributes.map {
            "\(shown($0.namePosition)) \(shown($0.valuePosition)) \($0.name)=\($0.value)"
        }
        return ["\(shown(element.position)) \(element.name)"] + attributes + element.children.flatMap(shown)
    }

    private func shown(_ position: SourcePosition) -> String { "\(position.line):\(position.column)" }

    /// XML 1.0, §2.11 and §3.3.3.
    @Test(arguments: [
        ("a\tb\nc\rd\r\ne  f ", "a b c d e  f "), ("\r\r\n\n\r", "    "),
        ("&#9;&#10;&#13;&#x20;", "\t\n\r "), ("&#x2f;srv&#47;caf&#233;", "/srv/café"),
        ("&amp;amp;&quot;&apos;&lt;&gt;", "&amp;\"'<>"), ("&#00000000000000000000000038;#38;", "&#38;"),
        ("&#x10FFFF;&#xFFFD;&#xd7ff;&#xE000;", "\u{10FFFF}\u{FFFD}\u{D7FF}\u{E000}"),
        ("a>b'c]]>--", "a>b'c]]>--"), ("", ""), ("é日𝄞", "é日𝄞"),
    ])
    func `values are normalised, and references are replaced`(written: String, value: String) throws {
        #expect(
            try read("<a b=\"\(written)\"/>").attribute("b")?.value.unicodeScalars.elementsEqual(
                value.unicodeScalars)
                == true)
    }

    @Test(arguments: [
        ("<a>&nbsp;</a>", "unknown entity: only &amp; &lt; &gt; &quot; &apos; and &#number; are supported"),
        ("<a b=\"&x;\"/>", "unknown entity: only &amp; &lt; &gt; &quot; &apos; and &#number; are supported"),
        (
            "<a b=\"&AMP;\"/>",
            "unknown entity: only &amp; &lt; &gt; &quot; &apos; and &#number; are supported"
        ),
        ("<a b=\"b&c\"/>", "an entity without its ';' (write the character & itself as &amp;)"),
        ("<a b=\"b&amp\"/>", "an entity without its ';' (write the character & itself as &amp;)"),
        ("<a>& c</a>", "expected a name after & (write the character & itself as &amp;)"),
        ("<a>&", "expected a name after & (write the character & itself as &amp;)"),
        ("<a b=\"&#zz;\"/>", "incomplete character reference: write &#number; or &#xnumber;"),
        ("<a b=\"&#12a;\"/>", "incomplete character reference: write &#number; or &#xnumber;"),
        ("<a b=\"&#xzz;\"/>", "incomplete character reference: write &#number; or &#xnumber;"),
        ("<a b=\"&#X41;\"/>", "incomplete character reference: write &#number; or &#xnumber;"),
        ("<a b=\"&#65\"/>", "incomplete character reference: write &#number; or &#xnumber;"),
        ("<a>&#;</a>", "incomplete character reference: write &#number; or &#xnumber;"),
        ("<a>&#", "incomplete character reference: write &#number; or &#xnumber;"),
    ])
    func `an invalid reference is refused at the position where it begins`(text: String, message: String) {
        expect(message, in: text.replacing("&", with: "‸&", maxReplacements: 1))
    }

    @Test(arguments: [
        "0", "1", "8", "11", "31", "xB", "xD800", "xDBFF", "xDFFF", "xFFFE", "xFFFF", "x110000", "1114112",
        "4294967361", "18446744073709551681", "x100000000000000041",
    ])
    func `a reference to a character that XML does not allow is refused`(number: String) {
        expect("a character not allowed in XML", in: "<a b='é‸&#\(number);'/>")
        expect("a character not allowed in XML", in: "<a>\n‸&#\(number);</a>")
    }

    @Test(arguments: [
        ("<a>\n <!-- x --> <?p x?><?p?><?p ?>\t<b>x</b>\r\n&#32;</a>", false),
        ("<a> x</a>", true), ("<a>&amp;</a>", true), ("<a>&#120;</a>", true), ("<a>]]</a>", true),
        ("<a>é</a>", true), ("<a><![CDATA[<x>&y;]]]></a>", true), ("<a>]]&gt;</a>", true),
    ])
    func `the position of text is recorded`(text: String, hasText: Bool) throws {
        #expect(try read(text).hasText == hasText)
    }

    @Test func `text must not contain the character sequence that ends a CDATA section`() {
        expect("']]>' in a text must be written as ]]&gt;", in: "<a>x‸]]></a>")
        expect("']]>' in a text must be written as ]]&gt;", in: "<a>]]‸]]></a>")
    }

    @Test(arguments: [
        "<!DOCTYPE a SYSTEM \"file:///etc/passwd\">",
        "<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>",
        "<!DOCTYPE a [<!ENTITY % p SYSTEM \"http://127.0.0.1/p.dtd\"> %p;]>",
        "<!DOCTYPE a PUBLIC \"-\" \"x\">",
        "<!doctype a>", "<!ELEMENT a ANY>", "<!ENTITY a 'b'>", "<!", "<!-", "<![",
    ])
    func `no external resource is fetched, because declarations are refused`(declaration: String) {
        expect(noDeclarations, in: "<!-- c -->‸\(declaration)<a/>")
        expect(noDeclarations, in: "<a>\n ‸\(declaration)</a>")
    }

    @Test func `a CDATA section must be inside a tag`() {
        expect(noDeclarations, in: "‸<![CDATA[x]]><a/>")
        expect(noDeclarations, in: "<a/>‸<![CDATA[x]]>")
    }

    @Test func `a billion laughs attack is refused`() {
        let lols = (1...9).map { "<!ENTITY l\($0) \"\(String(repeating: "&l\($0 - 1);", count: 10))\">" }
        let head = "<?xml version=\"1.0\"?>\n‸<!DOCTYPE s [<!ENTITY l0 \"lol\">\n"
        expect(noDeclarations, in: "\(head)\(lols.joined(separator: "\n"))]>\n<s x=\"&l9;\">&l9;</s>")
    }

    private let noDeclarations = "document types and entities are not supported: remove this declaration"
}
