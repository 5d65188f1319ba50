package import PushConfig

/// The settings that determine how many requests of one account are in progress simultaneously.
package struct RequestWindow: Sendable {
    package typealias Setting = any WritableKeyPath<ServerConfiguration, Int> & Sendable

    /// The number of streams that a connection may have if the gateway's limit is unknown.
    package var usualStreams: Int
    /// The maximum number of streams that the connector uses on one connection.
    package var maxStreams: Int
    /// The setting for the number of connections of each child. `nil` if a child opens as many connections as
    /// its requests need.
    package var connections: Setting?
    /// The setting for the number of requests in progress in each child. `nil` if only the streams of the
    /// child's connections limit the number of requests.
    package var requests: Setting?
    /// The setting for the part of these requests that one account may use; its value 0 means all of them.
    /// `nil` if there is no such setting.
    package var requestsOfAccount: Setting?
    /// The setting for the number of messages per minute that the gateway allows for an account. `nil` if the
    /// gateway publishes no such limit.
    package var quota: Setting?

    package init(
        usualStreams: Int, maxStreams: Int, connections: Setting? = nil, requests: Setting? = nil,
        requestsOfAccount: Setting? = nil, quota: Setting? = nil
    ) {
        (self.usualStreams, self.maxStreams, self.connections) = (usualStreams, maxStreams, connections)
        (self.requests, self.requestsOfAccount, self.quota) = (requests, requestsOfAccount, quota)
    }
}
