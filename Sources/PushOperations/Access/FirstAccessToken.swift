internal import PushModel
internal import PushStore

/// The token that `web/@apiTokenFile` holds: made where no token is good, so that a new instance has one that
/// may do everything.
package struct FirstAccessToken: ChangingOperation {
    package static let name = "token.first"
    package static let tokenName = "first"
    package var lookAfterwards: String { "token list" }

    package init() {}

    /// nil: there is a token already.
    package func perform(in operations: Operations) throws -> NewAccessToken? {
        guard try !operations.store.accessTokens.isAnyGood() else { return nil }
        let order = CreateAccessToken(
            name: Self.tokenName, scopes: AccessScope.allCases, by: "the service's first start")
        return try order.perform(in: operations)
    }
}
