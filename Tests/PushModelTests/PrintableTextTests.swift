import PushModel
import TestSupport
import Testing

@Suite struct PrintableTextTests {
    @Test(arguments: [
        ("BadDeviceToken", "BadDeviceToken"), ("", ""),
        ("two words, a \\ and \"quotes\"", "two words, a \\ and \"quotes\""),
        ("Zoë 日本 🎁", "Zoë 日本 🎁"), ("a\nb\r\nc\td", "a\\nb\\r\\nc\\td"),
        ("\u{1B}[31mred\u{1B}]0;title\u{7}", "\\u{1B}[31mred\\u{1B}]0;title\\u{7}"),
        ("\u{0}\u{7F}\u{85}\u{9B}", "\\u{0}\\u{7F}\\u{85}\\u{9B}"),
        ("a\u{202E}b\u{2066}c\u{200B}d\u{FEFF}", "a\\u{202E}b\\u{2066}c\\u{200B}d\\u{FEFF}"),
        ("a\u{2028}b\u{2029}c", "a\\u{2028}b\\u{2029}c"), ("\u{E000}\u{10FFFF}", "\\u{E000}\\u{10FFFF}"),
    ])
    func `characters that control a terminal become visible`(text: String, shown: String) {
        #expect(text.printable() == shown)
        #expect(String(printable: text.utf8) == shown)
        // Cleaning a text that is already clean changes nothing.
        #expect(shown.printable() == shown)
    }

    @Test func `bytes that are not UTF-8 become visible`() {
        #expect(String(printable: [0x61, 0xFF, 0x62]) == "a\\xFFb")
        #expect(String(printable: [0xC3]) == "\\xC3")
        #expect(String(printable: [0xE2, 0x82, 0x41]) == "\\xE2\\x82A")
        #expect(String(printable: [0xC0, 0xAF]) == "\\xC0\\xAF")
        #expect(String(printable: [0xED, 0xA0, 0x80]).allSatisfy { $0.isASCII })
        #expect(String(printable: [UInt8]()) == "")
    }

    @Test func `a text that is too long is truncated at a character and marked`() {
        #expect("abcdef".printable(atMost: 6) == "abcdef")
        #expect("abcdefg".printable(atMost: 6) == "abcdef…")
        #expect("日本語です".printable(atMost: 2) == "日本…")
        #expect(String(printable: "日本語です".utf8, atMost: 2) == "日本…")
        #expect("\n\n\n".printable(atMost: 2) == "\\n\\n…")
        #expect(String(printable: [UInt8](repeating: 0xFF, count: 9), atMost: 2) == "\\xFF\\xFF…")
        #expect(
            String(repeating: "x", count: 1_000_000).printable().unicodeScalars.count == PrintableText
                .usualLimit + 1)
        #expect(
            String(printable: [UInt8](repeating: 0x1B, count: 1 << 20)).utf8.count < 10
                * PrintableText.usualLimit)
    }

    @Test func `printable text contains no character that moves a cursor, whatever the bytes`() {
        var dice = SeededRandom(seed: 7)
        for _ in 0..<2_000 {
            let bytes = (0..<Int.random(in: 0...40, using: &dice)).map { _ in
                UInt8.random(in: 0...255, using: &dice)
            }
            let shown = String(printable: bytes)
            #expect(
                shown.unicodeScalars.allSatisfy { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .format, .lineSeparator, .paragraphSeparator: false
                    default: true
                    }
                })
            #expect(shown == shown.printable(atMost: .max))
        }
    }
}
