import PushXML
import Testing

/// Tests of documents that are not XML: each document yields one error, at the position where the mistake
/// began.
@Suite struct XMLReaderSlipsTests {
    @Test func `empty input is refused as a document`() {
        expect("the document is empty: expected a tag", in: "‸")
        expect("the document is empty: expected a tag", in: " \n <!-- only this -->\n‸")
        expect("this is not XML: expected a tag", in: "\n  ‸{\"json\": true}")
        expect("this is not XML: expected a tag", in: "‸abc")
    }

    @Test func `a tag that was opened must be closed`() {
        expect("the tag \"mta\" is not closed", in: "<serverConf>\n  ‸<mta>\n")
        expect("the tag \"a\" is not closed", in: "‸<a>")
        expect(
            "the tag \"mta\" is not closed: its '>' is missing",
            in: "<serverConf>\n  ‸<mta autoStart='true'\n"
        )
        expect(
            "the tag \"mta\" is not closed: its '>' is missing",
            in: "<serverConf>‸<mta <child/></mta></serverConf>")
        expect("this comment is not closed", in: "<serverConf>\n ‸<!-- x -- ></serverConf>")
        expect(
            "this CDATA section is not closed",
            in: "<serverConf>‸<![CDATA[ ]] ></serverConf>"
        )
        expect("this processing instruction is not closed", in: "‸<?xml version='1.0'")
    }

    @Test func `a processing instruction must have a name that is followed by a space`() {
        expect("a processing instruction without a name", in: "<serverConf>‸<??></serverConf>")
        expect("a processing instruction without a name", in: "<serverConf>‸<? a?></serverConf>")
        expect("expected a space or ?>", in: "<serverConf><?a‸$?></serverConf>")
        expect("this processing instruction is not closed", in: "<serverConf>‸<?a b></serverConf>")
        expect("this processing instruction is not closed", in: "<serverConf>‸<?a")
    }

    @Test func `a closing tag must match the last open tag`() {
        expect("\"serverConf\" closes a tag that is not open", in: "<serverConf/>\n‸</serverConf>")
        expect(
            "closing tag \"serverConf\" while \"mta\", opened at 2:3, is still open",
            in: "<serverConf>\n  <mta>\n‸</serverConf>")
        expect(
            "the closing tag \"serverConf\" is incomplete: its '>' is missing",
            in: "<serverConf>‸</serverConf x>")
        expect("a closing tag without a name", in: "<serverConf>‸</></serverConf>")
        // The names look the same to a human reader, but they are two different names in XML.
        expect(
            "closing tag \"e\u{301}\" while \"\u{E9}\", opened at 1:1, is still open",
            in: "<\u{E9}>‸</e\u{301}>")
    }

    @Test func `a document has one outermost tag and no text outside it`() {
        expect("a second root element: everything must be inside \"serverConf\"", in: "<serverConf/>‸<mta/>")
        expect("text after the last tag", in: "<serverConf/> \n‸x")
    }

    @Test func `an attribute must have a name, a quoted value and a preceding space`() {
        expect("attribute \"autoStart\" has no value: write name=\"value\"", in: tag("‸autoStart"))
        expect("the value of attribute \"logLevel\" must be in quotes", in: tag("logLevel = ‸2"))
        expect("missing space before attribute \"b\"", in: tag("a='1'‸b='2'"))
        expect(
            "unexpected character in a tag: expected an attribute or '>'",
            in: tag("‸=\"x\""))
        expect("unexpected character in a tag: expected an attribute or '>'", in: "<serverConf ‸/ >")
        expect(
            "unexpected character in a tag: expected an attribute or '>'", in: tag("a='1' ‸1b='2'"))
        expect(
            "'<' without a name: write the character itself as &lt;", in: "<serverConf>1 ‸< 2</serverConf>")
    }

    @Test func `an unclosed quotation mark is reported at the position where it opens`() {
        let message =
            "the value of attribute \"autoStart\" has no closing quote (write '<' in a value as &lt;)"
        expect(message, in: "<serverConf>\n <mta autoStart=\"‸true/>\n <web/>\n</serverConf>")
        expect(message, in: "<serverConf>\n <mta autoStart='‸true\n")
    }

    @Test func `an attribute can occur only once in a tag`() {
        expect(
            "attribute \"autoStart\" appears twice in its tag, first at 2:7",
            in: "<serverConf>\n <mta autoStart='true'\n      ‸autoStart='false'/></serverConf>")
    }

    @Test func `markup in comments, values and CDATA sections is ignored`() throws {
        let text = """
            <?xml version="1.0"?><!-- <a b='> --><?pi <x> ?>
            <serverConf><!-- <mta autoStart="yes"> <!DOCTYPE x> -->
              <mta workingPath='a>b"c' autoStart="true"/><![CDATA[ <web> ]]></serverConf>
            <!-- </serverConf> -->
            """
        let root = try read(text)
        #expect(root.attributes.isEmpty && root.hasText)
        #expect(root.children.map(\.name) == ["mta"])
        #expect(root.children.first?.attributes.map(\.value) == ["a>b\"c", "true"])
        #expect(root.children.first?.position == SourcePosition(line: 3, column: 3))
    }

    @Test func `a double dash in a comment is an error at its position`() {
        expect("'--' is not allowed in a comment", in: "<a>\n<!-- a ‸-- b --></a>")
        expect("'--' is not allowed in a comment", in: "<a>\n<!-- a ‸---></a>")
        expect("this comment is not closed", in: "<a>‸<!--></a>")
        expect("this comment is not closed", in: "<a>‸<!---></a>")
    }

    @Test func `excerpts from a document are printable and short`() throws {
        let name = String(repeating: "\u{202E}é", count: 1)
        let found = try #require(failure(in: Array("<a>\u{7F}</\(String(repeating: "x", count: 150))>".utf8)))
        #expect(found.message.count < 150 && found.message.contains("…"))
        let hidden = try #require(failure(in: Array("<?xml version='1.0' encoding='\(name)\n'?><a/>".utf8)))
        #expect(hidden.message.contains("\\u{202E}é\\n"))
    }

    private func tag(_ attributes: String) -> String { "<serverConf>\n <mta \(attributes)/>\n</serverConf>" }
}
