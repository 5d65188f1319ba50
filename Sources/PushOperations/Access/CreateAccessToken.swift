package import PushModel
package import PushStore

/// Makes a token for callers of the API. Its secret is in the answer and nowhere else, ever. Refuses a second
/// good one of that name.
package struct CreateAccessToken: ChangingOperation {
    package static let name = "token.create"
    package var lookAfterwards: String { "token list" }
    package var auditText: AuditText? { .of("\(name): \(scopes.map(\.rawValue).joined(separator: " "))") }

    package var name: String
    package var scopes: [AccessScope]

    package init(name: String, scopes: [AccessScope]) {
        self.name = name
        self.scopes = scopes
    }

    package func perform(in operations: Operations) throws -> NewAccessToken {
        try NameRule.check(addressed: name, "the token's name")
        guard !scopes.isEmpty else {
            let all = AccessScope.allCases.map(\.rawValue).joined(separator: ", ")
            throw OperationError.refused("the token has no scope; give it one or more of \(all)")
        }
        let token = AccessToken.make()
        let grant = try operations.store.accessTokenWriter.create(
            token, name: name, scopes: Set(scopes), at: operations.clock.moment())
        return NewAccessToken(grant: AccessTokenView(grant), token: token.text)
    }
}

package struct NewAccessToken: View {
    package var grant: AccessTokenView
    /// What callers show: `Authorization: Bearer …`.
    package var token: String
}
