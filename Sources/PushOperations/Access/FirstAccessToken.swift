internal import PushModel
package import PushStore

/// The token that `web/@apiTokenFile` holds: good for everything, where there never was a token, so that a new
/// instance has one. Where all were revoked none comes back.
package struct FirstAccessToken: ChangingOperation {
    package static let name = "token.first"
    package static let tokenName = "first"
    package var lookAfterwards: String { "token list" }
    package var auditText: AuditText? { .of(Self.tokenName) }

    /// What the file holds: the token's text.
    package var token: String

    /// - Throws: where it is no token's text.
    package init(token: String) throws(OperationError) {
        guard AccessToken.isToken(token) else {
            throw .refused(
                "it holds no token: 'pmta_' and 43 letters, digits, - and _; remove it, and one is made")
        }
        self.token = token
    }

    /// A new token's text.
    package static func make() -> String { AccessToken.make().text }

    /// Whether there never was a token.
    package static func isNeeded(in operations: Operations) throws(OperationError) -> Bool {
        do throws(StoreError) { return try !operations.store.accessTokens.isAny() } catch {
            throw OperationError(error)
        }
    }

    package func perform(in operations: Operations) throws -> AccessTokenView {
        let grant = try operations.store.accessTokenWriter.create(
            AccessToken(text: token), name: Self.tokenName, scopes: Set(AccessScope.allCases),
            at: operations.clock.moment())
        return AccessTokenView(grant)
    }
}
