import PushXML
import TestSupport
import Testing

/// Tests with real documents, damaged in many ways: the reader always returns a result that points into the
/// document.
@Suite struct XMLReaderMutationTests {
    private static let samples = [
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\r\n<!-- é -->\n"
            + "<a b='1' c=\"&#x41;&#233;\t\r\n\">t&amp;<![CDATA[ ]] > ]]></a>",
        "<?xml version='1.0' encoding='ISO-8859-1' standalone='no'?>"
            + "<serverConf><mta autoStart=\"true\"/></serverConf>\n",
        "<additionalParams>"
            + "<param name=\"greeting\" value=\"&#x27;h&gt;e&amp;l&quot;l&lt;o&#x27;\" /></additionalParams>",
        "<é ñ='日本𝄞'>]] &gt;<?p?><?p x ??><b·c/>\n<d>\n</d></é><!-- e - f -->\n",
    ].map { Array($0.utf8) }

    @Test func `a document that is truncated at any offset is refused with a position inside the document`() {
        for sample in Self.samples {
            let end = (sample.lastIndex(of: UInt8(ascii: ">")) ?? 0) + 1
            // A comment after the last tag is not required, so its absence is not an error.
            let root = (sample[..<end].firstRange(of: Array("<!-- e".utf8))?.lowerBound) ?? end
            for length in 0..<root {
                let bytes = Array(sample[..<length])
                guard let found = failure(in: bytes) else {
                    Issue.record("accepted at \(length)")
                    continue
                }
                expectSound(found, in: bytes, "cut at \(length)")
            }
            #expect(failure(in: sample) == nil)
        }
    }

    @Test(arguments: 1...8)
    func `a randomly damaged document is parsed to a tree, or is refused with a position`(seed: UInt64) {
        var dice = SeededRandom(seed: seed)
        var accepted = 0
        let rounds = 4_000
        for round in 0..<rounds {
            var bytes = Self.samples[round % Self.samples.count]
            for _ in 0...Int.random(in: 0..<3, using: &dice) { mutate(&bytes, &dice) }
            if let found = failure(in: bytes) {
                expectSound(found, in: bytes, "seed \(seed) round \(round)")
            } else {
                accepted += 1
            }
        }
        #expect(
            accepted > rounds / 50 && accepted < rounds / 2,
            "the damage is neither always fatal nor always harmless")
    }

    private static let fragments = [
        "<", ">", "/>", "\"", "'", "=", "&", "&amp;", "&#0;", "&#x41;", "&x;", "<!--", "-->", "<![CDATA[",
        "]]>",
        "<?",
        "?>", "<?a?>", "<!DOCTYPE a [<!ENTITY b \"c\">]>", "\0", "\r", "\u{FEFF}", "é", "\u{301}", "\u{FFFE}",
        "<a>",
        "</a>",
        "<a/>", " b='1'", "xmlns:a=\"b\"", "a:b", " ", "-",
    ].map { Array($0.utf8) }

    private func mutate(_ bytes: inout [UInt8], _ dice: inout SeededRandom) {
        guard !bytes.isEmpty else { return }
        let at = Int.random(in: 0..<bytes.count, using: &dice)
        let length = min(Int.random(in: 1...40, using: &dice), bytes.count - at)
        switch Int.random(in: 0..<5, using: &dice) {
        case 0: bytes[at] ^= 1 << UInt8.random(in: 0..<8, using: &dice)
        case 1: bytes[at] = UInt8.random(in: 0...255, using: &dice)
        case 2: bytes.removeSubrange(at..<at + length)
        case 3:
            bytes.insert(
                contentsOf: bytes[at..<at + length], at: Int.random(in: 0...bytes.count, using: &dice))
        default: bytes.insert(contentsOf: Self.fragments.randomElement(using: &dice) ?? [], at: at)
        }
    }

    private func expectSound(_ found: XMLError, in bytes: [UInt8], _ story: String) {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let place = found.position
        let isInside = 1...lines.count ~= place.line && 1...lines[place.line - 1].count + 1 ~= place.column
        #expect(isInside, "\(story): \(found)")
        #expect(!found.message.isEmpty && !found.message.contains(where: \.isNewline), "\(story): \(found)")
    }
}
