import PushModel
import Testing

@Suite struct OpaqueIDDigitsTests {
    private func written(_ id: OpaqueID, at offset: Int) -> String {
        var bytes = [UInt8](repeating: 0x2A, count: OpaqueID.textBytes + 16)
        unsafe bytes.withUnsafeMutableBytes { buffer in
            if let start = buffer.baseAddress { unsafe id.write(to: start + offset) }
        }
        #expect(bytes[..<offset].allSatisfy { $0 == 0x2A })
        #expect(bytes[(offset + OpaqueID.textBytes)...].allSatisfy { $0 == 0x2A })
        return String(decoding: bytes[offset..<offset + OpaqueID.textBytes], as: UTF8.self)
    }

    @Test func `an id that is written into a buffer equals its text, at any alignment`() {
        let id = OpaqueID(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)
        for offset in 0..<16 {
            #expect(written(id, at: offset) == "01234567-89ab-cdef-fedc-ba9876543210")
        }
    }

    @Test func `every hexadecimal digit is correct in every position`() {
        for nibble in 0..<16 as Range<UInt64> {
            for place in 0..<32 as Range<UInt64> {
                let id = OpaqueID(
                    high: place < 16 ? nibble << (60 - 4 * place) : 0,
                    low: place < 16 ? 0 : nibble << (60 - 4 * (place - 16)))
                var digits = Array(repeating: Character("0"), count: 32)
                digits[Int(place)] = Character(String(nibble, radix: 16))
                #expect(written(id, at: 0).filter { $0 != "-" } == String(digits))
            }
        }
    }
}
