internal import PushStore

/// A token is good no more; its name may be given again.
package struct RevokeAccessToken: ChangingOperation {
    package static let name = "token.revoke"
    package var lookAfterwards: String { "token list" }

    package var name: String
    /// Who asks, for the audit trail.
    package var by: String

    package init(name: String, by: String) {
        self.name = name
        self.by = by
    }

    package func perform(in operations: Operations) throws -> RevokedAccessToken {
        try operations.store.accessTokenWriter.revoke(named: name, by: by, at: operations.clock.moment())
        return RevokedAccessToken(name: name)
    }
}

package struct RevokedAccessToken: Codable, Equatable, Sendable {
    package var name: String
}
