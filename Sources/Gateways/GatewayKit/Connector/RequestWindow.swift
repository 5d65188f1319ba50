package import PushConfig

/// What decides how many requests of one account are under way at once.
package struct RequestWindow: Sendable {
    package typealias Setting = any WritableKeyPath<ServerConfiguration, Int> & Sendable

    /// Streams that a connection may have if nobody knows what the gateway allows.
    package var usualStreams: Int
    /// Streams of a connection that the connector uses at most.
    package var maxStreams: Int
    /// Connections of each child. nil: a child opens as many as its requests need.
    package var connections: Setting?
    /// Requests of each child. nil: as many as its connections have streams.
    package var requests: Setting?
    /// Messages a minute that the gateway grants to an account. nil: it publishes no such limit.
    package var quota: Setting?

    package init(
        usualStreams: Int, maxStreams: Int, connections: Setting? = nil, requests: Setting? = nil,
        quota: Setting? = nil
    ) {
        (self.usualStreams, self.maxStreams, self.connections) = (usualStreams, maxStreams, connections)
        (self.requests, self.quota) = (requests, quota)
    }
}
