import PushModel
import PushOperations
import Testing

struct AccessOperationsTests {
    @Test func `a token's secret is shown once, and says later whose it is`() throws {
        let instance = try TestInstance()
        let created = try instance.operations.carryOut(
            CreateAccessToken(name: "billing", scopes: [.send, .send], by: "test"))
        #expect(created.grant.scopes == [.send])
        let known = try instance.operations.carryOut(CheckAccess(token: created.token))
        #expect(known == created.grant)
        #expect(try instance.operations.carryOut(ListAccessTokens()) == [created.grant])
        _ = try instance.operations.carryOut(RevokeAccessToken(name: "billing", by: "test"))
        #expect(try instance.operations.carryOut(CheckAccess(token: created.token)) == nil)
    }

    @Test func `a token without a scope is refused, and so is a name that nobody can type`() throws {
        let instance = try TestInstance()
        for order in [
            CreateAccessToken(name: "a", scopes: [], by: "test"),
            CreateAccessToken(name: "a\nb", scopes: [.read], by: "test"),
        ] {
            let error = failure { () throws(OperationError) in _ = try instance.operations.carryOut(order) }
            #expect(error?.kind == .refused)
        }
        #expect(try instance.operations.carryOut(ListAccessTokens()).isEmpty)
        #expect(try instance.operations.carryOut(ReadAudit()).lines.isEmpty)
    }

    @Test func `the first token is made where none is good`() throws {
        let instance = try TestInstance()
        let first = try #require(try instance.operations.carryOut(FirstAccessToken()))
        #expect(first.grant.scopes == AccessScope.allCases)
        #expect(try instance.operations.carryOut(FirstAccessToken()) == nil)
        _ = try instance.operations.carryOut(RevokeAccessToken(name: first.grant.name, by: "test"))
        #expect(try instance.operations.carryOut(FirstAccessToken())?.token != first.token)
    }

    @Test func `the audit trail is read a page at a time`() throws {
        let instance = try TestInstance()
        for number in 1...3 {
            _ = try instance.operations.carryOut(
                CreateAccessToken(name: "t\(number)", scopes: [.read], by: "test"))
        }
        let first = try instance.operations.carryOut(ReadAudit(limit: 2))
        #expect(first.lines.map(\.what) == ["t3: read", "t2: read"])
        let second = try instance.operations.carryOut(ReadAudit(before: first.next, limit: 2))
        #expect(second.lines.map(\.what) == ["t1: read"] && second.next == nil)
    }
}
