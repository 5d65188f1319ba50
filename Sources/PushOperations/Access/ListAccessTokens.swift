internal import PushModel
internal import PushStore

/// All tokens of the API, revoked tokens last.
package struct ListAccessTokens: ShortOperation, UseCase {
    package static let name = "token.list"
    package static let operation = Operation(
        .get, "/tokens", .admin, "The tokens of the API, without their secrets.")
    package static let members: [Member<Self>] = []

    package init() {}

    package func perform(in operations: Operations) throws -> [AccessTokenView] {
        try operations.store.accessTokens.list().map(AccessTokenView.init)
    }
}
