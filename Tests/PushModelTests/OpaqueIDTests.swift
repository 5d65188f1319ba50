import PushModel
import Testing

@Suite struct `An opaque id` {
    @Test func `an id is written as 8-4-4-4-12 lower-case hexadecimal digits, whatever its bits`() {
        #expect(OpaqueID(high: .max, low: .max).text == "ffffffff-ffff-ffff-ffff-ffffffffffff")
        #expect(OpaqueID(high: 0, low: 0).text == "00000000-0000-0000-0000-000000000000")
        #expect(
            OpaqueID(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210).text
                == "01234567-89ab-cdef-fedc-ba9876543210")
    }

    @Test func `an id is parsed from its text in upper or lower case`() {
        let id = OpaqueID(high: 0x8123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)
        #expect(OpaqueID(text: id.text) == id)
        #expect(OpaqueID(text: id.text.uppercased()) == id)
    }

    @Test(arguments: [
        "", "01234567-89ab-cdef-fedc-ba987654321", "01234567-89ab-cdef-fedc-ba98765432100",
        "0123456789abcdeffedcba9876543210", "01234567-89ab-cdef-fedc-ba987654321g",
        "01234567_89ab-cdef-fedc-ba9876543210", "-1234567-89ab-cdef-fedc-ba9876543210",
    ])
    func `an id cannot be parsed from any other text`(text: String) {
        #expect(OpaqueID(text: text) == nil)
    }

    @Test func `an id becomes a version 8 UUID of the RFC 9562 variant`() {
        let id = OpaqueID(high: .max, low: .max).asUUIDv8
        #expect(id.text == "ffffffff-ffff-8fff-bfff-ffffffffffff")
        #expect(OpaqueID(high: 0, low: 0).asUUIDv8.text == "00000000-0000-8000-8000-000000000000")
    }
}
