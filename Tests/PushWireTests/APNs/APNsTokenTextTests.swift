import PushWire
import Testing

@Suite struct APNsTokenTextTests {
    @Test func `hexadecimal digits of any even length up to the limit are a token, in lower case`() {
        for length in stride(from: 2, through: 200, by: 2) {
            #expect(APNsTokenText.canonical(String(repeating: "a", count: length)) != nil)
            #expect(APNsTokenText.canonical(String(repeating: "a", count: length - 1)) == nil)
        }
        #expect(APNsTokenText.canonical("0123456789aBCDEf") == "0123456789abcdef")
        #expect(APNsTokenText.canonical(String(repeating: "a", count: 202)) == nil)
    }

    @Test func `the description of a token's Data value is accepted as the token`() {
        let token = String(repeating: "aabbccdd", count: 8)
        let groups = Array(repeating: "AABBccdd", count: 8).joined(separator: " ")
        for text in ["<\(groups)>", groups, "<\(token)>"] { #expect(APNsTokenText.canonical(text) == token) }
        let longest = String(repeating: "ab ", count: 100).dropLast()
        #expect(APNsTokenText.canonical("<\(longest)>") == String(repeating: "ab", count: 100))
        #expect(APNsTokenText.canonical("<\(longest) ab>") == nil)
    }

    @Test(arguments: [
        "", "zz", "0g", "0x12", " ab", "ab ", "<>", "<abcd", "abcd>", "<<abcd>>", "<ab>cd", "< >", "<abc>",
        "{length = 4}", "éé", "a\u{0}", "@@", "``", "//", "::",
    ])
    func `any other text is not a token`(text: String) {
        #expect(APNsTokenText.canonical(text) == nil)
    }
}
