package import PushWire

/// The settings that a child needs for an account that uses APNs over HTTP/2.
package struct APNsSettings: ConnectorSettings {
    package var connectionsPerChild = 1
    package var requestTimeoutSeconds = 30
    /// Whether the provider token may be added to HPACK's table: `indexAuthorization`.
    package var indexesAuthorization = true

    package init() {}

    package static let fields = Fields(
        Self(),
        [
            Field("connectionsPerChild", \.connectionsPerChild, .count),
            Field("requestTimeoutSeconds", \.requestTimeoutSeconds, .count),
            Field("indexesAuthorization", \.indexesAuthorization, .boolean),
        ])
}
