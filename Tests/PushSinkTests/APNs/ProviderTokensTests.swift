import Testing
import pushsink

@Suite struct ProviderTokensTests {
    private static let now = 1_795_000_000

    private func judge(_ value: String?, _ tokens: ProviderTokens, at seconds: Int = now)
        -> ProviderTokens.Judgement
    {
        guard let value else { return tokens.judge(nil, at: seconds) }
        return value.asBytes { tokens.judge($0, at: seconds) }
    }

    @Test func `a token signed with our key is valid for an hour`() throws {
        try withTemporarySet { set in
            let keys = try set.providerKeys()
            let tokens = ProviderTokens(keys: keys)
            let bearer = "bearer " + ProviderTokens.mint(key: keys[0], issuedAt: Self.now)
            #expect(judge(bearer, tokens) == .valid(number: 1))
            #expect(judge(bearer, tokens, at: Self.now + 3600) == .valid(number: 1))
            #expect(judge(bearer, tokens, at: Self.now + 3601) == .fault(.expiredProviderToken))
            #expect(judge(bearer, tokens, at: Self.now - 61) == .fault(.invalidProviderToken))
            let second = "bearer " + ProviderTokens.mint(key: keys[0], issuedAt: Self.now + 1)
            #expect(judge(second, tokens) == .valid(number: 2))
        }
    }

    @Test func `tokens from hundreds of accounts are all recognised when they are sent again`() throws {
        try withTemporarySet { set in
            let keys = try set.providerKeys()
            let tokens = ProviderTokens(keys: keys)
            let bearers = (0..<300).map {
                "bearer " + ProviderTokens.mint(key: keys[0], issuedAt: Self.now - $0)
            }
            for _ in 1...2 {
                for (index, bearer) in bearers.enumerated() {
                    #expect(judge(bearer, tokens) == .valid(number: index + 1))
                }
            }
        }
    }

    @Test func `an absent token is reported as missing and not as invalid`() throws {
        try withTemporarySet { set in
            let tokens = ProviderTokens(keys: try set.providerKeys())
            for value in [nil, "", "bearer "] {
                #expect(judge(value, tokens) == .fault(.missingProviderToken))
            }
        }
    }

    @Test func `a token with any fault is invalid`() throws {
        try withTemporarySet { set in
            let keys = try set.providerKeys()
            let tokens = ProviderTokens(keys: keys)
            var otherKey = keys[0], otherTeam = keys[0]
            otherKey.id = "ZZZZZZZZZZ"
            otherTeam.team = "ZZZZZZZZZZ"
            let good = ProviderTokens.mint(key: keys[0], issuedAt: Self.now)
            let bad = [
                ProviderTokens.mint(key: otherKey, issuedAt: Self.now),
                ProviderTokens.mint(key: otherTeam, issuedAt: Self.now),
                ProviderTokens.mint(key: keys[0], issuedAt: Self.now, algorithm: "none"),
                String(good.dropLast(4)), good + "AAAA", good + ".AAAA", "a.b.c", "..", "x",
            ]
            for token in bad {
                #expect(judge("bearer " + token, tokens) == .fault(.invalidProviderToken), "\(token)")
            }
            #expect(judge("basic " + good, tokens) == .fault(.invalidProviderToken))
            // One bit is flipped at an arbitrary position.
            let bytes = Array(good.utf8)
            for index in stride(from: 0, to: bytes.count - 1, by: 7) {
                var altered = bytes
                altered[index] ^= 1
                let text = "bearer " + String(decoding: altered, as: UTF8.self)
                #expect(judge(text, tokens) == .fault(.invalidProviderToken), "byte \(index)")
            }
            #expect(judge("bearer " + good, tokens) != .fault(.invalidProviderToken))
        }
    }
}
