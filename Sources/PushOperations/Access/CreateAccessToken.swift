package import PushModel
package import PushStore

/// Creates a token for callers of the API. Only this answer contains its secret. Refuses the name of a token that is
/// valid.
package struct CreateAccessToken: Change, UseCase {
    package static let name = "token.create"
    package static let operation = Operation(
        .post, "/tokens", .admin, "Creates a token. Only this answer contains its secret.", status: 201)
    package static let members: [Member<Self>] = [
        .field(\.name, "name", "The token's name, unique among valid tokens."),
        .field(\.scopes, "scopes", "What its bearer may do: at least one. No scope includes another."),
    ]
    package var lookAfterwards: String { "token list" }
    package var auditText: AuditText? { .of("\(name): \(scopes.map(\.rawValue).joined(separator: " "))") }

    package private(set) var name = ""
    package private(set) var scopes: [AccessScope] = []

    package init() {}
    package init(name: String, scopes: [AccessScope]) { (self.name, self.scopes) = (name, scopes) }

    package func prepare(in operations: Operations) throws -> Step<NewAccessToken> {
        try NameRule.check(addressed: name, "the token's name")
        guard !scopes.isEmpty else {
            throw OperationError.refused(
                "scopes: give one or more of \(AccessScope.words.joined(separator: ", "))")
        }
        let token = AccessToken.make()
        let now = operations.clock.moment()
        return Step { store in
            let grant = try store.accessTokenWriter.create(token, name: name, scopes: Set(scopes), at: now)
            return NewAccessToken(grant: AccessTokenView(grant), token: token.text)
        }
    }
}

package struct NewAccessToken: View {
    package static let about = ["token": "the value for `Authorization: Bearer …`"]

    package var grant: AccessTokenView
    package var token: String
}
