import Testing
import pushsink

@Suite struct Base64URLTests {
    @Test func `base64url is encoded and decoded without padding`() {
        for count in 0..<10 {
            let bytes = (0..<count).map { UInt8((250 + $0 * 3) % 256) }
            #expect(Base64URL.decode(Base64URL.encode(bytes).utf8) == bytes)
        }
        #expect(Base64URL.encode([0xFB, 0xFF]) == "-_8")
        for text in ["a", "ab==", "a+"] { #expect(Base64URL.decode(text.utf8) == nil, "\(text)") }
    }
}
