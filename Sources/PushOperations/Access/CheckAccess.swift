internal import PushStore

/// Whose a token is that a caller showed, and what it may do.
package struct CheckAccess: ShortOperation {
    package static let name = "token.check"

    package var token: String

    package init(token: String) { self.token = token }

    /// Whether a text may be a token at all, by its form alone.
    package static func isToken(_ text: String) -> Bool { AccessToken.isToken(text) }

    /// nil: there is no such token, or it was revoked.
    package func perform(in operations: Operations) throws -> AccessTokenView? {
        try operations.store.accessTokens.grant(of: AccessToken(text: token)).map(AccessTokenView.init)
    }
}
