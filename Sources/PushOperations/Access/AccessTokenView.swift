package import PushModel
internal import PushStore

/// A token of the API as it is shown, without its secret.
package struct AccessTokenView: View, Equatable {
    package static let about = ["revoked": "null: it is valid"]

    package var name: String
    package var scopes: [AccessScope]
    package var created: WallMoment
    package var revoked: WallMoment?

    init(_ grant: AccessGrant) {
        name = grant.name
        scopes = AccessScope.allCases.filter(grant.scopes.contains)
        created = grant.created
        revoked = grant.revoked
    }
}
