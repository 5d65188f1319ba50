import PushXML
import Testing

/// Tests with documents of the maximum size, in the forms that are most expensive to read. They count how
/// often each byte is examined.
@Suite struct XMLReaderCostTests {
    private static let size = 1 << 20

    @Test(arguments: [
        ("", "<", ""), ("", "<a", ""), ("", "<a ", ""), ("<a>", "&", ""), ("<a>", "&amp;", "</a>"),
        ("<a b='", "&amp;", "'/>"),
        ("<a b='", "&#x41;", "'/>"), ("<a>&#", "0", ";</a>"), ("<a>&#", "9", ";</a>"), ("<a>&", "x", ";</a>"),
        ("<a>", "<!---->", "</a>"), ("<a><!--", " -", "--></a>"), ("<a><!--", "--", "--></a>"),
        ("<a>", "<!--", "</a>"),
        ("<a>", "<a>", "</a>"), ("<a>", "<b/>", "</a>"), ("<a>", "<b c=''/>", "</a>"), ("<a>", "<b c='", ""),
        ("<a ", "b='' ", "/>"), ("<a ", "b", "/>"), ("<a b", " ", "=''/>"), ("<a b='", "\"", ""),
        ("<a b='", "\r\n", "'/>"),
        ("<a>", "]]", "</a>"), ("<a>", "]]&gt;", "</a>"), ("<a><![CDATA[", "]]", "]]></a>"),
        ("<a>", "<![CDATA[]]]>", "</a>"),
        ("<a>", "<?p ?>", "</a>"), ("<a>", "<?p ??", "</a>"), ("<a>", "<?p?>", "</a>"), ("<?xml", " ", "?>"),
        ("<?xml ", "?", ""),
        ("<?xml version='", "'", "?>"), ("", " ", "<a/>"), ("<a/>", " ", ""), ("<a>", "é", "</a>"),
        ("<a>", "<é/>", "</a>"),
        ("<a>", "<!", "</a>"), ("<", "𝄞", "/>"), ("<a>", "</", "</a>"), ("<a>", "\n", "<b>"),
        ("<?xml version='1.0'?><a>", "\n", "&#0;"),
        ("<?xml version='1.0' encoding='ISO-8859-1'?><a>", "\u{7F}", "</a>"),
    ])
    func `the cost of a document is proportional to its size, whatever the document contains`(
        head: String, piece: String, tail: String
    ) {
        for size in [Self.size / 16, Self.size] {
            let count = (size - head.utf8.count - tail.utf8.count) / piece.utf8.count
            let bytes = Array((head + String(repeating: piece, count: count) + tail).utf8)
            for lineBreaks in [bytes, bytes.map { $0 == UInt8(ascii: " ") ? UInt8(ascii: "\n") : $0 }] {
                let limits = XMLLimits(
                    bytes: Self.size, depth: 1_000, elements: .max, attributesOfElement: .max,
                    bytesOfName: Self.size,
                    bytesOfValue: Self.size)
                var reader = XMLReader(lineBreaks, within: limits)
                _ = try? reader.read()
                #expect(reader.looks <= 8 * lineBreaks.count)
            }
        }
    }
}
