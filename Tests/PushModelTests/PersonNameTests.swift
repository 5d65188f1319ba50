import PushModel
import Testing

@Suite struct PersonNameTests {
    @Test(arguments: ["anna", "Anna.Rossi-2@example.org", "Zoë", "用户", "अनिता", "7of9"])
    func `a name consists of letters, digits and a few marks`(text: String) {
        #expect(PersonName(text)?.text == text)
    }

    @Test(arguments: [
        "", " anna", "anna ", "an na", "an\nna", ".", "..", "-anna", "@anna", "anna/b", "<anna>",
        "anna\u{202E}b", "anna\u{200D}", "\u{301}anna", "anna\u{1F600}", String(repeating: "a", count: 129),
    ])
    func `any other text is not a name`(text: String) {
        #expect(PersonName(text) == nil)
    }

    @Test func `the same letters in another form or case are the same name`() throws {
        let composed = try #require(PersonName("Zo\u{EB}"))
        let decomposed = try #require(PersonName("Zoe\u{308}"))
        #expect(Array(decomposed.text.utf8) == Array(composed.text.utf8))
        #expect(try #require(PersonName("ZOE\u{308}")).key == composed.key)
        #expect(try #require(PersonName("Zoe")).key != composed.key)
    }
}

@Suite struct RoleTests {
    @Test func `each role has the scopes of the role before it and more`() {
        #expect(Role.allCases == [.viewer, .marketer, .operator, .admin])
        #expect(Role.allCases.map(\.scopes.count) == [1, 2, 3, 4])
        for (role, next) in zip(Role.allCases, Role.allCases.dropFirst()) {
            #expect(role.scopes.isStrictSubset(of: next.scopes))
        }
        #expect(Role.allCases.filter(\.takesServices) == [.viewer, .marketer])
        #expect(Role.allCases.filter { $0.scopes.contains(.people) } == [.admin])
    }
}
