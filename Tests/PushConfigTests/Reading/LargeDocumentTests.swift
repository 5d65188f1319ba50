import PushConfig
import Testing

/// Tests with documents of the maximum size, in the forms that are most expensive to read.
@Suite struct LargeDocumentTests {
    private static let room = ConfigurationFile.maximumBytes

    /// Returns a document with as many copies of the piece as fit between head and tail.
    private static func filled(_ head: String, _ piece: String, _ tail: String) -> [UInt8] {
        let count = (room - head.utf8.count - tail.utf8.count) / piece.utf8.count
        return Array((head + String(repeating: piece, count: count) + tail).utf8)
    }

    private static func seconds(_ body: () -> Void) -> Double {
        let time = ContinuousClock().measure(body).components
        return Double(time.seconds) + Double(time.attoseconds) / 1e18
    }

    private static func findings(_ bytes: [UInt8]) -> [Finding] {
        switch parsed(bytes: bytes) {
        case .success(let loaded): loaded.findings
        case .failure(let error): error.findings
        }
    }

    /// Documents that are cheap to read if each piece is followed by a line break must not be expensive
    /// without line breaks. In a line of one megabyte, work that starts at the beginning of the line for each
    /// piece would take thousands of times as long.
    @Test(arguments: [
        ("<serverConf>", "<a/>", "</serverConf>"), ("<serverConf>", "<a b='1'/>", "</serverConf>"),
        ("<serverConf>", "<é/>", "</serverConf>"), ("<serverConf><!--", " -", "--></serverConf>"),
        ("<serverConf><!--", "--", "--></serverConf>"), ("<serverConf>", "<!---->", "</serverConf>"),
        ("<serverConf>", "]]>", "</serverConf>"), ("<serverConf>", "]]&gt;", "</serverConf>"),
        ("<serverConf>", "<![CDATA[]]]>", "</serverConf>"),
        ("<serverConf><![CDATA[", "]]", "]]></serverConf>"),
        ("<serverConf>", "&amp;", "</serverConf>"), ("<serverConf>", "<?a b?>", "</serverConf>"),
        ("<serverConf><mta workingPath='", "$(INSTANCE_NAME)", "'/></serverConf>"),
        ("<serverConf><mta logLevel='", "\"", "</serverConf>"), ("<serverConf>", "<mta a='", "</serverConf>"),
        ("<serverConf>", "<a>", "</serverConf>"), ("<serverConf>", "<", "</serverConf>"),
        ("", " ", "<serverConf/>"),
    ])
    func `one long line takes no more time than many lines`(head: String, piece: String, tail: String) {
        let (line, lines) = (Self.filled(head, piece, tail), Self.filled(head, piece + "\n", tail))
        let many = Self.seconds { _ = Self.findings(lines) }
        let one = Self.seconds { _ = Self.findings(line) }
        #expect(one < 10 * many + 3)
    }

    @Test func `all unknown names are counted, whatever their number`() throws {
        var text = "<serverConf><mta>"
        var count = 0
        while text.utf8.count < Self.room - 100 {
            count += 1
            text += "<e\(count)/>"
        }
        text += "</mta></serverConf>"
        #expect(Self.findings(Array(text.utf8)).last?.message == "\(count - 200) more findings are not shown")
    }

    @Test func `the number of attributes in a tag is limited`() {
        let many = (0..<600).map { "a\($0)=''" }.joined(separator: " ")
        expect(.error, "this tag has too many attributes", in: "‸<serverConf \(many)/>")
    }

    @Test func `the nesting of tags is limited`() {
        let open = { (count: Int) in String(repeating: "<a>", count: count) }
        expect(.error, "tags are nested too deeply", in: "<serverConf>\(open(63))‸\(open(300_000))")
        expect(
            .error, "the root element is \"a\", allowed: serverConf",
            in: "‸\(open(64))\(String(repeating: "</a>", count: 64))")
    }
}
