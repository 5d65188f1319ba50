package import PushModel
package import PushStore

/// An API token as the API and the command line show it: without its secret.
package struct AccessTokenView: View, Equatable {
    package static let about = [
        "services": "the services to which the token is bound, without deleted ones; null if it is not bound",
        "revokedAt": "null if the token is valid",
    ]

    package var name: String
    package var scopes: [AccessScope]
    package var services: [String]?
    package var createdAt: WallMoment
    package var revokedAt: WallMoment?

    /// - Parameter services: The instance's services.
    init(_ grant: AccessGrant, among services: [Service]) {
        name = grant.name
        scopes = AccessScope.allCases.filter(grant.scopes.contains)
        self.services =
            grant.bounds.areSet ? services.filter { grant.bounds.admit($0.id) }.map(\.name) : nil
        createdAt = grant.created
        revokedAt = grant.revoked
    }
}

/// Lists all API tokens, revoked tokens last.
package struct ListAccessTokens: ShortOperation, UseCase {
    package static let name = "token.list"
    package static let operation = Operation(
        .get, "/tokens", .admin, "Lists the API's tokens, without their secrets.", reach: .instance)
    package static let members: [Member<Self>] = []

    package init() {}

    package func perform(in operations: Operations) throws -> [AccessTokenView] {
        let services = try operations.store.catalogue.services()
        return try operations.store.accessTokens.list().map { AccessTokenView($0, among: services) }
    }
}

/// Creates a token for callers of the API. Only the answer to this request contains the token's secret. The
/// request is refused if a valid token already has the name.
package struct CreateAccessToken: Change, UseCase, ScopeGrant {
    package static let name = "token.create"
    package static let operation = Operation(
        .post, "/tokens", .admin, "Creates a token. Only this response contains its secret.", status: 201,
        reach: .instance)
    package static let example = #"{"name": "reporting", "scopes": ["read"], "services": ["neotrips"]}"#
    package static let members: [Member<Self>] = [
        .field(\.name, "name", "The token's name, which must be unique among valid tokens."),
        .field(
            \.scopes, "scopes",
            "The permissions of the token's bearer: at least one scope. No scope includes another."),
        .field(
            \.services, "services",
            """
            Bind the token to these services: its bearer sees and changes only what belongs to them. At most \
            \(maxServices) services.
            """, absent: "the whole instance"),
    ]
    package static let maxServices = 100
    package var followUpCommand: String { "token list" }
    package var auditText: AuditText? {
        let bounds = services.map { " of services \(Set($0).sorted().joined(separator: " "))" } ?? ""
        return .of("\(name): \(scopes.map(\.rawValue).joined(separator: " "))\(bounds)")
    }

    package var name = ""
    package var scopes: [AccessScope] = []
    /// The names of the services to which the token is bound; `nil` if it is not bound.
    package var services: [String]?
    var grantedScopes: [AccessScope] { scopes }

    package init() {}

    package func prepare(in operations: Operations) throws -> Step<NewAccessToken> {
        try checkScopes(of: operations)
        try NameRule.check(addressed: name, "the token's name")
        // The audit trail, drafts and idempotency keys tell callers apart by this text alone.
        let person = SessionView.caller("")
        guard !name.hasPrefix(person) else {
            throw OperationError.refused(
                "name: must not begin with \"\(person)\", because the audit trail names people in this way")
        }
        guard !scopes.isEmpty else {
            throw OperationError.refused(
                "scopes: give one or more of \(AccessScope.words.joined(separator: ", "))")
        }
        let services = try boundServices(in: operations)
        let bounds = services.map { ServiceBounds(Set($0.map(\.id))) } ?? .unbound
        let token = AccessToken.make()
        let now = operations.clock.moment()
        return Step { store in
            let grant = try store.accessTokenWriter.create(
                token, name: name, scopes: Set(scopes), bounds: bounds, at: now)
            return NewAccessToken(grant: AccessTokenView(grant, among: services ?? []), token: token.text)
        }
    }

    private func boundServices(in operations: Operations) throws -> [Service]? {
        guard let services else { return nil }
        guard (1...Self.maxServices).contains(services.count) else {
            throw OperationError.refused(
                "services: give 1 to \(Self.maxServices) services, or omit them for a token of the "
                    + "whole instance")
        }
        return try Set(services).sorted().map { try operations.requireService(named: $0) }
    }
}

/// A use case that gives scopes to another caller. A caller without the scope `people` cannot give it,
/// because the receiver could then give the caller every role.
protocol ScopeGrant: UseCase {
    var grantedScopes: [AccessScope] { get }
}

extension ScopeGrant {
    func checkScopes(of operations: Operations) throws(OperationError) {
        guard grantedScopes.contains(.people), operations.scopes?.contains(.people) == false else { return }
        throw .refused(
            """
            scopes: only a caller with the scope \(AccessScope.people.rawValue) can give this scope; create \
            the token on the instance's host, or with a token that has the scope
            """)
    }
}

package struct NewAccessToken: View {
    package static let about = ["token": "the value for `Authorization: Bearer …`"]

    package var grant: AccessTokenView
    package var token: String
}

/// Creates the first token of a new instance: the token in the file that `web/@apiTokenFile` names. The token
/// has all scopes. It is created only if the instance has never had a token. If all tokens were revoked, no
/// new first token is created.
package struct FirstAccessToken: ChangingOperation {
    package static let name = "token.first"
    package static let tokenName = "first"
    package var followUpCommand: String { "token list" }
    package var auditText: AuditText? { .of(Self.tokenName) }

    /// The contents of the file: the token's text.
    package var token: String

    /// - Throws: If the text is not a token's text.
    package init(token: String) throws(OperationError) {
        guard AccessToken.isToken(token) else {
            throw .refused(
                """
                it does not contain a token ('pmta_' followed by 43 letters, digits, - or _); remove the \
                file to have a token created
                """
            )
        }
        self.token = token
    }

    /// Returns the text of a new token.
    package static func make() -> String { AccessToken.make().text }

    /// Reports whether the instance has never had a token.
    package static func isNeeded(in operations: Operations) throws(OperationError) -> Bool {
        do throws(StoreError) { return try !operations.store.accessTokens.isAny() } catch {
            throw OperationError(error)
        }
    }

    package func perform(in operations: Operations) throws -> AccessTokenView {
        let grant = try operations.store.accessTokenWriter.create(
            AccessToken(text: token), name: Self.tokenName, scopes: Set(AccessScope.allCases),
            at: operations.clock.moment())
        return AccessTokenView(grant, among: [])
    }
}

/// Revokes a token. Its name can be used again.
package struct RevokeAccessToken: Change, UseCase {
    package static let name = "token.revoke"
    package static let operation = Operation(
        .delete, "/tokens/{name}", .admin, "Revokes a token within one second.", reach: .instance)
    package static let members: [Member<Self>] = [.path(\.name, "name", "The token's name.")]
    package var followUpCommand: String { "token list" }
    package var auditText: AuditText? { .of(name) }

    package var name = ""

    package init() {}

    package func prepare(in operations: Operations) throws -> Step<RevokedAccessToken> {
        let valid = try operations.store.accessTokens.list().filter { $0.revoked == nil }.map(\.name)
        guard valid.contains(name) else {
            throw Operations.absence("token", name, existing: valid, CreateAccessToken.self)
        }
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

/// What the bearer of a token may do.
package struct CallerRights: Equatable, Sendable {
    /// The token's name.
    package let name: String
    package let scopes: Set<AccessScope>
    package let bounds: ServiceBounds
}

/// Looks up the name and the rights of the token that a caller presented.
package struct CheckAccess: ShortOperation {
    package static let name = "token.check"

    package var token: String

    package init(token: String) { self.token = token }

    /// Reports whether a text has the form of a token. The store is not read.
    package static func isToken(_ text: String) -> Bool { AccessToken.isToken(text) }

    /// - Returns: `nil` if there is no such token, or if it was revoked.
    package func perform(in operations: Operations) throws -> CallerRights? {
        try operations.store.accessTokens.grant(of: AccessToken(text: token)).map {
            CallerRights(name: $0.name, scopes: $0.scopes, bounds: $0.bounds)
        }
    }
}
