import PushConfig
import Testing

@Suite struct SourceTextTests {
    @Test func `columns count characters, and lines end at line feeds`() {
        let message = "mta/@autoStart: found \"?\", allowed: true or false"
        expect(.error, message, in: "<serverConf><!-- añ日𝄞 --><mta autoStart='‸?'/></serverConf>")
        expect(.error, message, in: "<serverConf>\r\n<!-- é -->\r\n\t<mta autoStart='‸?'/></serverConf>")
    }

    @Test func `a byte order mark is not a column`() throws {
        let document = MarkedDocument("<serverConf ‸a='1'/>")
        let loaded = try parsed(bytes: [0xEF, 0xBB, 0xBF] + document.bytes).get()
        #expect(loaded.findings.map(\.line) == [1] && loaded.findings.map(\.column) == [document.column])
    }

    @Test(arguments: ["ISO-8859-1", "iso-8859-1", "windows-1252"])
    func `files of one byte a character are read as they declare`(encoding: String) throws {
        let head = Array("<?xml version='1.0' encoding='\(encoding)'?><serverConf><!-- ".utf8)
        let bytes =
            head + [0xE9, 0xE9] + Array(" --><mta workingPath='/caf".utf8) + [0xE9]
            + Array("' x='1'/></serverConf>".utf8)
        let loaded = try parsed(bytes: bytes).get()
        #expect(loaded.settings.mta.workingPath == "/café")
        let column = bytes.count - "x='1'/></serverConf>".utf8.count + 1
        #expect(loaded.findings.map(\.column) == [column])
    }

    @Test(arguments: ["UTF-7", "EBCDIC-CP-US", "UTF-16", "Shift_JIS", "x\u{1B}[31m", ""])
    func `another encoding is refused by its name`(encoding: String) throws {
        let marked = MarkedDocument("<?xml version='1.0' encoding='‸\(encoding)'?><serverConf/>")
        let error = try #require(refusal(ofBytes: marked.bytes))
        #expect(error.findings.map(\.column) == [marked.column])
        #expect(
            error.description.contains("which is not read: save it as UTF-8") && !error.description.contains("\u{1B}"))
    }

    @Test func `UTF-16 is recognised without a declaration`() throws {
        let text = Array("<serverConf/>".utf16)
        let little = text.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] },
            big = text.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        for bytes in [[0xFF, 0xFE] + little, [0xFE, 0xFF] + big, little, big] {
            let error = try #require(refusal(ofBytes: bytes))
            #expect(error.findings.map(\.message) == ["the file is UTF-16 or not text: save it as UTF-8"])
            #expect(error.findings.allSatisfy { $0.line == 1 && $0.column >= 1 })
        }
    }

    @Test func `bytes that are not UTF-8 are found`() throws {
        let before = Array("<serverConf>\n<mta workingPath='é".utf8)
        for wrong: [UInt8] in [[0xE9], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5], [0x80], [0xE2, 0x82]] {
            let error = try #require(refusal(ofBytes: before + wrong + Array("'/></serverConf>".utf8)))
            #expect(error.findings.count == 1 && error.findings[0].line == 2 && error.findings[0].column == 20)
            #expect(error.description.contains("this character is not UTF-8"))
        }
    }
}
