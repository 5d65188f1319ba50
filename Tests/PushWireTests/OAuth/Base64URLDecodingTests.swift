import PushWire
import Testing

@Suite struct Base64URLDecodingTests {
    @Test func `decoding returns what was encoded`() {
        for count in 0...70 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ count) }
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
        }
        #expect(Base64URL.decode("-_8".utf8) == [0xFB, 0xFF])
    }

    @Test(arguments: ["A", "AAAAA", "AA==", "+/8", "A A", "AA\n", "AB", "AAB", "Ä"])
    func `a text that no bytes have is refused`(text: String) {
        #expect(Base64URL.decode(text.utf8) == nil)
    }
}
