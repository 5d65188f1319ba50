import Testing
import pushsink

@Suite struct OAuthAccessTokensTests {
    private let start = Instant(nanoseconds: 1_000_000_000)

    @Test func `a token gives access until it expires`() {
        let tokens = AccessTokens(lifetime: 10)
        let first = tokens.issue(at: start), second = tokens.issue(at: start + .seconds(5))
        #expect(first != second)
        #expect("Bearer \(first)".asBytes { tokens.isGood($0, at: start + .milliseconds(9999)) })
        #expect("bearer \(second)".asBytes { tokens.isGood($0, at: start + .seconds(14)) })
        #expect(!"Bearer \(first)".asBytes { tokens.isGood($0, at: start + .seconds(10)) })
        #expect(!"Bearer \(first)".asBytes { tokens.isGood($0, at: start + .seconds(11)) })
    }

    @Test func `no other text is accepted as a token`() {
        let tokens = AccessTokens(lifetime: 10)
        let token = tokens.issue(at: start)
        #expect(!tokens.isGood(nil, at: start))
        for text in ["", "Bearer ", "Bearer x", token, "key=\(token)", "Bearer \(token)x"] {
            #expect(!text.asBytes { tokens.isGood($0, at: start) }, "\(text)")
        }
    }
}
