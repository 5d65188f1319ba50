import PushModel
import PushStore
import Testing

@Suite(.eachEngine) struct AccessTokensTests {
    @Test func `a token is recognised only by its secret and only until it is revoked`() throws {
        try TemporaryStore.with { fixture in
            #expect(try !fixture.store.accessTokens.isAny())
            let (one, other) = (AccessToken.make(), AccessToken.make())
            #expect(one.text != other.text && one.text.hasPrefix(AccessToken.prefix))
            #expect(one.text.utf8.count == AccessToken.prefix.utf8.count + 43)
            _ = try create(one, "billing", [.send, .read], fixture)
            _ = try create(other, "console", [.admin], fixture)

            let grant = try #require(try fixture.store.accessTokens.grant(of: one))
            #expect(grant.name == "billing" && grant.scopes == [.read, .send] && grant.revoked == nil)
            for wrong in ["", AccessToken.prefix, one.text + "x", String(one.text.dropLast()), "billing"] {
                #expect(try fixture.store.accessTokens.grant(of: AccessToken(text: wrong)) == nil)
            }
            let long = AccessToken(text: String(repeating: "x", count: 1 << 20))
            #expect(try fixture.store.accessTokens.grant(of: long) == nil)

            try fixture.store.accessTokenWriter.revoke(
                named: "billing", at: TemporaryStore.noon.later(seconds: 1))
            #expect(try fixture.store.accessTokens.grant(of: one) == nil)
            #expect(try fixture.store.accessTokens.grant(of: other)?.name == "console")
            #expect(try fixture.store.accessTokens.list().map(\.name) == ["console", "billing"])
        }
    }

    @Test func `a name belongs to one valid token, and is available again when that token is revoked`() throws
    {
        try TemporaryStore.with { fixture in
            _ = try create(.make(), "billing", [.send], fixture)
            expect(.duplicate(.token, name: "billing")) {
                _ = try create(.make(), "billing", [.send], fixture)
            }
            try fixture.store.accessTokenWriter.revoke(named: "billing", at: TemporaryStore.noon)
            expect(.unknown(.token, name: "billing")) {
                try fixture.store.accessTokenWriter.revoke(
                    named: "billing", at: TemporaryStore.noon)
            }
            _ = try create(.make(), "billing", [.read], fixture)
            #expect(try fixture.store.accessTokens.list().map { $0.revoked == nil } == [true, false])
        }
    }

    @Test func `the store does not contain the secret of a token`() throws {
        try TemporaryStore.with { fixture in
            let token = AccessToken.make()
            _ = try create(token, "billing", [.send], fixture)
            let rows = try fixture.query("SELECT name FROM access_token")
            #expect(rows == ["billing"])
            let digests = try fixture.query("SELECT length(digest) FROM access_token")
            #expect(digests == ["32"])
            #expect("\(token)" == "a token")
        }
    }

    @Test func `each new audit line removes old lines, a limited number at a time`() throws {
        try TemporaryStore.with { fixture in
            let days = Int64(AuditWriter.keptDays)
            for number in 1...25 {
                try fixture.store.auditWriter.note(
                    who: "w", action: "a", what: "old \(number)", at: TemporaryStore.noon)
            }
            func note(afterDays days: Int64) throws -> [String] {
                try fixture.store.auditWriter.note(
                    who: "w", action: "a", what: "new", at: TemporaryStore.noon(afterDays: days))
                return try fixture.store.audit.page().map(\.what)
            }
            #expect(try note(afterDays: days).count == 26)
            #expect(try note(afterDays: days + 1).count == 17)
            #expect(try note(afterDays: days + 1).count == 8)
            #expect(try note(afterDays: days + 1) == Array(repeating: "new", count: 4))
        }
    }

    private func create(
        _ token: AccessToken, _ name: String, _ scopes: Set<AccessScope>, _ fixture: TemporaryStore
    ) throws -> AccessGrant {
        try fixture.store.accessTokenWriter.create(
            token, name: name, scopes: scopes, at: TemporaryStore.noon)
    }
}
