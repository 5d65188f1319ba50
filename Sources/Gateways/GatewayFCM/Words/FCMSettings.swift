package import PushWire

/// The settings that a child needs for an FCM account.
package struct FCMSettings: ConnectorSettings {
    package var requestTimeoutSeconds = 30
    /// The maximum number of the account's requests in flight: `maxGCMConnectPerAccount`, or
    /// `maxGCMConnectPerChild` if that is less.
    package var parallelRequests = 8
    /// The maximum number of requests in flight of all accounts of the child: `maxGCMConnectPerChild`. 0
    /// means no limit.
    package var requestsOfChild = 0
    /// Overrides the host that issues OAuth tokens; empty for the host that the credential names.
    package var tokenAddress = ""
    package var tokenPort = 443
    /// Whether the gateway's name of an accepted message is kept: `keepMessageIds`.
    package var keepsMessageIDs = false
    /// Whether the access token may be added to HPACK's table: `indexAuthorization`.
    package var indexesAuthorization = true

    package init() {}

    package static let fields = Fields(
        Self(),
        [
            Field("requestTimeoutSeconds", \.requestTimeoutSeconds, .count),
            Field("parallelRequests", \.parallelRequests, .count),
            Field("requestsOfChild", \.requestsOfChild, .count),
            Field("tokenAddress", \.tokenAddress, .anyText),
            Field("tokenPort", \.tokenPort, .count),
            Field("keepsMessageIDs", \.keepsMessageIDs, .boolean),
            Field("indexesAuthorization", \.indexesAuthorization, .boolean),
        ])
}
