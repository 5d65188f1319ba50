internal import PushStore

/// All tokens of the API, those that were revoked last.
package struct ListAccessTokens: ShortOperation {
    package static let name = "token.list"

    package init() {}

    package func perform(in operations: Operations) throws -> [AccessTokenView] {
        try operations.store.accessTokens.list().map(AccessTokenView.init)
    }
}
