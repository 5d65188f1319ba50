/// A device that a feedback service says has gone.
package struct RetiredToken: Equatable, Sendable {
    /// As the store keeps it.
    package var token: String
    /// When the gateway noticed: a device that registered later is there again.
    package var since: WallTime
    package init(token: String, since: WallTime) {
        self.token = token
        self.since = since
    }
}
