import Foundation
import PushModel
import Testing

@Suite struct JSONTextTests {
    private func json(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        JSONText.append(text, to: &bytes)
        return bytes
    }

    @Test func `another JSON reader reads every character of the first planes unchanged`() throws {
        for value in (0..<0x30000 as Range<UInt32>) where value % 7 == 0 || value < 0x300 {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let text = "a\(Character(scalar))b"
            let read = try JSONDecoder().decode([String].self, from: Data("[".utf8 + json(text) + "]".utf8))
            // Compares scalars: as strings, canonically equivalent texts would count as equal.
            #expect(
                read.map { Array($0.unicodeScalars) } == [Array(text.unicodeScalars)],
                "U+\(String(value, radix: 16))"
            )
        }
    }

    @Test
    func `a character with a short JSON escape uses it, and other characters are escaped only if necessary`()
    {
        #expect(
            String(decoding: json("\"\\/\u{8}\u{c}\n\r\t\u{1f}\u{7f}é\u{2028}👍"), as: UTF8.self)
                == "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u001f\u{7f}é\u{2028}👍\"")
    }
}
