package import PushModel
internal import PushStore

/// A token of the API as it is shown: never the secret itself.
package struct AccessTokenView: View, Equatable {
    package var name: String
    package var scopes: [AccessScope]
    package var created: WallMoment
    /// nil: it is good.
    package var revoked: WallMoment?

    init(_ grant: AccessGrant) {
        name = grant.name
        scopes = AccessScope.allCases.filter(grant.scopes.contains)
        created = grant.created
        revoked = grant.revoked
    }
}
