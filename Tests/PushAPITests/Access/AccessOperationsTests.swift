import PushAPI
import PushModel
import PushStore
import TestRequests
import Testing

struct AccessOperationsTests {
    @Test func `a token's secret is shown once, and later identifies its owner`() throws {
        let instance = try TestInstance()
        let created = try instance.operations.carryOut(
            CreateAccessToken(name: "billing", scopes: [.send, .send]))
        #expect(created.grant.scopes == [.send])
        let known = try instance.operations.carryOut(CheckAccess(token: created.token))
        #expect(known?.name == "billing" && known?.scopes == [.send])
        #expect(known?.bounds == ServiceBounds.unbound)
        #expect(try instance.operations.carryOut(ListAccessTokens()) == [created.grant])
        _ = try instance.operations.carryOut(RevokeAccessToken(name: "billing"))
        #expect(try instance.operations.carryOut(CheckAccess(token: created.token)) == nil)
    }

    @Test func `a token without a scope, or with a name that cannot be typed or is a person's, is refused`()
        throws
    {
        let instance = try TestInstance()
        for order in [
            CreateAccessToken(name: "a", scopes: []),
            CreateAccessToken(name: "a\nb", scopes: [.read]),
            CreateAccessToken(name: "person anna", scopes: [.read]),
        ] {
            let error = failure { () throws(OperationError) in _ = try instance.operations.carryOut(order) }
            #expect(error?.kind == .refused)
        }
        #expect(try instance.operations.carryOut(ListAccessTokens()).isEmpty)
        #expect(try instance.operations.carryOut(ReadAudit()).items.isEmpty)
    }

    @Test func `the first token has every scope, and is needed only if there has never been a token`() throws
    {
        let instance = try TestInstance()
        let operations = instance.operations
        #expect(try FirstAccessToken.isNeeded(in: operations))
        let text = FirstAccessToken.make()
        let first = try operations.carryOut(try FirstAccessToken(token: text))
        #expect(first.scopes == AccessScope.allCases)
        #expect(try operations.carryOut(CheckAccess(token: text))?.name == first.name)
        #expect(try !FirstAccessToken.isNeeded(in: operations))
        _ = try operations.carryOut(RevokeAccessToken(name: first.name))
        // A second use of the file does not give access again.
        #expect(try !FirstAccessToken.isNeeded(in: operations))
    }

    @Test(arguments: ["", "secret", "pmta_short", "pmta_" + String(repeating: "*", count: 43)])
    func `a supplied first token must have the form of a generated token`(text: String) {
        let error = failure { () throws(OperationError) in _ = try FirstAccessToken(token: text) }
        #expect(error?.kind == .refused)
    }

    @Test func `the audit trail is read page by page`() throws {
        let instance = try TestInstance()
        for number in 1...3 {
            _ = try instance.operations.carryOut(
                CreateAccessToken(name: "t\(number)", scopes: [.read]))
        }
        let first = try instance.operations.carryOut(ReadAudit(limit: 2))
        #expect(first.items.map(\.what) == ["t3: read", "t2: read"])
        let second = try instance.operations.carryOut(ReadAudit(before: first.position, limit: 2))
        #expect(second.items.map(\.what) == ["t1: read"] && second.next == nil)
    }
}
