import PushXML
import Testing

@Suite struct XMLLimitsTests {
    private let small = XMLLimits(
        bytes: 60, depth: 3, elements: 4, attributesOfElement: 2, bytesOfName: 6, bytesOfValue: 8)

    @Test(arguments: [
        "<a><b><c/></b><c/></a>", "<a b='' c=''/>", "<abcdef ééé='12345678'/>", "<a b='&amp;123'/>",
        "<a>\(String(repeating: " ", count: 53))</a>",
    ])
    func `a document that reaches a limit is parsed`(text: String) throws {
        _ = try read(text, within: small)
    }

    @Test func `a document that exceeds a limit is refused at the position where the excess begins`() {
        expect("tags are nested too deeply", in: "<a><b><c>‸<d/></c></b></a>", within: small)
        expect("too many tags", in: "<a><b/><b/><b/>‸<b/></a>", within: small)
        expect("this tag has too many attributes", in: "<a>\n‸<b c='' d='' e=''/></a>", within: small)
        expect("the name \"abcdefg\" is too long, maximum: 6 bytes", in: "<‸abcdefg/>", within: small)
        expect("the name \"éééa\" is too long, maximum: 6 bytes", in: "<a ‸éééa=''/>", within: small)
        expect("the name \"abcdefg\" is too long, maximum: 6 bytes", in: "<a></‸abcdefg>", within: small)
        expect("the name \"abcdefg\" is too long, maximum: 6 bytes", in: "<?‸abcdefg?><a/>", within: small)
        expect(
            "the value of attribute \"b\" is too long, maximum: 8 bytes", in: "<a b='‸&amp;1234'/>",
            within: small)
        expect(
            "61 bytes are too many, maximum: 60", in: "‸<a>\(String(repeating: " ", count: 54))</a>",
            within: small)
    }

    /// Releasing a tree requires a stack as deep as the tree.
    @Test func `no caller can allow unlimited nesting`() {
        let lavish = XMLLimits(
            bytes: .max, depth: .max, elements: .max, attributesOfElement: .max, bytesOfName: .max,
            bytesOfValue: .max
        )
        let open = { (count: Int) in String(repeating: "<a>", count: count) }
        expect("tags are nested too deeply", in: "\(open(1_000))‸\(open(100_000))", within: lavish)
        #expect(throws: Never.self) {
            try read("\(open(1_000))\(String(repeating: "</a>", count: 1_000))", within: lavish)
        }
    }

    @Test func `the cost of many attributes is proportional to their bytes`() throws {
        let lavish = XMLLimits(
            bytes: 1 << 24, depth: 64, elements: 1 << 20, attributesOfElement: .max, bytesOfName: 100,
            bytesOfValue: 100)
        let text = "<a \((0..<1_000_000).map { "a\($0)=''" }.joined(separator: " "))"
        var reader = XMLReader(Array("\(text)/>".utf8), within: lavish)
        #expect(try reader.read().attributes.count == 1_000_000)
        #expect(reader.looks < 8 * text.utf8.count)
        expect(
            "attribute \"a5\" appears twice in its tag, first at 1:34", in: "\(text) ‸a5=''/>", within: lavish
        )
    }
}
