package import PushStore

/// A token is good no more; its name may be given again.
package struct RevokeAccessToken: ChangingOperation {
    package static let name = "token.revoke"
    package var lookAfterwards: String { "token list" }
    package var auditText: AuditText? { .of(name) }

    package var name: String

    package init(name: String) {
        self.name = name
    }

    package func perform(in operations: Operations) throws -> RevokedAccessToken {
        try operations.store.accessTokenWriter.revoke(named: name, at: operations.clock.moment())
        return RevokedAccessToken(name: name)
    }
}

package struct RevokedAccessToken: View, Equatable {
    package var name: String
}
