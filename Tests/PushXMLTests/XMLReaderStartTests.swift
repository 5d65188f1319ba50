import PushXML
import Testing

@Suite struct XMLReaderStartTests {
    @Test func `columns count characters, and line feeds end lines`() {
        let message = "attribute \"c\" has no value: write name=\"value\""
        expect(message, in: "<a><!-- añ日𝄞 --><b ‸c/></a>")
        expect(message, in: "<a>\r\n<!-- é -->\r\n\t<b ‸c/></a>")
    }

    @Test func `a byte order mark does not count as a column`() throws {
        let (bytes, place) = marked("<?xml version='1.0'?><a ‸b='1'/>")
        let root = try XMLReader.root(of: [0xEF, 0xBB, 0xBF] + bytes, within: .usual)
        #expect(root.attribute("b")?.namePosition == place)
        expect("this is not XML: expected a tag", in: "<!-- -->‸\u{FEFF}<a/>")
    }

    @Test(arguments: ["ISO-8859-1", "iso-8859-1", "windows-1252"])
    func `documents in single-byte encodings are read as declared`(encoding: String) throws {
        let head = Array("<?xml version='1.0' encoding='\(encoding)'?><a><!-- ".utf8)
        let bytes =
            head + [0xE9, 0x81] + Array(" --><caf".utf8) + [0xE9] + Array(" d='".utf8) + [
                0x80, 0x9F, 0xA0, 0xFF,
            ]
            + Array("' x='1'/></a>".utf8)
        let element = try #require(try XMLReader.root(of: bytes, within: .usual).children.first)
        #expect(element.name == "café" && element.attribute("d")?.value == "€Ÿ\u{A0}ÿ")
        #expect(element.attribute("x")?.namePosition.column == bytes.count - "x='1'/></a>".utf8.count + 1)
    }

    @Test(arguments: ["UTF-8", "utf-8", "UTF8", "US-ASCII", "ascii"])
    func `UTF-8 is recognised under each of its names`(encoding: String) throws {
        let root = try read("<?xml version=\"1.0\" encoding = \"\(encoding)\" standalone='no' ?>\n<a b='é'/>")
        #expect(root.attribute("b")?.value == "é")
        #expect(root.position == SourcePosition(line: 2, column: 1))
    }

    @Test(arguments: ["UTF-8", "ISO-8859-1", "windows-1252", "utf-16", "Shift_JIS", ""])
    func `decoded text is UTF-8, whatever encoding it declares`(encoding: String) throws {
        let bytes = Array("<?xml version='1.0' encoding='\(encoding)' standalone='yes'?><a b='Évry'/>".utf8)
        let root = try XMLReader.root(of: bytes, .decodedText, within: .usual)
        #expect(root.attribute("b")?.value == "Évry")
        let malformed = Array("<?xml version='1.0' encoding='\(encoding)><a b='Évry'/>".utf8)
        #expect(throws: XMLError.self) { try XMLReader.root(of: malformed, .decodedText, within: .usual) }
    }

    @Test(arguments: ["UTF-7", "EBCDIC-CP-US", "UTF-16", "Shift_JIS", "x\u{1B}[31m", ""])
    func `any other encoding is refused, and the error names the encoding`(encoding: String) throws {
        let (bytes, place) = marked("<?xml version='1.0' encoding='‸\(encoding)'?><a/>")
        let found = try #require(failure(in: bytes))
        #expect(found.position == place)
        #expect(found.message.hasPrefix("the document declares the unsupported encoding \""))
        #expect(
            found.message.hasSuffix("\": save it as UTF-8")
                && !found.message.contains("\u{1B}"))
    }

    @Test(arguments: [
        ("<?xml‸?><a/>", "the XML declaration has no version: write <?xml version=\"1.0\"?>"),
        (" ‸<?xml version='1.0'?><a/>", "the XML declaration is allowed only at the very start"),
        ("<a>‸<?XML version='1.0'?></a>", "the XML declaration is allowed only at the very start"),
        ("<?xml version='‸2.0'?><a/>", "unsupported XML version: write version=\"1.0\""),
        ("<?xml version='‸1.1'?><a/>", "unsupported XML version: write version=\"1.0\""),
        (
            "<?xml‸ encoding='UTF-8'?><a/>",
            "the XML declaration has no version: write <?xml version=\"1.0\"?>"
        ),
        ("<?xml‸ version=1.0?><a/>", "version in the XML declaration has no quoted value"),
        ("<?xml version='1.0'‸ encoding='x?><a/>", "encoding in the XML declaration has no quoted value"),
        (
            "<?xml version='1.0' standalone='maybe'‸?><a/>",
            "invalid XML declaration: write <?xml version=\"1.0\" encoding=\"UTF-8\"?>"
        ),
        (
            "<?xml version='1.0' ‸a='b'?><a/>",
            "invalid XML declaration: write <?xml version=\"1.0\" encoding=\"UTF-8\"?>"
        ),
        ("‸<?xml version='1.0'", "this processing instruction is not closed"),
    ])
    func `the XML declaration is parsed as strictly as the rest of the document`(
        text: String, message: String
    ) {
        expect(message, in: text)
    }

    @Test func `UTF-16 is recognised without a declaration`() {
        let text = Array("<a/>".utf16)
        let little = text.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let big = text.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        for bytes in [[0xFF, 0xFE] + little, [0xFE, 0xFF] + big, little, big] {
            let found = failure(in: bytes)
            #expect(found?.message == "the document is UTF-16 or not a text: save it as UTF-8")
            #expect(found?.position.line == 1 && found?.position.column == (bytes == little ? 2 : 1))
        }
    }

    @Test func `bytes that are not UTF-8 are reported as an error`() {
        let before = Array("<a>\n<mta workingPath='é".utf8)
        for wrong: [UInt8] in [[0xE9], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5], [0x80], [0xE2, 0x82]] {
            let found = failure(in: before + wrong + Array("'/></a>".utf8))
            #expect(found?.position == SourcePosition(line: 2, column: 20))
            #expect(found?.message.hasPrefix("this character is not valid UTF-8") == true)
        }
    }

    @Test(arguments: ["\u{1}", "\u{B}", "\u{1F}", "\u{FFFE}", "\u{FFFF}"])
    func `characters that XML does not allow are refused everywhere`(character: String) {
        for text in ["<a b='é‸?'/>", "<a>\n‸?</a>", "<a><!-- ‸? --></a>", "<a/>\n<?p ‸?"] {
            expect("a character not allowed in XML", in: text.replacing("‸?", with: "‸\(character)"))
        }
    }
}
