internal import PushModel
package import PushStore

/// Revokes a token. Its name may be given again.
package struct RevokeAccessToken: Change, UseCase {
    package static let name = "token.revoke"
    package static let operation = Operation(
        .delete, "/tokens/{name}", .admin, "Revokes a token, within a second.")
    package static let members: [Member<Self>] = [.path(\.name, "name", "The token's name.")]
    package var lookAfterwards: String { "token list" }
    package var auditText: AuditText? { .of(name) }

    package private(set) var name = ""

    package init() {}
    package init(name: String) { self.name = name }

    package func prepare(in operations: Operations) -> Step<RevokedAccessToken> {
        let now = operations.clock.moment()
        return Step { store in
            try store.accessTokenWriter.revoke(named: name, at: now)
            return RevokedAccessToken(name: name)
        }
    }
}

package struct RevokedAccessToken: View, Equatable {
    package var name: String
}
