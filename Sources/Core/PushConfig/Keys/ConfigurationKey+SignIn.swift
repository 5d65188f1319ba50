/// The settings for signing in to the console with a provider of OpenID Connect.
extension ConfigurationKey {
    static let openID = element(
        "web/openId",
        [
            .init(
                "issuer", \.web.openID.issuer, .optionalIssuer, .ours,
                """
                The OpenID Connect provider with which people can sign in to the console, exactly as the \
                provider states it, such as `https://login.example.com/realms/shop`.
                """
            ),
            .init(
                "clientId", \.web.openID.clientID,
                .text(
                    "text", allowed: "at most 500 printable ASCII characters",
                    where: OpenIDConfiguration.isClientID), .ours,
                "The console's client id at the provider."
            ),
            .init(
                "clientSecretFile", \.web.openID.clientSecretFile, .optionalPath, .ours,
                """
                The file with the console's client secret in its first line, with mode 0600. It is read for \
                each person who signs in. Without a value, the console is a public client.
                """
            ),
            .init(
                "nameClaim", \.web.openID.nameClaim, .word, .ours,
                "The claim with the person's name. `email` counts only if the provider has verified it."
            ),
            .init(
                "scopes", \.web.openID.scopes,
                .text(
                    "scopes", allowed: "scopes separated by single spaces, one of them openid",
                    where: OpenIDConfiguration.areScopes), .ours,
                "The scopes that the console requests from the provider."
            ),
            .init(
                "label", \.web.openID.label,
                .text("text", allowed: "at most 60 characters", where: OpenIDConfiguration.isLabel), .ours,
                "What the page to sign in calls the provider. Without a value, it is the issuer's host."
            ),
        ])
}
