import Testing
import pushsink

@Suite struct JSONShapeTests {
    private func shape(_ bytes: [UInt8]) -> JSONShape { bytes.asBytes { JSONShape($0) } }

    @Test(arguments: [
        #"{"aps":{}}"#, #" { "x" : [ 1 , -0.5e+3 , true , null ] , "aps" : { "alert" : "\u00e9\n\"" } } "#,
        #"{"aps":{"alert":"Grüße 👋"},"_mId":"1"}"#, #"{"x":{"aps":1},"aps":{"a":[[[]]]}}"#,
    ])
    func `an object with an aps object is recognised`(text: String) {
        #expect(shape(Array(text.utf8)) == .object(hasAPS: true))
    }

    @Test(arguments: [#"{}"#, #"{"aps":"x"}"#, #"{"x":{"aps":{}}}"#, #"{"\u0061ps":{}}"#, #"{"aps ":{}}"#])
    func `an object without an aps object is distinguished`(text: String) {
        #expect(shape(Array(text.utf8)) == .object(hasAPS: false))
    }

    @Test(arguments: ["1", "0", "-0", "1e9", "\"x\"", "[]", "[{\"aps\":{}}]", "null", "true"])
    func `other JSON is classified as other`(text: String) {
        #expect(shape(Array(text.utf8)) == .other)
    }

    @Test(arguments: [
        "", " ", "{", "{}}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "[1,]", "[1 2]", "01", "1.", ".5",
        "+1",
        "1e", "-", "tru", "nul", "\"\\x\"", "\"\\u12g4\"", "\"\\u12\"", "\"\u{1}\"", "\"a", "'a'",
        "{}x", "{\"a\":1 \"b\":2}",
    ])
    func `text that is not JSON is malformed`(text: String) {
        #expect(shape(Array(text.utf8)) == .malformed)
    }

    @Test(
        arguments: [
            [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF0, 0x80, 0x80, 0x80],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0x80], [0xC3], [0xE2, 0x82],
            [0xF0, 0x9F, 0x91], [0xFF],
        ] as [[UInt8]])
    func `bytes that are not UTF-8 are malformed`(bytes: [UInt8]) {
        #expect(shape([0x22] + bytes + [0x22]) == .malformed)
    }

    @Test func `every proper prefix of an object is malformed`() {
        let whole = Array(
            #"{"aps":{"alert":{"title":"é👋\u0041"},"badge":-1.5e-3},"x":[true,false,null]}"#.utf8)
        #expect(shape(whole) == .object(hasAPS: true))
        for count in whole.indices { #expect(shape(Array(whole[..<count])) == .malformed, "\(count)") }
    }

    @Test func `the nesting of JSON is limited`() {
        func nested(_ depth: Int) -> [UInt8] {
            Array(repeating: UInt8(ascii: "["), count: depth)
                + Array(repeating: UInt8(ascii: "]"), count: depth)
        }
        #expect(shape(nested(128)) == .other)
        #expect(shape(nested(129)) == .malformed)
        #expect(shape(nested(1_000_000)) == .malformed)
    }
}
