import Testing
import pushsink

@Suite struct HexTests {
    @Test func `parsing a canonical UUID and writing it yields the same text`() throws {
        let text = "6ba7b810-9dad-81d1-80b4-00c04fd430c8"
        let id = try #require(text.asBytes { Hex.uuid($0) })
        #expect(id.high == 0x6ba7_b810_9dad_81d1 && id.low == 0x80b4_00c0_4fd4_30c8)
        var written = [UInt8](repeating: 0, count: 36)
        written.withUnsafeMutableBufferPointer { Hex.write(uuid: id, to: $0.baseAddress!) }
        #expect(String(decoding: written, as: UTF8.self) == text)
    }

    @Test(arguments: [
        "", "6ba7b810-9dad-81d1-80b4-00c04fd430c", "6ba7b810-9dad-81d1-80b4-00c04fd430c88",
        "6BA7B810-9DAD-81D1-80B4-00C04FD430C8", "6ba7b8109-dad-81d1-80b4-00c04fd430c8",
        "6ba7b810-9dad-81d1-80b4-00c04fd430cg", "6ba7b810_9dad_81d1_80b4_00c04fd430c8",
    ])
    func `a text that is not a canonical UUID is refused`(text: String) {
        #expect(text.asBytes { Hex.uuid($0) } == nil)
    }

    @Test(arguments: [("", true), ("0f", true), ("0F9a", true), ("0f9", false), ("0g", false), ("0 ", false)])
    func `whole bytes in hexadecimal are distinguished from other text`(text: String, isWhole: Bool) {
        #expect(text.asBytes { Hex.isWhole($0) } == isWhole)
    }

    @Test func `bytes are converted to hexadecimal digits, and digits to bytes`() {
        let bytes = (0...255).map { UInt8($0) }
        var room = [UInt8](repeating: 0, count: 512)
        let digits = room.withUnsafeMutableBufferPointer { room in
            bytes.asBytes { bytes in room.baseAddress.map { Hex.write(bytes, to: $0).text } }
        }
        #expect(digits?.hasPrefix("000102") == true && digits?.hasSuffix("fdfeff") == true)
        #expect(digits.flatMap { Hex.bytes($0[...]) } == bytes)
        #expect(Hex.bytes("AbC") == nil && Hex.bytes("0g") == nil && Hex.bytes("aBcD") == [0xAB, 0xCD])
    }
}
